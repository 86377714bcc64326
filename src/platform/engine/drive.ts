import type { Observation, ServiceToRun, Task } from '../runtime/runtime.ts';
import type { Db } from '../store/database.ts';
import type { DeployedCommit } from '../store/service-spec.ts';
import { duration, type EngineContext, iso, notYet } from './context.ts';
import { canceledOutcome, finish, type Outcome } from './finish.ts';
import { betweenObservations, canceling, type Path, pathOf, queueing } from './lifecycle.ts';
import { type DeploymentRow, type DeploymentServiceRow, isScheduledRun, servicesOf } from './rows.ts';
import { apply, showAggregate, Superseded } from './transition.ts';

/** Place of the queueing step among a service's steps; the phases follow. */
const queueingPosition = 0;

const serviceToRun = (row: DeploymentServiceRow, environmentId: string): ServiceToRun => ({
  id: row.service_id, name: row.name, environmentId, kind: row.kind, spec: JSON.parse(row.spec ?? '{}'),
});

/** The commit found by an earlier phase, or the one that was asked for. */
const commitIdOf = (row: DeploymentServiceRow): { commitId?: string } => {
  const commitId = row.commit === null ? row.requested_commit : (JSON.parse(row.commit) as DeployedCommit).git_commit_id;
  return commitId === null ? {} : { commitId };
};

const taskOf = (deployment: DeploymentRow, row: DeploymentServiceRow, path: Path): Task => ({
  deploymentId: deployment.id,
  action: deployment.action,
  phase: path.phases[row.phase ?? 0]!,
  service: serviceToRun(row, deployment.environment_id),
  ...commitIdOf(row),
  beganAt: row.phase_began_ms ?? 0,
});

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

/** Its turn has come: the configuration of this moment is what is deployed; what runs is what is restarted or stopped. */
const enterFirstPhase = async (context: EngineContext, trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, path: Path) => {
  const at = context.clock.now();
  const { spec, deployed_spec, deployed_commit } = await trx.selectFrom('service').select(['spec', 'deployed_spec', 'deployed_commit']).where('id', '=', row.service_id).executeTakeFirstOrThrow();
  return apply(trx, deployment, row, {
    at,
    row: {
      state: path.phases[0].state, phase: 0, phase_began_ms: at, due_ms: at, started_at: iso(at),
      spec: deployment.action === 'DEPLOY' && !isScheduledRun(deployment) ? spec : (deployed_spec ?? spec),
      ...(deployment.action !== 'DEPLOY' && { commit: deployed_commit }),
    },
    step: { position: queueingPosition, step: 'DEPLOYMENT_QUEUEING', status: 'SUCCESS', beganAt: Date.parse(deployment.created_at) },
  });
};

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

/** When an ongoing task is observed again: a runtime that says a moment that is past, or none at all, must not keep the engine busy. */
const lookAgainAt = (said: number, at: number): number => {
  const earliest = at + betweenObservations;
  return said > earliest && said < notYet ? said : earliest;
};

/** Writes what an observation says: more of the same, the next phase, or the end. */
const record = async (
  context: EngineContext, trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, path: Path, seen: Observation,
): Promise<void> => {
  const at = context.clock.now();
  const phase = row.phase!;
  const { step, onFailure } = path.phases[phase]!;
  const said = { lines: seen.lines, lineStep: step };
  const commit = row.commit ?? (seen.commit ? JSON.stringify(seen.commit) : null);
  const ended = { position: phase + 1, step, beganAt: row.phase_began_ms! };
  if (seen.outcome === 'ongoing') {
    await apply(trx, deployment, row, { at, row: { cursor: seen.cursor, due_ms: lookAgainAt(seen.lookAgainAt, at), commit }, ...said });
    return;
  }
  if (seen.outcome === 'failed') {
    const outcome: Outcome = { at, state: onFailure, good: false, reason: seen.reason, step: { ...ended, status: 'ERROR' }, ...said };
    await finish(context, trx, deployment, { ...row, commit }, outcome);
    return;
  }
  const next = path.phases[phase + 1];
  if (next === undefined) {
    await finish(context, trx, deployment, { ...row, commit }, { at, state: path.end, good: true, reason: null, step: { ...ended, status: 'SUCCESS' }, ...said });
    return;
  }
  await apply(trx, deployment, row, {
    at,
    row: { state: next.state, phase: phase + 1, phase_began_ms: at, due_ms: at, cursor: null, commit },
    step: { ...ended, status: 'SUCCESS' },
    ...said,
  });
};

/** A fault of the runtime itself ends the phase: a deployment must not hang on it. */
const observe = async (context: EngineContext, task: Task, cursor: string | null): Promise<Observation> => {
  try {
    if (cursor === null) await context.runtime[task.phase.work](task);
    return await context.runtime.observe(task, cursor);
  } catch (error) {
    context.log.error({ err: error, deployment_id: task.deploymentId, service_id: task.service.id, step: task.phase.step }, 'the runtime failed');
    const reason = `The runtime failed during ${task.phase.step}: ${error instanceof Error ? error.message : String(error)}`;
    const line = { at: context.clock.now(), message: reason, pod: 'runtime', version: '' };
    return { outcome: 'failed', lines: [line], cursor: cursor ?? '', reason };
  }
};

const dropTask = async (context: EngineContext, task: Task): Promise<void> => {
  try {
    await context.runtime.stop(task);
  } catch (error) {
    context.log.warn({ err: error, deployment_id: task.deploymentId, service_id: task.service.id }, 'the runtime could not drop a canceled task');
  }
};

/** What is to be written of one service. */
type Step = (trx: Db) => Promise<unknown>;

/** The next step of one service. The runtime is asked here, before the transaction, never inside it. */
async function nextStep(context: EngineContext, deployment: DeploymentRow, row: DeploymentServiceRow): Promise<Step> {
  const path = pathOf(row.kind, deployment.action);
  const task = taskOf(deployment, row, path);
  if (row.state === canceling.state) {
    if (row.phase !== null) await dropTask(context, task);
    const step = { position: (row.phase ?? 0) + 1, step: task.phase.step, status: 'CANCELED' as const, beganAt: task.beganAt };
    const outcome = canceledOutcome(context.clock.now(), 'Canceled on request.');
    return (trx) => finish(context, trx, deployment, row, row.phase === null ? outcome : { ...outcome, step });
  }
  if (row.phase === null) return (trx) => enterFirstPhase(context, trx, deployment, row, path);
  const seen = await observe(context, task, row.cursor);
  return (trx) => record(context, trx, deployment, row, path, seen);
}

/** Takes the services of a deployment that are due one step further, all in one transaction. */
async function advance(context: EngineContext, deployment: DeploymentRow, now: number): Promise<void> {
  const services = await servicesOf(context.db, deployment.id);
  const due = services.filter((service) => service.ended_at === null && service.due_ms !== null && service.due_ms <= now);
  const steps = await Promise.all(due.map((service) => nextStep(context, deployment, service)));
  await context.db.write(async (trx) => {
    for (const step of steps) await step(trx);
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
