/** Where a run finds the backups of its database. */
export const backupsPath = '/backups';

/** Where a run has the file with the password, as PostgreSQL's tools read it. */
export const passwordFile = '/run/secrets/infra-pgpass';

/** How the line begins that tells the length of a backup, in bytes. */
export const sizeMark = 'infra-backup-bytes=';

/** The name of the server may not be known yet on the node of a run. */
const untilReached =
  'tries=0; until psql --no-psqlrc --quiet --command="select 1" > /dev/null; do tries=$((tries + 1)); [ "$tries" -lt 30 ] || exit 1; sleep 1; done';

/*
 * The scripts are constants: what differs between runs are variables, which the shell never takes for commands. PG* are
 * those of
 * PostgreSQL's own tools; BACKUP is the id of the backup, by which its files are called. Each ends with a line: it
 * tells that the log is whole.
 */

/**
 * Writes a backup under another name, reads all of it back, and then gives it its own. A backup that is there is
 * complete.
 */
export const backupScript = `set -eu
cd ${backupsPath}
umask 077
rm -f -- *.part
trap 'rm -f -- *.part' EXIT
${untilReached}
pg_dumpall --no-password --database="$PGDATABASE" --roles-only --file="$BACKUP.roles.part"
pg_dump --no-password --format=custom --file="$BACKUP.dump.part"
pg_restore --file=/dev/null "$BACKUP.dump.part"
sync
mv -- "$BACKUP.roles.part" "$BACKUP.roles"
mv -- "$BACKUP.dump.part" "$BACKUP.dump"
sync
echo "${sizeMark}$(wc -c < "$BACKUP.dump")"
`;

/**
 * Brings a backup back: all of it, or nothing. Roles that are there already are left as they are, which psql complains
 * of.
 */
export const restoreScript = `set -eu
cd ${backupsPath}
[ -f "$BACKUP.dump" ] || { echo "The backup $BACKUP is not in the volume any more." >&2; exit 1; }
${untilReached}
psql --no-psqlrc --no-password --quiet --file="$BACKUP.roles" > /dev/null
pg_restore --no-password --clean --if-exists --single-transaction --exit-on-error --dbname="$PGDATABASE" "$BACKUP.dump"
echo restored
`;

/** Deletes a backup. */
export const removeScript = `set -eu
cd ${backupsPath}
rm -f -- "$BACKUP.dump" "$BACKUP.roles"
sync
echo removed
`;
