import type { Db } from '../store/database.ts';
import { duration, type EngineContext, iso } from './context.ts';
import { pathOf, queueing } from './lifecycle.ts';
import { type DeploymentRow, servicesOf } from './rows.ts';
import { nextStep } from './service-steps.ts';
import { apply, showAggregate, Superseded } from './transition.ts';

/** The head of the queue begins: its first stage is queued a moment longer, the others wait for it. */
const begin = (context: EngineContext, deployment: DeploymentRow): Promise<void> =>
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
        : { state: pathOf(service.kind, deployment.action).waiting };
      await apply(trx, deployment, service, { at, row });
    }
    await showAggregate(trx, deployment.environment_id);
    await setDue(trx, deployment.id);
  });

/** Keeps the deployment's due time the earliest of its services'. */
const setDue = (trx: Db, deploymentId: string) =>
  trx
    .updateTable('deployment')
    .set((eb) => ({
      due_ms: eb.selectFrom('deployment_service').select(({ fn }) => fn.min('due_ms').as('due'))
        .where('deployment_id', '=', deploymentId).where('ended_at', 'is', null),
    }))
    .where('id', '=', deploymentId)
    .where('ended_at', 'is', null)
    .execute();

/** Takes the services of a deployment that are due one step further, all in one transaction. */
async function advance(context: EngineContext, deployment: DeploymentRow, now: number): Promise<void> {
  const services = await servicesOf(context.db, deployment.id);
  const due = services.filter((service) => service.ended_at === null && service.due_ms !== null && service.due_ms <= now);
  // The runtime is asked here, before the transaction, never within it.
  const writes = await Promise.all(due.map((service) => nextStep(context, deployment, service)));
  await context.db.write(async (trx) => {
    for (const write of writes) await write(trx);
    await showAggregate(trx, deployment.environment_id);
    await setDue(trx, deployment.id);
  });
}

/**
 * Takes a deployment as far as it goes now. Another hand in between (a cancel) makes it look again.
 * @param owner the worker that holds the deployment; it stops where that one no longer does
 */
export async function drive(context: EngineContext, deploymentId: string, owner: string): Promise<void> {
  for (;;) {
    const now = context.clock.now();
    const deployment = await context.db
      .selectFrom('deployment').selectAll().where('id', '=', deploymentId).where('owner', '=', owner).where('due_ms', '<=', now).executeTakeFirst();
    if (deployment === undefined) return;
    try {
      if (deployment.status === 'QUEUED' && deployment.canceling === 0) await begin(context, deployment);
      else await advance(context, deployment, now);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    }
  }
}
