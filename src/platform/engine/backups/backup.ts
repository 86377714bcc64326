import type { Selectable } from 'kysely';
import type { RecoveryPlan } from '../../runtime/index.ts';
import type { BackupTable } from '../../store/index.ts';

/** A backup as it is recorded. */
export type BackupRow = Selectable<BackupTable>;

/** The effects of restoring a database now, and whether it can be backed up. */
export interface Recovery {
  readonly environmentId: string;
  readonly backup?: BackupRow | undefined;
  readonly plan?: RecoveryPlan;
  /** Why it can't be restored, with what to do instead. */
  readonly refusal?: string | undefined;
  /** Why no backup of it can be requested now. */
  readonly noBackups?: string | undefined;
}
