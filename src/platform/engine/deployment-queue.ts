import type { Db } from '../store/index.ts';
import { duration, type EngineContext, iso } from './context.ts';
import { statePathOf, queueing } from './lifecycle.ts';
import { type DeploymentRow, servicesOf } from './deployment-rows.ts';
import { nextStep } from './service-steps.ts';
import { applyChange, updateEnvironmentState, Superseded } from './service-changes.ts';
import type { Lease } from './lease.ts';
import type { WorkQueue } from './worker.ts';

/** Begins the deployment at the head of a queue: its first stage stays queued for a moment, the others wait. */
const beginDeployment = (context: EngineContext, deployment: DeploymentRow): Promise<void> =>
  context.db.write(async (trx) => {
    const at = context.clock.now();
    const services = await servicesOf(trx, deployment.id);
    const { numUpdatedRows } = await trx
      .updateTable('deployment')
      .set({ status: 'ONGOING', started_at: iso(at) })
      .where('id', '=', deployment.id).where('status', '=', 'QUEUED').where('owner', 'is', deployment.owner).where('canceling', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Superseded(deployment.id);
    const first = Math.min(...services.map((service) => service.stage));
    for (const service of services) {
      const row = service.stage === first
        ? { due_ms: at + duration(context, queueing, `${deployment.id}/queue`) }
        : { state: statePathOf(service.kind, deployment.action).waiting };
      await applyChange(trx, deployment, service, { at, row });
    }
    await updateEnvironmentState(trx, deployment.environment_id);
    await updateDueTime(trx, deployment.id);
  });

/** Sets the deployment's due time to the earliest of its services'. */
const updateDueTime = (trx: Db, deploymentId: string) =>
  trx
    .updateTable('deployment')
    .set((eb) => ({
      due_ms: eb.selectFrom('deployment_service').select(({ fn }) => fn.min('due_ms').as('due'))
        .where('deployment_id', '=', deploymentId).where('ended_at', 'is', null),
    }))
    .where('id', '=', deploymentId)
    .where('ended_at', 'is', null)
    .execute();

/** Advances all due services of a deployment by one step, in one transaction. */
async function advanceDueServices(context: EngineContext, deployment: DeploymentRow, now: number): Promise<void> {
  const services = await servicesOf(context.db, deployment.id);
  const due = services.filter((service) => service.ended_at === null && service.due_ms !== null && service.due_ms <= now);
  // This calls the runtime, which must not happen within a transaction.
  const writes = await Promise.all(due.map((service) => nextStep(context, deployment, service)));
  await context.db.write(async (trx) => {
    for (const write of writes) await write(trx);
    await updateEnvironmentState(trx, deployment.environment_id);
    await updateDueTime(trx, deployment.id);
  });
}

/**
 * Advances a deployment until nothing of it is due. Starts over if something else, such as a cancel, changes it meanwhile.
 * @param owner the worker that holds the deployment. Returns when it no longer does
 */
export async function advanceDeployment(context: EngineContext, deploymentId: string, owner: string): Promise<void> {
  for (;;) {
    const now = context.clock.now();
    const deployment = await context.db
      .selectFrom('deployment').selectAll().where('id', '=', deploymentId).where('owner', '=', owner).where('due_ms', '<=', now).executeTakeFirst();
    if (deployment === undefined) return;
    try {
      if (deployment.status === 'QUEUED' && deployment.canceling === 0) await beginDeployment(context, deployment);
      else await advanceDueServices(context, deployment, now);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    }
  }
}

/** The queue of deployments. A worker claims a due deployment and holds it until it ends. */
export function deploymentQueue(context: EngineContext): WorkQueue {
  const { db, clock } = context;

  const free = (limit: number) =>
    db.selectFrom('deployment').select('id').where('due_ms', '<=', clock.now()).where('owner', 'is', null).orderBy('due_ms').orderBy('seq').limit(limit);

  const claim = (lease: Lease, limit: number) =>
    db.write(async (trx) => {
      await lease.renew(trx);
      await trx
        .updateTable('deployment').set({ owner: lease.owner })
        .where('owner', 'is', null)
        .where('id', 'in', trx.selectFrom(free(limit).as('free')).select('id'))
        .execute();
    });

  return {
    name: 'deployments',
    concurrency: 16,
    claimDue: async (lease, inProgress, limit) => {
      if ((await free(1).execute()).length > 0) await claim(lease, limit);
      const due = await db
        .selectFrom('deployment').select('id')
        .where('owner', '=', lease.owner).where('due_ms', '<=', clock.now())
        .$if(inProgress.length > 0, (query) => query.where('id', 'not in', [...inProgress]))
        .orderBy('due_ms').limit(limit).execute();
      return due.map((row) => row.id);
    },
    run: (id, lease) => advanceDeployment(context, id, lease.owner),
    nextDue: async (lease, inProgress) => {
      const next = await db
        .selectFrom('deployment').select('due_ms')
        .where('due_ms', 'is not', null)
        .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', lease.owner)]))
        .$if(inProgress.length > 0, (query) => query.where('id', 'not in', [...inProgress]))
        .orderBy('due_ms').limit(1).executeTakeFirst();
      return next?.due_ms ?? null;
    },
    hasClaims: async (lease) => (await db.selectFrom('deployment').select('id').where('owner', '=', lease.owner).limit(1).execute()).length > 0,
  };
}
