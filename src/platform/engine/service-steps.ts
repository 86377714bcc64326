import type { Observation, ServiceToRun, Task } from '../runtime/index.ts';
import type { Db } from '../store/index.ts';
import type { DeployedCommit } from '../common/index.ts';
import { type EngineContext, iso, blockedDueTime } from './context.ts';
import { canceledOutcome, finishService, type ServiceOutcome } from './finish-service.ts';
import { minimumObservationMilliseconds, canceling, type StatePath, statePathOf } from './lifecycle.ts';
import { type DeploymentRow, type DeploymentServiceRow, isScheduledRun } from './deployment-rows.ts';
import { applyChange } from './service-changes.ts';

/** One service of a deployment, as it was read. */
interface DeployingService {
  readonly deployment: DeploymentRow;
  readonly row: DeploymentServiceRow;
  readonly path: StatePath;
}

/** Writes the result of a step, if the row still has the revision that was read. @throws Superseded otherwise */
export type Write = (trx: Db) => Promise<unknown>;

/** One step that the engine takes for a service that is due. */
interface ServiceStep {
  readonly name: string;
  readonly applies: (row: DeploymentServiceRow) => boolean;
  /** Calls the runtime, if needed, and returns what to write. Runs outside any transaction. */
  readonly prepare: (context: EngineContext, service: DeployingService) => Promise<Write>;
}

/** The position of the queueing step among a service's steps. The phases follow. */
const queueingPosition = 0;

const serviceToRun = (row: DeploymentServiceRow, environmentId: string): ServiceToRun => ({
  id: row.service_id, name: row.name, environmentId, kind: row.kind, spec: JSON.parse(row.spec ?? '{}'),
});

/** The commit that an earlier phase found, or the requested one. */
const commitIdOf = (row: DeploymentServiceRow): { commitId?: string } => {
  const commitId = row.commit === null ? row.requested_commit : (JSON.parse(row.commit) as DeployedCommit).git_commit_id;
  return commitId === null ? {} : { commitId };
};

const taskOf = ({ deployment, row, path }: DeployingService): Task => ({
  deploymentId: deployment.id,
  action: deployment.action,
  phase: path.phases[row.phase ?? 0]!,
  service: serviceToRun(row, deployment.environment_id),
  ...commitIdOf(row),
  beganAt: row.phase_began_ms ?? 0,
});

/** Enters the first phase. A deployment takes the current configuration; any other action takes the running one. */
const enterFirstPhase = async (context: EngineContext, trx: Db, { deployment, row, path }: DeployingService) => {
  const at = context.clock.now();
  const { spec, deployed_spec, deployed_commit } = await trx.selectFrom('service').select(['spec', 'deployed_spec', 'deployed_commit']).where('id', '=', row.service_id).executeTakeFirstOrThrow();
  return applyChange(trx, deployment, row, {
    at,
    row: {
      state: path.phases[0].state, phase: 0, phase_began_ms: at, due_ms: at, started_at: iso(at),
      spec: deployment.action === 'DEPLOY' && !isScheduledRun(deployment) ? spec : (deployed_spec ?? spec),
      ...(deployment.action !== 'DEPLOY' && { commit: deployed_commit }),
    },
    step: { position: queueingPosition, step: 'DEPLOYMENT_QUEUEING', status: 'SUCCESS', beganAt: Date.parse(deployment.created_at) },
  });
};

/** When to observe an ongoing task next. A past or invalid time from the runtime must not keep the engine busy. */
const nextObservationAt = (requested: number, at: number): number => {
  const earliest = at + minimumObservationMilliseconds;
  return requested > earliest && requested < blockedDueTime ? requested : earliest;
};

/** Records an observation: the phase continues, the next one begins, or the service ends. */
const recordObservation = async (context: EngineContext, trx: Db, { deployment, row, path }: DeployingService, observation: Observation): Promise<void> => {
  const at = context.clock.now();
  const phase = row.phase!;
  const { step, onFailure } = path.phases[phase]!;
  const log = { lines: observation.lines, lineStep: step };
  const commit = row.commit ?? (observation.commit ? JSON.stringify(observation.commit) : null);
  const ended = { position: phase + 1, step, beganAt: row.phase_began_ms! };
  if (observation.outcome === 'ongoing') {
    await applyChange(trx, deployment, row, { at, row: { cursor: observation.cursor, due_ms: nextObservationAt(observation.nextPollAt, at), commit }, ...log });
    return;
  }
  if (observation.outcome === 'failed') {
    const outcome: ServiceOutcome = { at, state: onFailure, succeeded: false, reason: observation.reason, step: { ...ended, status: 'ERROR' }, ...log };
    await finishService(context, trx, deployment, { ...row, commit }, outcome);
    return;
  }
  const next = path.phases[phase + 1];
  if (next === undefined) {
    await finishService(context, trx, deployment, { ...row, commit }, { at, state: path.end, succeeded: true, reason: null, step: { ...ended, status: 'SUCCESS' }, ...log });
    return;
  }
  await applyChange(trx, deployment, row, {
    at,
    row: { state: next.state, phase: phase + 1, phase_began_ms: at, due_ms: at, cursor: null, commit },
    step: { ...ended, status: 'SUCCESS' },
    ...log,
  });
};

/** Observes a task, after starting it the first time. An error of the runtime itself fails the phase, so that the deployment doesn't hang. */
const observe = async (context: EngineContext, task: Task, cursor: string | null): Promise<Observation> => {
  try {
    if (cursor === null) await context.runtime[task.phase.runtimeMethod](task);
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

const endCanceled: ServiceStep['prepare'] = async (context, service) => {
  const { deployment, row } = service;
  const task = taskOf(service);
  const hasBegun = row.phase !== null;
  if (hasBegun) await dropTask(context, task);
  const step = { position: (row.phase ?? 0) + 1, step: task.phase.step, status: 'CANCELED', beganAt: task.beganAt } as const;
  const outcome = { ...canceledOutcome(context.clock.now(), 'Canceled on request.'), ...(hasBegun && { step }) };
  return (trx) => finishService(context, trx, deployment, row, outcome);
};

const observeAndRecord: ServiceStep['prepare'] = async (context, service) => {
  const observation = await observe(context, taskOf(service), service.row.cursor);
  return (trx) => recordObservation(context, trx, service, observation);
};

/** The steps for a service that has not ended. The engine takes the first that applies. */
export const serviceSteps = [
  { name: 'end canceled', applies: (row) => row.state === canceling.state, prepare: endCanceled },
  { name: 'enter first phase', applies: (row) => row.phase === null, prepare: async (context, service) => (trx) => enterFirstPhase(context, trx, service) },
  { name: 'observe', applies: () => true, prepare: observeAndRecord },
] as const satisfies readonly ServiceStep[];

/** Prepares the next step of a service. Returns the write that completes it. */
export const nextStep = (context: EngineContext, deployment: DeploymentRow, row: DeploymentServiceRow): Promise<Write> =>
  serviceSteps.find(({ applies }) => applies(row))!.prepare(context, { deployment, row, path: statePathOf(row.kind, deployment.action) });
