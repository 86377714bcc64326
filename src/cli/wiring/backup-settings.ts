import * as z from 'zod';

const Backups = z.strictObject({
  every_hours: z.number().min(0.25).max(24 * 366).optional(),
  keep: z.int().min(1).default(7),
  node_label: z.string().regex(/^[\w.-]+=[\w.-]+$/, 'must be a label of nodes with its value, such as backups=yes').optional(),
});

/** When the databases of a cluster are backed up, how many of these backups are kept of each, and the label of the nodes that may have them. */
export const BackupsOfCluster = z.object({ database_backups: Backups.optional() });

/** The same for the platform. Without an interval, databases are backed up on request only. */
export const backupSettings = ({ database_backups: given }: z.output<typeof BackupsOfCluster>) => ({
  ...(given?.every_hours !== undefined && { backups: { everyHours: given.every_hours, keep: given.keep } }), backupNodeLabel: given?.node_label,
});
