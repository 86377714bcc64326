import { condition, type Condition, type DataOf } from '../../contract/index.ts';
import { errorMessage } from '../common/index.ts';
import {
  conditionLine,
  conditionBehind,
  type Observation,
  type Runtime,
  RuntimeUnreachable,
  type Task,
  TaskRefused,
} from '../runtime/index.ts';
import { type Db, RecordsUnavailable } from '../store/index.ts';
import { type EngineContext, iso, blockedDueTime } from './context.ts';
import { deployablesOf } from './deployable.ts';
import { logFailure } from './failure-log.ts';
import { canceledOutcome, finishService, type ServiceOutcome } from './finish-service.ts';
import { minimumObservationMilliseconds, canceling, type StatePath, statePathOf } from './lifecycle.ts';
import {
  type DeploymentRow,
  type DeploymentServiceRow,
  isAside,
  isPlan,
  requireHeld,
  Superseded,
} from './deployment-rows.ts';
import { applyChange } from './service-changes.ts';
import { taskInputs, taskOf } from './tasks.ts';
import { lastPlanned } from './terraform-plans.ts';

/** One service of a deployment, as it was read. */
interface DeployingService {
  readonly deployment: DeploymentRow;
  readonly row: DeploymentServiceRow;
  readonly path: StatePath;
  /** The runtime of its cluster. */
  readonly runtime: Runtime;
  /** The runtime's record of the running version. */
  readonly runningRecord: string | null;
  /** Aborts when the worker stops. */
  readonly signal: AbortSignal;
}

/** Writes the result of a step, if the row still has the revision that was read. @throws Superseded otherwise */
export type Write = (trx: Db) => Promise<unknown>;

/** One step that the engine takes for a due service. */
interface ServiceStep {
  readonly name: string;
  readonly applies: (row: DeploymentServiceRow) => boolean;
  /** Calls the runtime, if needed, and returns what to write. Runs outside any transaction. */
  readonly prepare: (context: EngineContext, service: DeployingService) => Promise<Write>;
}

/** The position of the queueing step among a service's steps. The phases follow. */
const queueingPosition = 0;

const digestOf = async (
  context: EngineContext,
  trx: Db,
  { service_id: id, name }: DeploymentServiceRow,
  spec: string,
): Promise<string | null> => {
  const deployable = (await deployablesOf(context, trx, [id], { [id]: { name, spec } })).get(id);
  return deployable === undefined ? null : JSON.stringify(deployable);
};

/**
 * Enters the first phase. A deployment uses the current configuration, or that of the plan that it applies; any other
 * action, and a run of a job, uses the running one. A run with arguments of its own has its configuration already.
 */
const enterFirstPhase = async (context: EngineContext, trx: Db, { deployment, row, path }: DeployingService) => {
  const at = context.clock.now();
  const isNewVersion = deployment.action === 'DEPLOY' && (!isAside(deployment) || isPlan(deployment));
  const { spec, deployed_spec, deployed_commit, deployed_record } = await trx
    .selectFrom('service')
    .select(['spec', 'deployed_spec', 'deployed_commit', 'deployed_record'])
    .where('id', '=', row.service_id)
    .executeTakeFirstOrThrow();
  return applyChange(trx, deployment, row, {
    at,
    row: {
      state: path.phases[0].state,
      phase: 0,
      phase_began_ms: at,
      due_ms: at,
      started_at: iso(at),
      spec: row.spec ?? (isNewVersion ? spec : (deployed_spec ?? spec)),
      ...(isNewVersion && row.spec === null && { digest: await digestOf(context, trx, row, spec) }),
      ...(!isNewVersion &&
        row.spec === null &&
        (deployed_spec === null && row.kind === 'terraform'
          ? await lastPlanned(trx, row.service_id)
          : { commit: deployed_commit, record: deployed_record })),
    },
    step: {
      position: queueingPosition,
      step: 'DEPLOYMENT_QUEUEING',
      status: 'SUCCESS',
      beganAt: Date.parse(deployment.created_at),
    },
  });
};

