import { sql } from 'kysely';
import { compiled, compiledChange, type Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { statePathOf } from './lifecycle.ts';
import {
  type DeploymentRow,
  type DeploymentServiceRow,
  heldAsRead,
  requireHeld,
  servicesOf,
  Superseded,
} from './deployment-rows.ts';
import { nextStep } from './service-steps.ts';
import { applyChange, updateEnvironmentState } from './service-changes.ts';
import { runtimeOfEnvironment } from './tasks.ts';
import type { Lease } from './lease.ts';
import type { WorkQueue } from './worker.ts';

/** Starts the deployment at the head of a queue: its first stage stays queued for a moment, the others wait. */
const beginDeployment = (context: EngineContext, deployment: DeploymentRow): Promise<void> =>
  context.db.write(async (trx) => {
    await trx.lock(deployment.environment_id);
    const at = context.clock.now();
    const services = await servicesOf(trx, deployment.id);
    const runtime = await runtimeOfEnvironment(context, trx, deployment.environment_id);
    const { numUpdatedRows } = await trx
      .updateTable('deployment')
      .set({ status: 'ONGOING', started_at: iso(at) })
      .where(heldAsRead(deployment))
      .where('status', '=', 'QUEUED')
      .where('canceling', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Superseded(deployment.id);
    const first = Math.min(...services.map((service) => service.stage));
    for (const service of services) {
      const row =
        service.stage === first
          ? { due_ms: at + runtime.pauseBefore('queueing', `${deployment.id}/queue`) }
          : { state: statePathOf(service.kind, deployment.action).waiting };
      await applyChange(trx, deployment, service, { at, row });
    }
    await updateEnvironmentState(trx, deployment.environment_id);
    await updateDueTime(trx, { id: deployment.id });
  });

/** Sets the deployment's due time to the earliest due time of its services. */
const updateDueTime = compiledChange((trx, { id }: { readonly id: string }) =>
  trx
    .updateTable('deployment')
    .set((eb) => ({
      due_ms: eb
        .selectFrom('deployment_service')
        .select(({ fn }) => fn.min('due_ms').as('due'))
        .where('deployment_id', '=', id)
        .where('ended_at', 'is', null),
    }))
    .where('id', '=', id)
    .where('ended_at', 'is', null),
);

const recordsOfServices = compiled((db, { ids }: { readonly ids: readonly string[] }) =>
  db.selectFrom('service').select(['id', 'deployed_record']).where('id', 'in', ids),
);

/** The runtime's records of the running versions of services, by service id. */
const runningRecords = async (
  db: Db,
  services: readonly DeploymentServiceRow[],
): Promise<ReadonlyMap<string, string | null>> => {
  if (services.length === 0) return new Map();
  const rows = await recordsOfServices(db, { ids: services.map(({ service_id: id }) => id) });
  return new Map(rows.map(({ id, deployed_record: record }) => [id, record]));
};

/** Advances all due services of a deployment by one step, in one transaction. */
async function advanceDueServices(
  context: EngineContext,
  deployment: DeploymentRow,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const services = await servicesOf(context.db, deployment.id);
  const due = services.filter(
    (service) => service.ended_at === null && service.due_ms !== null && service.due_ms <= now,
  );
  const runtime = await runtimeOfEnvironment(context, context.db, deployment.environment_id);
  const records = await runningRecords(context.db, due);
  // This calls the runtime, which must not happen within a transaction.
  const writes = await Promise.all(
    due.map((service) =>
      nextStep(context, deployment, service, {
        runtime,
        runningRecord: records.get(service.service_id) ?? null,
        signal,
      }),
    ),
  );
  await context.db.write(async (trx) => {
    await trx.lock(deployment.environment_id);
    await requireHeld(trx, deployment);
    for (const write of writes) await write(trx);
    await updateEnvironmentState(trx, deployment.environment_id);
    await updateDueTime(trx, { id: deployment.id });
  });
}

const dueDeployment = compiled(
  (db, { id, owner, now }: { readonly id: string; readonly owner: string; readonly now: number }) =>
    db.selectFrom('deployment').selectAll().where('id', '=', id).where('owner', '=', owner).where('due_ms', '<=', now),
);

/**
 * Advances a deployment until nothing of it is due. Starts over if something else, such as a cancel, changes it in the
 * meantime.
 * @param owner the worker that holds the deployment. Returns when it no longer does
 * @param signal aborts when the worker stops
 */
export async function advanceDeployment(
  context: EngineContext,
  deploymentId: string,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const now = context.clock.now();
    const [deployment] = await dueDeployment(context.db, { id: deploymentId, owner, now });
    if (deployment === undefined) return;
    try {
      if (deployment.status === 'QUEUED' && deployment.canceling === 0) await beginDeployment(context, deployment);
      else await advanceDueServices(context, deployment, now, signal);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    }
  }
}

/**
 * A fencing token that is greater than all others of a queue. It is at least the current time, so that it also exceeds
 * the tokens in records that a restored backup has replaced.
 */
const nextToken = async (trx: Db, queue: string, now: number): Promise<number> => {
  const { last } = await trx
    .selectFrom('deployment')
    .select(({ fn }) => fn.max('fencing_token').as('last'))
    .where('queue', '=', queue)
    // There is a partial index for this condition.
    .where('fencing_token', '>', sql.lit(0))
    .executeTakeFirstOrThrow();
  return Math.max(now, (last ?? 0) + 1);
};

/** The queue of deployments. A worker claims a due deployment and holds it until it finishes. */
export function deploymentQueue(context: EngineContext): WorkQueue {
  const { db, clock } = context;

  const free = (from: Db, limit: number) =>
    from
      .selectFrom('deployment')
      .select(['id', 'queue'])
      .where('due_ms', '<=', clock.now())
      .where('owner', 'is', null)
      .orderBy('due_ms')
      .orderBy('seq')
      .limit(limit)
      .$call(from.sql.claimed);

  const claim = (lease: Lease, limit: number) =>
    db.write(async (trx) => {
      await lease.renew(trx);
      for (const { id, queue } of await free(trx, limit).execute()) {
        await trx
          .updateTable('deployment')
          .set({ owner: lease.owner, fencing_token: await nextToken(trx, queue, clock.now()) })
          .where('id', '=', id)
          .execute();
      }
    });

  return {
    name: 'deployments',
    concurrency: 16,
    claimDue: async (lease, inProgress, limit) => {
      if ((await free(db, 1).execute()).length > 0) await claim(lease, limit);
      const due = await db
        .selectFrom('deployment')
        .select('id')
        .where('owner', '=', lease.owner)
        .where('due_ms', '<=', clock.now())
        .$if(inProgress.length > 0, (query) => query.where('id', 'not in', [...inProgress]))
        .orderBy('due_ms')
        .limit(limit)
        .execute();
      return due.map((row) => row.id);
    },
    run: (id, lease, signal) => advanceDeployment(context, id, lease.owner, signal),
    nextDue: async (lease, inProgress) => {
      const next = await db
        .selectFrom('deployment')
        .select('due_ms')
        .where('due_ms', 'is not', null)
        .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', lease.owner)]))
        .$if(inProgress.length > 0, (query) => query.where('id', 'not in', [...inProgress]))
        .orderBy('due_ms')
        .limit(1)
        .executeTakeFirst();
      return next?.due_ms ?? null;
    },
    hasClaims: async (lease) =>
      (await db.selectFrom('deployment').select('id').where('owner', '=', lease.owner).limit(1).execute()).length > 0,
  };
}
