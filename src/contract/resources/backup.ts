import * as z from 'zod';
import { Condition } from '../conditions/index.ts';
import { defaultPageSizes } from '../limits.ts';
import { DateTime, Name, PageNumber, PageSize, reference, resourceOf, Uuid } from '../primitives.ts';
import { DeploymentState } from '../states.ts';

/** Query of a list of backups, which uses `pageSize` as deployment histories do. */
export const backupQuery = {
  page: PageNumber.optional(),
  pageSize: PageSize.nullish().describe(`Default ${defaultPageSizes.rows}.`),
};

export const BackupRequest = z.object({ name: Name, message: z.string().max(1000).describe('Why.') });

/** The states of a backup, in the terms of deployments: in progress, complete, failed, and about to be deleted. */
export const backupStates = {
  ongoing: 'EXECUTING',
  complete: 'DEPLOYED',
  failed: 'DEPLOYMENT_ERROR',
  deleting: 'DELETING',
} as const satisfies Readonly<Record<string, DeploymentState>>;

/** A backup of a database. */
export const Backup = resourceOf(
  'backup',
  z.object({
    id: Uuid,
    name: z.string(),
    message: z.string(),
    status: z.object({ state: DeploymentState }),
    created_at: DateTime,
    ended_at: DateTime.optional(),
    node: z.string().optional().describe('The machine that has it.'),
    bytes: z.int().optional(),
    reason: z.string().optional().describe('Why it failed, or what keeps it from being deleted.'),
    condition: Condition.optional().describe('The same as data.'),
  }),
);

export const BackupList = z.object({ page: z.int(), page_size: z.int(), results: z.array(Backup) });

const backupId = reference('backup').optional().describe('Default: newest.');

/** Query of the effects of restoring a database. */
export const recoveryQuery = { backup_id: backupId };

export const RestoreRequest = z.object({
  backup_id: backupId,
  without_waiting: z.boolean().optional().describe('Without waiting for its node.'),
});

/** The effects of restoring a database now, and whether it can be backed up. */
export const DatabaseRecovery = z.object({
  backup: Backup.optional(),
  node: z.string().optional().describe('The machine that has its data now.'),
  node_lost: z.string().optional().describe('How that machine is lost; absent if it works.'),
  to_node: z.string().optional().describe('Where it would run.'),
  old_volume: z.string().optional().describe('What has its data now. It stays.'),
  refusal: z.string().optional().describe('Why it can not be brought back.'),
  may_come_back: z.string().optional().describe('Why it is only brought back with without_waiting.'),
  no_backups: z.string().optional().describe('Why no backup of it can be made now.'),
});
