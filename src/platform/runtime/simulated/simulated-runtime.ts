import { simulatedAddresses, simulatedDomain } from './addresses.ts';
import { condition, type StepName, type ServiceKind } from '../../../contract/index.ts';
import { secondsBetween, seededRandom, type PlatformClock, type SecondsRange } from '../../common/index.ts';
import {
  buildPod,
  type AlertCondition,
  type ClusterUpgrade,
  type Observation,
  type PlannedChanges,
  type Runtime,
  type RuntimeLogLine,
  type RuntimeOperation,
  type Task,
  type Pause,
  onlyPostgres,
  type BackupTask,
  type DatabaseBackups,
} from '../index.ts';
import { simulateBuild, simulateClone, simulateMirroring } from './build.ts';
import { simulateConfigurationFailure } from './rollout-failures.ts';
import { findCommit, listCommits } from './commits.ts';
import { simulateDatabase, simulatedPlan, simulateHelm, simulateJob, simulateTerraform } from './service-kinds.ts';
import { instanceName, instancesOf, instanceVersion } from './instances.ts';
import { simulateRestart, simulateRollout, simulateRouting, simulateStop } from './rollout.ts';
import type { PhaseContext, PhaseResult } from './phase-context.ts';
import { simulateFailure, simulateSuccess, withReadyTime } from './results-from-facts.ts';
import { createRunningLogs } from './running-logs.ts';
import { findFailureCause, type FailureCause } from './failure-cause.ts';
import type { SimulationContext } from './simulation-context.ts';

/** How long a backup takes, in seconds. */
const takes = [4, 9] as const;

/** The only machine of the simulation. */
const node = 'simulated';

const megabyte = 1_000_000;

/** By how much a backup is larger than the one before at most, as a factor. */
const mostGrowth = 1.02;

/**
 * The size of a backup, in bytes: a little more than the newest one of its database has, because databases grow. Records
 * of earlier versions of this runtime have no size.
 */
function sizeOf({ id, database, latestRecord = '{}' }: BackupTask): number {
  const before: unknown = (JSON.parse(latestRecord) as { readonly bytes?: unknown }).bytes;
  return Math.round(
    typeof before === 'number'
      ? before * secondsBetween([1, mostGrowth], `bytes/${id}`)
      : secondsBetween([1, 40], `bytes/${database.service.id}`) * megabyte,
  );
}

/** The record of a simulated backup. */
export const simulatedBackupRecord = (bytes: number): string => JSON.stringify({ bytes });

/** Backups without data: only their records exist, after the time that a backup would take. */
function simulatedBackups({
  clock,
  timeScale,
}: {
  readonly clock: PlatformClock;
  readonly timeScale: number;
}): DatabaseBackups {
  const endOf = ({ id, beganAt }: BackupTask): number =>
    beganAt + Math.round(secondsBetween(takes, `backup/${id}`) * 1000 * timeScale);
  return {
    refusalOf: onlyPostgres,
    observe: async (task) => {
      if (clock.now() < endOf(task)) return { outcome: 'ongoing', nextPollAt: endOf(task) };
      const bytes = sizeOf(task);
      return { outcome: 'succeeded', record: simulatedBackupRecord(bytes), node, bytes };
    },
    remove: async () => ({ outcome: 'succeeded' }),
    plan: async ({ service }) => ({ node, to: { node, place: '' }, oldVolume: `volume-${service.id.slice(0, 8)}` }),
  };
}

const steps: Readonly<Record<StepName, SecondsRange>> = {
  REGISTRY_CREATE_REPOSITORY: [0, 0],
  GIT_CLONE: [1, 2],
  BUILD: [5, 12],
  MIRROR_IMAGE: [1, 3],
  DEPLOYMENT_QUEUEING: [0, 0],
  DEPLOYMENT: [4, 8],
  ROUTER_DEPLOYMENT: [1, 2],
  EXECUTING: [3, 8],
  RESTART: [3, 6],
  STOP: [2, 5],
};

/** The kinds of service whose duration of a step differs. */
const exceptions: Partial<Record<ServiceKind, Partial<Record<StepName, SecondsRange>>>> = {
  database: { DEPLOYMENT: [6, 12] },
  helm: { DEPLOYMENT: [4, 10] },
  terraform: { EXECUTING: [8, 15] },
};

