import * as z from 'zod';
import { ConditionShape, count, plainReason, reasonWith, words } from './reason.ts';

/** A backup as messages name it. */
export const NamedBackup = z.object({ name: words, at: words, node: words.optional() });

/** A backup from which a database could be restored, as a part of a sentence. */
export const backupText = ({ name, at, node }: z.output<typeof NamedBackup>): string =>
  `"${name}" of ${at}${node === undefined ? '' : ` on ${node}`}`;

/** Why a script that works with a backup fails. */
export const scriptReasons = {
  SCRIPT_NODE_LOST: reasonWith({ node: words }, ({ node }) => `the node ${node}, on which it ran, is lost.`),
  /** `said` is the scheduler's reason. Without `node`, it is the node that was chosen before. */
  SCRIPT_WITHOUT_ROOM: reasonWith(
    { node: words.optional(), said: words },
    ({ node, said }) => `the node ${node === undefined ? '' : `${node} `}has no room for it: ${said}.`,
  ),
  SCRIPT_OVERDUE: reasonWith(
    { seconds: count },
    ({ seconds }) => `it did not end within ${Math.round(seconds / 60)} minutes.`,
  ),
  /** `said` is the end of its output. */
  SCRIPT_FAILED: reasonWith({ said: words }, ({ said }) => said),
  /** It wrote nothing; `said` is the engine's message about its exit. */
  SCRIPT_ENDED: reasonWith({ said: words }, ({ said }) => `it failed: ${said}`),
};

/** Why backups are not created, or not deleted. */
export const backupReasons = {
  BACKUP_IMPOSSIBLE: plainReason('The database is not deployed on a cluster that makes backups any more.'),
  /** An error that isn't a condition, with its own message. */
  BACKUP_FAILED: reasonWith({ said: words }, ({ said }) => said),
  BACKUP_KEPT: plainReason(
    "Its cluster makes no backups at present, so its files can't be deleted. Configure the cluster of the database as it was when the backup was made; the deletion then goes on.",
  ),
  BACKUP_OUT_OF_REACH: reasonWith(
    { node: words },
    ({ node }) => `It is deleted when the node ${node} is ready and active again.`,
  ),
  BACKUP_NOT_DELETED: reasonWith({ cause: ConditionShape }, ({ cause }) => `It could not be deleted: ${cause.message}`),
};

/** Why databases are not restored. */
export const restorationReasons = {
  /** `backup` is the backup as text. */
  NOT_RESTORED: reasonWith(
    { backup: words, cause: ConditionShape },
    ({ backup, cause }) =>
      `It was not brought back from the backup ${backup}: ${cause.message} What ran before was left as it was.`,
  ),
  EMPTY_SERVER_REMOVED: plainReason('somebody removed the server that it was copied into.'),
  EMPTY_SERVER_FAILED: reasonWith(
    { cause: ConditionShape },
    ({ cause }) => `an empty server did not start: ${cause.message}.`,
  ),
  /** `present` and `wanted` are major versions. */
  DATA_VERSION_MISMATCH: reasonWith(
    { service: words, present: words, wanted: words },
    ({ service, present, wanted }) =>
      `The data of ${service} is of major version ${present}, which version ${wanted} can't read. Nothing was changed. ` +
      `Set the version back to ${present}; to move to ${wanted}, create a second database of that version, and copy the data with pg_dump and pg_restore.`,
  ),
};
