import type { Db } from '../store/index.ts';
import { blockedDueTime } from './context.ts';
import type { DeliveryCounts, EngineStatistics } from './engine.ts';

/** Counts deployments and pending webhook deliveries. @param now milliseconds since the epoch */
export async function engineStatistics(db: Db, deliveries: DeliveryCounts, now: number): Promise<EngineStatistics> {
  const deployments = await db
    .selectFrom('deployment')
    .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  const { waiting, oldest } = await db
    .selectFrom('webhook_delivery')
    .select(({ fn }) => [
      fn.countAll<number>().as('waiting'),
      fn.min('due_ms').filterWhere('due_ms', '<', blockedDueTime).as('oldest'),
    ])
    .where('due_ms', 'is not', null)
    .executeTakeFirstOrThrow();
  return {
    deployments: Object.fromEntries(deployments.map(({ status, count }) => [status, count])),
    outbox: { waiting, lag: oldest === null ? 0 : Math.max(0, now - oldest) },
    deliveries: { ...deliveries },
  };
}