/** How long a step takes for a kind of service. */
export const simulatedDuration = (kind: ServiceKind, step: StepName): SecondsRange =>
  exceptions[kind]?.[step] ?? steps[step];

/** How long the platform pauses, in seconds. */
export const simulatedPauses = {
  queueing: [0.5, 1.5],
  canceling: [0.5, 1.5],
  upgradeQueueing: [1, 2],
  upgrading: [15, 30],
} as const satisfies Readonly<Record<Pause, SecondsRange>>;

/** The length of one pause under a time scale, in milliseconds. */
const simulatedPause = (pause: Pause, seed: string, timeScale: number): number =>
  Math.round(secondsBetween(simulatedPauses[pause], seed) * 1000 * timeScale);

/** The progress of a phase between two observations: how many lines were reported, and why it will fail. */
export interface PhaseProgress {
  readonly reportedLines: number;
  readonly cause?: FailureCause;
}

/** Serializes the progress of a phase as a cursor. */
export const toCursor = ({ reportedLines, cause }: PhaseProgress): string =>
  cause ? `${reportedLines} ${JSON.stringify(cause)}` : String(reportedLines);

/** Parses a cursor; undefined for a phase that has not been observed yet. */
export function fromCursor(cursor: string | null): PhaseProgress | undefined {
  if (cursor === null) return undefined;
  const [, reportedLines, cause] = /^(\d+)(?: (.*))?$/s.exec(cursor) ?? [];
  return {
    reportedLines: Number(reportedLines ?? 0),
    ...(cause !== undefined && { cause: JSON.parse(cause) as FailureCause }),
  };
}

/** Overrides the result of a phase. Returns undefined to leave it as it is. */
export type Fault = (context: PhaseContext) => PhaseResult | undefined | Promise<PhaseResult | undefined>;

export interface SimulationOptions {
  readonly clock: PlatformClock;
  /** Multiplies all durations. */
  readonly timeScale: number;
  /**
   * The interval at which new lines are reported, in milliseconds; default: a second. Infinity reports all lines at the
   * end of a phase.
   */
  readonly linesEvery?: number;
  /** The facts about the environment. Without them, only a service's configuration can make a phase fail. */
  readonly simulation?: SimulationContext;
  /** Injects faults, in addition to failures caused by the configuration. */
  readonly faults?: Fault;
  /** Whether to fail an upgrade of a cluster; default: never. */
  readonly upgradeFails?: (upgrade: ClusterUpgrade) => Promise<boolean>;
}

const rollouts: Partial<Record<Task['service']['kind'], (context: PhaseContext) => PhaseResult>> = {
  database: simulateDatabase,
  helm: simulateHelm,
};
const executions: Partial<Record<Task['service']['kind'], (context: PhaseContext) => PhaseResult>> = {
  job: simulateJob,
  terraform: simulateTerraform,
};

const simulateDeployment = (context: PhaseContext): PhaseResult =>
  (rollouts[context.task.service.kind] ?? ((each) => simulateConfigurationFailure(each) ?? simulateRollout(each)))(
    context,
  );
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

const inBuildPod: readonly RuntimeOperation[] = ['fetchSource', 'build', 'pull'];

const phaseContextOf = async (task: Task, simulation: SimulationContext | undefined): Promise<PhaseContext> => {
  const { service, phase, deploymentId } = task;
  const seed = `${deploymentId}/${service.id}/${phase.step}`;
  const commit = await findCommit(service, task.commitId, task.beganAt, simulation);
  const version = instanceVersion(service, commit?.git_commit_id);
  const context = {
    task,
    random: seededRandom(seed),
    pod: inBuildPod.includes(phase.operation) ? buildPod(deploymentId) : instanceName(service, version, deploymentId),
    version,
    ...(commit && { commit }),
    seconds: secondsBetween(simulatedDuration(service.kind, phase.step), seed),
  };
  return simulation ? withReadyTime(context, simulation.facts) : context;
};

/** Spreads the lines of a result over its duration. */
const withTimestamps = (
  { pod, version, task }: PhaseContext,
  result: PhaseResult,
  milliseconds: number,
): RuntimeLogLine[] =>
  result.lines.map((message, index) => ({
    at: Math.round(task.beganAt + (milliseconds * (index + 1)) / (result.lines.length + 1)),
    message,
    pod,
    version,
    ...(result.condition && index === result.lines.length - 1 && { condition: result.condition }),
  }));

