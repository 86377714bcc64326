import type { DeploymentActionStatus } from '../../contract/index.ts';
import type * as z from 'zod';

/** What is read when metrics are fetched, and not counted as it happens. Where one rejects, its metrics are left out. */
export interface MetricSources {
  /** How many calls wait for the operator. */
  readonly approvalsWaiting?: () => Promise<number>;
  readonly http?: () => { readonly running: number; readonly waiting: number; readonly streams: number; readonly sessions: number };
  /** What the embedded platform is busy with; undefined while this process serves none. */
  readonly engine?: () => Promise<EngineFigures | undefined>;
}

/** Figures of the embedded platform's engine. Times are in milliseconds. */
export interface EngineFigures {
  readonly deployments: Readonly<Partial<Record<z.infer<typeof DeploymentActionStatus>, number>>>;
  readonly outbox: { readonly waiting: number; readonly lag: number };
  readonly deliveries: Readonly<Record<'delivered' | 'retried' | 'failed', number>>;
}
