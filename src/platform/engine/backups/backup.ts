import type { Selectable } from 'kysely';
import type { RecoveryPlan } from '../../runtime/index.ts';
import type { BackupTable } from '../../store/index.ts';

/** A backup as the records have it. */
export type BackupRow = Selectable<BackupTable>;

/** What bringing a database back would do now. */
export interface Recovery {
  readonly environmentId: string;
  readonly backup?: BackupRow | undefined;
  readonly plan?: RecoveryPlan;
  /** Why it can't be brought back, with what to do instead. */
  readonly refusal?: string | undefined;
}