/** When to observe an ongoing task next. A past or invalid time from the runtime must not keep the engine busy. */
const nextObservationAt = (requested: number, at: number): number => {
  const earliest = at + minimumObservationMilliseconds;
  return requested > earliest && requested < blockedDueTime ? requested : earliest;
};

/** Records an observation: the phase continues, the next one starts, or the service finishes. */
const recordObservation = async (
  context: EngineContext,
  trx: Db,
  { deployment, row, path }: DeployingService,
  observation: Observation,
): Promise<void> => {
  const at = context.clock.now();
  const phase = row.phase!;
  const { step, onFailure } = path.phases[phase]!;
  const log = { lines: observation.lines, lineStep: step };
  const commit = row.commit ?? (observation.commit ? JSON.stringify(observation.commit) : null);
  const record = observation.record ?? row.record;
  const ended = { position: phase + 1, step, beganAt: row.phase_began_ms! };
  if (observation.outcome === 'ongoing') {
    await applyChange(trx, deployment, row, {
      at,
      row: { cursor: observation.cursor, due_ms: nextObservationAt(observation.nextPollAt, at), commit, record },
      ...log,
    });
    return;
  }
  if (observation.outcome === 'failed') {
    const outcome: ServiceOutcome = {
      at,
      state: onFailure,
      succeeded: false,
      why: observation.why,
      step: { ...ended, status: 'ERROR' },
      ...log,
    };
    await finishService(context, trx, deployment, { ...row, commit, record }, outcome);
    return;
  }
  const next = path.phases[phase + 1];
  if (next === undefined) {
    await finishService(
      context,
      trx,
      deployment,
      { ...row, commit, record },
      {
        at,
        state: path.end,
        succeeded: true,
        why: null,
        step: { ...ended, status: 'SUCCESS' },
        ...log,
        ...(observation.left && { left: observation.left }),
      },
    );
    return;
  }
  await applyChange(trx, deployment, row, {
    at,
    row: { state: next.state, phase: phase + 1, phase_began_ms: at, due_ms: at, cursor: null, commit, record },
    step: { ...ended, status: 'SUCCESS' },
    ...log,
  });
};

/** Ends an overdue task, and undoes what it started. */
const overdue = async (
  context: EngineContext,
  service: DeployingService,
  task: Task,
  observation: Observation,
): Promise<Observation> => {
  const left = await dropTask(context, service, task);
  const why = condition('STEP_OVERDUE', { step: task.phase.step, seconds: task.phase.limitSeconds });
  const lines = [why, ...(left ? [left] : [])].map((each) =>
    conditionLine(each, { at: context.clock.now(), pod: 'platform', version: '' }),
  );
  return { outcome: 'failed', lines: [...observation.lines, ...lines], cursor: observation.cursor, why };
};

/** How long to wait before retrying a task whose runtime is unreachable, in milliseconds. */
const unreachableMilliseconds = 2000;

/** Why a runtime failed: as a condition if the error has one, else as the error's message. */
function failedBy(error: unknown): Pick<DataOf<'RUNTIME_FAILED'>, 'cause' | 'said'> {
  const cause = conditionBehind(error);
  return cause ? { cause } : { said: errorMessage(error) };
}

/** Fails a phase for a reason other than an observation. @param pod the source of the log line */
const failedFor = (
  context: EngineContext,
  why: Condition,
  pod: 'platform' | 'runtime',
  cursor: string | null,
): Observation => ({
  outcome: 'failed',
  lines: [conditionLine(why, { at: context.clock.now(), pod, version: '' })],
  cursor: cursor ?? '',
  why,
});

/**
 * Observes a task, after starting it the first time. A task that the runtime refuses fails the phase; so does an error
 * of the runtime itself, so that the deployment doesn't hang.
 * @returns undefined if the runtime is unreachable: the task is unchanged
 */