/** The observation of a phase at the current time. */
const observe = (
  context: PhaseContext,
  result: PhaseResult,
  { reportedLines, cause }: PhaseProgress,
  { clock, timeScale, linesEvery = 1000 }: SimulationOptions,
): Observation => {
  const now = clock.now();
  const milliseconds = result.seconds * 1000 * timeScale;
  const endsAt = context.task.beganAt + milliseconds;
  const all = withTimestamps(context, result, milliseconds);
  const ended = now >= endsAt;
  const until = ended ? all.length : all.filter((line) => line.at <= now).length;
  const progress = {
    lines: all.slice(reportedLines, until),
    cursor: toCursor({ reportedLines: Math.max(reportedLines, until), ...(cause && { cause }) }),
    ...(context.commit && { commit: context.commit }),
  };
  if (!ended)
    return {
      ...progress,
      outcome: 'ongoing',
      nextPollAt: Math.ceil(Math.min(endsAt, Math.max(all[until]?.at ?? endsAt, now + linesEvery))),
    };
  const record = context.task.isPlan && { record: JSON.stringify(simulatedPlan(result)) };
  return result.failure === undefined
    ? { ...progress, outcome: 'succeeded', ...record }
    : { ...progress, outcome: 'failed', why: result.condition ?? condition('PHASE_FAILED', { said: result.failure }) };
};

const noop = async (): Promise<void> => undefined;

/** The value of a constant expression, such as `1` or `vector(1)`. */
const constantOf = (promql: string): number | undefined => {
  const match = /^\s*(?:vector\(\s*)?(-?\d+(?:\.\d+)?)\s*\)?\s*$/.exec(promql);
  return match ? Number(match[1]) : undefined;
};

/**
 * The simulation has no metrics: a constant expression is its own value, and any other condition holds while a watched
 * service fails.
 */
const simulatedCondition = ({ promql, isMetBy, watchedServiceFails }: AlertCondition): boolean => {
  const constant = constantOf(promql);
  return constant === undefined ? watchedServiceFails : isMetBy(constant);
};

/**
 * Loads the progress of a phase. The failure cause is determined once, when the phase starts; later changes affect only
 * later phases.
 */
const loadProgress = async (
  context: PhaseContext,
  cursor: string | null,
  simulation: SimulationContext | undefined,
): Promise<PhaseProgress> => {
  const progress = fromCursor(cursor);
  if (progress) return progress;
  const cause = simulation && (await findFailureCause(context, simulation));
  return { reportedLines: 0, ...(cause && { cause }) };
};

/**
 * Creates a runtime that runs nothing. It reports what a real one would, derived from the service's configuration, the
 * deployment's id and the platform's state when a phase starts. To continue after a crash it needs only the cursor.
 */
export function createSimulatedRuntime(options: SimulationOptions): Runtime {
  const { clock, faults, simulation } = options;
  const runningLogs = createRunningLogs();
  return {
    refusalOf: () => undefined,
    begin: noop,
    abandon: noop,
    observe: async (task, cursor) => {
      const context = await phaseContextOf(task, simulation);
      const progress = await loadProgress(context, cursor, simulation);
      const fromFacts =
        simulation &&
        (progress.cause
          ? simulateFailure(context, progress.cause, simulation.facts)
          : simulateSuccess(context, simulation.facts));
      const result = (await faults?.(context)) ?? fromFacts ?? stepSimulations[task.phase.step](context);
      return observe(context, result, progress, options);
    },
    planOf: (record) => JSON.parse(record) as PlannedChanges,
    // Simulated instances never change.
    observeRunning: async (versions) =>
      versions.map(({ service }) => {
        const wanted = instancesOf(service);
        return { serviceId: service.id, wanted, running: wanted, ends: [], changes: [] };
      }),
    sweep: async () => ({ removed: [], left: [] }),
    // They are derived from when the version began to run.
    losesReplacedLogs: true,
    logs: async (version, limit) => runningLogs(version, clock.now(), limit),
    commits: (service, limit) => listCommits(service, limit, clock.now(), simulation),
    backups: simulatedBackups(options),
    addressesOf: simulatedAddresses,
    domain: simulatedDomain,
    upgradeFails: async (upgrade) => (await options.upgradeFails?.(upgrade)) ?? false,
    simulatedCondition,
    pauseBefore: (pause, seed) => simulatedPause(pause, seed, options.timeScale),
  };
}
