import { sql } from 'kysely';
import { type Db, writeSetting } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import type { LeaderLocks } from './leader-locks.ts';
import type { WorkQueue } from './worker.ts';

/**
 * How many finished deployments are retained per service, with their steps, events, deliveries and recorded attempts,
 * and how many audit events in total. Old ones are removed in batches of one transaction each, so that no other write
 * waits long.
 */
const defaultRetention = { deploymentsPerService: 200, auditEvents: 20_000, everyMilliseconds: 3_600_000, batch: 50 };

/** Overrides of the default limits. */
export type Retention = Partial<typeof defaultRetention>;

/**
 * Finished deployments that exceed the limit for every one of their services (for deleted services and deployments
 * without services, for their queue), and all deployments of a deleted environment. The latest deployment of a service
 * is never among them, nor one with pending webhook deliveries.
 */
const expiredDeployments = async (db: Db, newest: number, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    WITH ranked AS (
      SELECT deployment.id, CASE WHEN environment.id IS NULL THEN 1 ELSE 0 END AS is_left_over,
        row_number() OVER (PARTITION BY coalesce(service.id, deployment.queue) ORDER BY deployment.seq DESC) AS place
      FROM deployment LEFT JOIN deployment_service AS part ON part.deployment_id = deployment.id
        LEFT JOIN service ON service.id = part.service_id LEFT JOIN environment ON environment.id = deployment.environment_id)
    SELECT deployment.id FROM deployment JOIN ranked ON ranked.id = deployment.id
    WHERE deployment.ended_at IS NOT NULL
      AND deployment.id NOT IN (SELECT last_deployment_id FROM service WHERE last_deployment_id IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE webhook_delivery.deployment_id = deployment.id AND due_ms IS NOT NULL)
    GROUP BY deployment.id, deployment.seq HAVING min(place) > ${newest} OR max(is_left_over) = 1
    ORDER BY deployment.seq LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
};

/** Removes deployments with everything that belongs to them. */
const removeDeployments = async (trx: Db, ids: readonly string[]): Promise<void> => {
  const deliveries = trx.selectFrom('webhook_delivery').select('id').where('deployment_id', 'in', ids);
  await trx.deleteFrom('webhook_attempt').where('delivery_id', 'in', deliveries).execute();
  for (const table of [
    'webhook_delivery',
    'deployment_event',
    'deployment_step',
    'log_line',
    'deployment_service',
  ] as const) {
    await trx.deleteFrom(table).where('deployment_id', 'in', ids).execute();
  }
  await trx.deleteFrom('deployment').where('id', 'in', ids).execute();
};

/**
 * Removes the audit events before the newest ones, up to a limit, and records since when they are complete. Returns how
 * many were removed.
 */
const removeAuditEvents = async (trx: Db, newest: number, limit: number): Promise<number> => {
  const old = await trx
    .selectFrom('audit_event')
    .select('seq')
    .orderBy('created_at', 'desc')
    .orderBy('seq', 'desc')
    .offset(newest)
    .limit(Number.MAX_SAFE_INTEGER)
    .execute();
  const removed = old
    .toReversed()
    .slice(0, limit)
    .map(({ seq }) => seq);
  if (removed.length === 0) return 0;
  await trx.deleteFrom('audit_event').where('seq', 'in', removed).execute();
  const { oldest } = await trx
    .selectFrom('audit_event')
    .select(({ fn }) => fn.min('created_at').as('oldest'))
    .executeTakeFirstOrThrow();
  await writeSetting(trx, 'events_since', oldest);
  await writeSetting(trx, 'events_removed', 'yes');
  return removed.length;
};

const hasTooManyEvents = async (db: Db, newest: number): Promise<boolean> =>
  (await db.selectFrom('audit_event').select('seq').orderBy('seq').offset(newest).limit(1).executeTakeFirst()) !==
  undefined;

/** The queue that removes old deployments at intervals. After a full batch, the next one follows immediately. */
export function retentionQueue(
  { db, clock }: EngineContext,
  leaderLocks: LeaderLocks,
  limits: Retention = {},
): WorkQueue {
  const { deploymentsPerService, auditEvents, everyMilliseconds, batch } = { ...defaultRetention, ...limits };
  let dueAt = clock.now();
  return {
    name: 'retention',
    isBackground: true,
    concurrency: 1,
    claimDue: async (_lease, inProgress) => (inProgress.length === 0 && dueAt <= clock.now() ? ['deployments'] : []),
    run: async () => {
      const leaderLock = await leaderLocks.take('removing what is old');
      if (leaderLock === undefined) {
        dueAt = clock.now() + everyMilliseconds;
        return;
      }
      const ids = await expiredDeployments(db, deploymentsPerService, batch);
      if (ids.length > 0) await leaderLock.write((trx) => removeDeployments(trx, ids));
      const events = (await hasTooManyEvents(db, auditEvents))
        ? await leaderLock.write((trx) => removeAuditEvents(trx, auditEvents, batch))
        : 0;
      if (ids.length < batch && events < batch) dueAt = clock.now() + everyMilliseconds;
    },
    nextDue: async (_lease, inProgress) => (inProgress.length === 0 ? dueAt : null),
    hasClaims: async () => false,
  };
}
