/** The mount point of a database's backups in a run. */
export const backupsPath = '/backups';

/** The path of the password file in a run, in the format of PostgreSQL's tools. */
export const passwordFile = '/run/secrets/infra-pgpass';

/** The prefix of the line that reports the length of a backup, in bytes. */
export const sizeMark = 'infra-backup-bytes=';

/** The server's name may not resolve yet on the node of a run. */
const untilReached =
  'tries=0; until psql --no-psqlrc --quiet --command="select 1" > /dev/null; do tries=$((tries + 1)); [ "$tries" -lt 30 ] || exit 1; sleep 1; done';

/*
 * The scripts are constants: runs differ only in environment variables, which the shell never executes as commands. PG*
 * are those of PostgreSQL's tools; BACKUP is the id of the backup, which names its files. Each script ends with a line
 * that shows that the log is complete.
 */

/**
 * Writes a backup under a temporary name, reads all of it back, and then renames it. A backup with its final name is
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

/** Restores a backup: all of it, or nothing. Existing roles are left unchanged, and psql reports an error for each. */
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
