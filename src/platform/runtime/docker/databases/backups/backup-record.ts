import * as z from 'zod';

const Recorded = z.object({
  nodeId: z.string(),
  /** The name of that node. */
  node: z.string(),
  /** The major version of the data; absent if any version reads it. */
  dataVersion: z.string().optional(),
});

/** Where a backup is. Its files are called by its id, in the volume of its database's backups on that node. */
export type BackupRecord = z.output<typeof Recorded>;

/** Reads what was recorded of a backup. @throws Error if this runtime didn't write it */
export function readBackupRecord(text: string): BackupRecord {
  const { data } = Recorded.safeParse(JSON.parse(text));
  if (data === undefined)
    throw new Error('Where this backup is can not be read from its record: it was made on a cluster of another kind.');
  return data;
}

export const writeBackupRecord = (record: BackupRecord): string => JSON.stringify(record);