const observe = async (
  context: EngineContext,
  service: DeployingService,
  task: Task,
): Promise<Observation | undefined> => {
  const {
    runtime,
    row: { cursor },
    signal,
  } = service;
  try {
    const call = {
      inputs: () => taskInputs(context, task.service),
      confirm: () => requireHeld(context.db, service.deployment),
      signal,
    };
    if (cursor === null) await runtime.begin(task, call);
    const observation = await runtime.observe(task, cursor, call);
    return observation.outcome === 'ongoing' && context.clock.now() > task.deadline
      ? await overdue(context, service, task, observation)
      : observation;
  } catch (error) {
    // A worker that stops leaves the phase as it is: the next one continues it. A failed read or query is repeated
    // later.
    if (signal.aborted || error instanceof Superseded || error instanceof RecordsUnavailable) throw error;
    if (error instanceof RuntimeUnreachable && context.clock.now() <= task.deadline) return undefined;
    if (error instanceof TaskRefused) return failedFor(context, error.condition, 'platform', cursor);
    logFailure(
      context.log,
      error,
      { deployment_id: task.deploymentId, service_id: task.service.id, step: task.phase.step },
      'the runtime failed',
    );
    return failedFor(
      context,
      condition('RUNTIME_FAILED', { step: task.phase.step, ...failedBy(error) }),
      'runtime',
      cursor,
    );
  }
};

/** Ends what a task started. @returns why that failed; undefined if it succeeded */
const dropTask = async (
  context: EngineContext,
  { runtime, signal }: DeployingService,
  task: Task,
): Promise<Condition | undefined> => {
  try {
    await runtime.abandon(task, signal);
    return undefined;
  } catch (error) {
    logFailure(
      context.log,
      error,
      { deployment_id: task.deploymentId, service_id: task.service.id },
      'the runtime could not drop a canceled task',
    );
    return condition('MAY_GO_ON', failedBy(error));
  }
};

const taskOfService = (context: EngineContext, { deployment, row, path, runningRecord }: DeployingService): Task =>
  taskOf(context, deployment, row, path, runningRecord);

const endCanceled: ServiceStep['prepare'] = async (context, service) => {
  const { deployment, row } = service;
  const task = taskOfService(context, service);
  const hasBegun = row.phase !== null;
  const left = hasBegun ? await dropTask(context, service, task) : undefined;
  const at = context.clock.now();
  const step = {
    position: (row.phase ?? 0) + 1,
    step: task.phase.step,
    status: 'CANCELED',
    beganAt: task.beganAt,
  } as const;
  const canceled = canceledOutcome(at, condition('CANCELED', {}));
  const lines = [
    ...(canceled.lines ?? []),
    ...(left ? [conditionLine(left, { at, pod: 'platform', version: '' })] : []),
  ];
  const outcome = { ...canceled, lines, ...(hasBegun && { step }) };
  return (trx) => finishService(context, trx, deployment, row, outcome);
};

const observeAndRecord: ServiceStep['prepare'] = async (context, service) => {
  const observation = await observe(context, service, taskOfService(context, service));
  if (observation === undefined) {
    const at = context.clock.now();
    return (trx) =>
      applyChange(trx, service.deployment, service.row, { at, row: { due_ms: at + unreachableMilliseconds } });
  }
  return (trx) => recordObservation(context, trx, service, observation);
};

/** The steps for an unfinished service. The engine takes the first that applies. */
export const serviceSteps = [
  { name: 'end canceled', applies: (row) => row.state === canceling.state, prepare: endCanceled },
  {
    name: 'enter first phase',
    applies: (row) => row.phase === null,
    prepare: async (context, service) => (trx) => enterFirstPhase(context, trx, service),
  },
  { name: 'observe', applies: () => true, prepare: observeAndRecord },
] as const satisfies readonly ServiceStep[];

/**
 * The parts that a step needs besides the service: its runtime, the record of its running version, and the worker's
 * signal.
 */
export type StepSurroundings = Pick<DeployingService, 'runtime' | 'runningRecord' | 'signal'>;

/** Prepares the next step of a service. Returns the write that completes it. */
export const nextStep = (
  context: EngineContext,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  surroundings: StepSurroundings,
): Promise<Write> =>
  serviceSteps
    .find(({ applies }) => applies(row))!
    .prepare(context, { deployment, row, path: statePathOf(row.kind, deployment.action), ...surroundings });
