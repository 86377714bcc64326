import type { StepName } from '../../../contract/resources/deployment.ts';
import type { PlatformClock } from '../../clock.ts';
import { secondsBetween, seededRandom } from '../../random.ts';
import { buildPod, type RuntimeLogLine, type Observation, type Runtime, type Task } from '../runtime.ts';
import { simulateBuild, simulateClone, simulateMirroring } from './build.ts';
import { simulateConfigurationFailure } from './rollout-failures.ts';
import { findCommit } from './commits.ts';
import { simulateDatabase, simulateHelm, simulateJob, simulateTerraform } from './service-kinds.ts';
import { instanceName, versionOf } from './instances.ts';
import { simulateRestart, simulateRollout, simulateRouting, simulateStop } from './rollout.ts';
import type { PhaseContext, PhaseResult } from './phase-context.ts';
import { simulateFailure, simulateSuccess, withReadyTime } from './results-from-facts.ts';
import { runningLogs } from './running-logs.ts';
import { findFailureCause, type FailureCause } from './failure-cause.ts';
import type { SimulationContext } from './simulation-context.ts';

/** What is kept with a phase between two looks at it: how many lines were said, and what was found in its way when it began. */
export interface PhaseProgress {
  readonly reportedLines: number;
  readonly cause?: FailureCause;
}

/** A memory as a cursor. */
export const toCursor = ({ reportedLines: said, cause }: PhaseProgress): string => (cause ? `${said} ${JSON.stringify(cause)}` : String(said));

/** The memory that a cursor holds; undefined for a phase that nobody has looked at yet. */
export function fromCursor(cursor: string | null): PhaseProgress | undefined {
  if (cursor === null) return undefined;
  const [, said, cause] = /^(\d+)(?: (.*))?$/s.exec(cursor) ?? [];
  return { reportedLines: Number(said ?? 0), ...(cause !== undefined && { cause: JSON.parse(cause) as FailureCause }) };
}

/** Makes a phase go otherwise than it would by itself; undefined leaves it alone. */
export type Fault = (context: PhaseContext) => PhaseResult | undefined;

export interface SimulationOptions {
  readonly clock: PlatformClock;
  /** Multiplies how long things take. */
  readonly timeScale: number;
  /** How far apart the bundles are in which lines come, in milliseconds; default a second. Infinity: with the end of each phase. */
  readonly linesEvery?: number;
  /** What is known of the world around services; without it, only a service's own configuration can be wrong. */
  readonly simulation?: SimulationContext;
  /** What is made to go wrong beside what the configuration itself gets wrong. */
  readonly faults?: Fault;
}

const rollouts: Partial<Record<Task['service']['kind'], (context: PhaseContext) => PhaseResult>> = { database: simulateDatabase, helm: simulateHelm };
const executions: Partial<Record<Task['service']['kind'], (context: PhaseContext) => PhaseResult>> = { job: simulateJob, terraform: simulateTerraform };

const simulateDeployment = (context: PhaseContext): PhaseResult => (rollouts[context.task.service.kind] ?? ((each) => simulateConfigurationFailure(each) ?? simulateRollout(each)))(context);
const withoutOutput = ({ seconds }: PhaseContext): PhaseResult => ({ seconds, lines: [] });

const stepSimulations: Readonly<Record<StepName, (context: PhaseContext) => PhaseResult>> = {
  REGISTRY_CREATE_REPOSITORY: withoutOutput,
  GIT_CLONE: simulateClone,
  BUILD: simulateBuild,
  MIRROR_IMAGE: simulateMirroring,
  DEPLOYMENT_QUEUEING: withoutOutput,
  DEPLOYMENT: simulateDeployment,
  ROUTER_DEPLOYMENT: simulateRouting,
  EXECUTING: (context) => (executions[context.task.service.kind] ?? withoutOutput)(context),
  RESTART: (context) => simulateConfigurationFailure(context) ?? simulateRestart(context),
  STOP: simulateStop,
};

const phaseContextOf = async (task: Task, simulation: SimulationContext | undefined): Promise<PhaseContext> => {
  const { service, phase, deploymentId } = task;
  const seed = `${deploymentId}/${service.id}/${phase.step}`;
  const commit = await findCommit(service, task.commitId, task.beganAt, simulation);
  const version = versionOf(service, commit?.git_commit_id);
  const context = {
    task,
    random: seededRandom(seed),
    pod: phase.runtimeMethod === 'prepare' ? buildPod(deploymentId) : instanceName(service, version, deploymentId),
    version,
    ...(commit && { commit }),
    seconds: secondsBetween(phase.takes, seed),
  };
  return simulation ? withReadyTime(context, simulation.facts) : context;
};

/** Lines spread over the time a script takes, each at its moment. */
const withTimestamps = ({ pod, version, task }: PhaseContext, result: PhaseResult, milliseconds: number): RuntimeLogLine[] =>
  result.lines.map((message, index) => ({
    at: Math.round(task.beganAt + (milliseconds * (index + 1)) / (result.lines.length + 1)), message, pod, version,
  }));

/** How a task fares at a moment. */
const observe = (context: PhaseContext, result: PhaseResult, { reportedLines: said, cause }: PhaseProgress, { clock, timeScale, linesEvery = 1000 }: SimulationOptions): Observation => {
  const now = clock.now();
  const milliseconds = result.seconds * 1000 * timeScale;
  const endsAt = context.task.beganAt + milliseconds;
  const all = withTimestamps(context, result, milliseconds);
  const ended = now >= endsAt;
  const until = ended ? all.length : all.filter((line) => line.at <= now).length;
  const seen = { lines: all.slice(said, until), cursor: toCursor({ reportedLines: Math.max(said, until), ...(cause && { cause }) }), ...(context.commit && { commit: context.commit }) };
  if (!ended) return { ...seen, outcome: 'ongoing', nextPollAt: Math.ceil(Math.min(endsAt, Math.max(all[until]?.at ?? endsAt, now + linesEvery))) };
  return result.failure === undefined ? { ...seen, outcome: 'succeeded' } : { ...seen, outcome: 'failed', reason: result.failure };
};

const noop = async (): Promise<void> => undefined;

/** What stands in the way is looked for once, when a phase begins: what changes around it later is for the next. */
const loadProgress = async (context: PhaseContext, cursor: string | null, simulation: SimulationContext | undefined): Promise<PhaseProgress> => {
  const memory = fromCursor(cursor);
  if (memory) return memory;
  const cause = simulation && (await findFailureCause(context, simulation));
  return { reportedLines: 0, ...(cause && { cause }) };
};

/**
 * A runtime that runs nothing. It tells what a real one would, from the service's configuration, the deployment's id and
 * what is around the service when a phase begins: reading on after a crash needs nothing but the cursor.
 */
export function createSimulatedRuntime(options: SimulationOptions): Runtime {
  const { clock, faults, simulation } = options;
  return {
    prepare: noop,
    start: noop,
    stop: noop,
    observe: async (task, cursor) => {
      const context = await phaseContextOf(task, simulation);
      const memory = await loadProgress(context, cursor, simulation);
      const natural = simulation && (memory.cause ? simulateFailure(context, memory.cause, simulation.facts) : simulateSuccess(context, simulation.facts));
      const result = faults?.(context) ?? natural ?? stepSimulations[task.phase.step](context);
      return observe(context, result, memory, options);
    },
    logs: async (version, limit) => runningLogs(version, clock.now(), limit),
  };
}
