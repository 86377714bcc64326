import * as z from 'zod';

const Recorded = z.object({
  nodeId: z.string(),
  /** The name of that node. */
  node: z.string(),
  /** The major version of the data; absent if every version can read it. */
  dataVersion: z.string().optional(),
});

/** The location of a backup. Its files are named by its id, in the volume with its database's backups on that node. */
export type BackupRecord = z.output<typeof Recorded>;

/** Reads the record of a backup. @throws Error if this runtime didn't write it */
export function readBackupRecord(text: string): BackupRecord {
  const { data } = Recorded.safeParse(JSON.parse(text));
  if (data === undefined)
    throw new Error("The record of this backup doesn't say where it is: it was created on a cluster of another kind.");
  return data;
}

export const writeBackupRecord = (record: BackupRecord): string => JSON.stringify(record);
