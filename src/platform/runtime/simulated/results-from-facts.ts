import { simulateBuildFailure, simulateUnknownCommit } from './build.ts';
import { branchOf } from './commits.ts';
import {
  simulateEviction,
  simulateDatabaseDown,
  simulateUnknownHost,
  simulateMemoryExhaustion,
  simulateOutdatedSchema,
  simulateMissingVariables,
  simulateProbeStatus,
  simulateProbeOnWrongPort,
  simulateSlowWarmUp,
} from './pod-failures.ts';
import { simulateMirrorFailure, simulatePullFailure } from './pull-failures.ts';
import {
  simulateChartTimeout,
  simulateUnknownChart,
  simulateStateLock,
  simulateTableLock,
  simulateMigration,
} from './service-kind-failures.ts';
import type { PhaseContext, PhaseResult } from './phase-context.ts';
import { chartOf, commitFactsOf, programOf, readinessProbeOf, releaseOf } from './fact-lookup.ts';
import type { FailureCause } from './failure-cause.ts';
import type { SimulationFacts } from './simulation-context.ts';

type FailureSimulations = {
  readonly [Kind in FailureCause['kind']]: (
    context: PhaseContext,
    cause: Extract<FailureCause, { kind: Kind }>,
    facts: SimulationFacts,
  ) => PhaseResult;
};

const simulateFailedPull = (context: PhaseContext, cause: Extract<FailureCause, { reference: string }>): PhaseResult =>
  (context.task.phase.step === 'MIRROR_IMAGE' ? simulateMirrorFailure : simulatePullFailure)(context, cause);

// The facts exist, because each failure cause is derived from them.
const failureSimulations: FailureSimulations = {
  'commit-unknown': (context, { commit }) => simulateUnknownCommit(context, commit),
  'build-fails': (context, _, facts) => simulateBuildFailure(context, commitFactsOf(context, facts)!),
  'image-unknown': simulateFailedPull,
  'pull-denied': simulateFailedPull,
  'disk-full': simulateEviction,
  'variables-missing': (context, { names }, facts) =>
    simulateMissingVariables(context, programOf(context, facts)!, names),
  'memory-short': (context, _, facts) => simulateMemoryExhaustion(context, programOf(context, facts)!),
  'host-unknown': (context, { host }, facts) => simulateUnknownHost(context, programOf(context, facts)!, host),
  'database-down': (context, { host, port }, facts) =>
    simulateDatabaseDown(context, programOf(context, facts)!, host, port),
  'schema-behind': (context, { has }, facts) =>
    simulateOutdatedSchema(context, programOf(context, facts)!, has, programOf(context, facts)!.schema!.tag),
  'port-missed': (context, { listens }, facts) =>
    simulateProbeOnWrongPort(context, programOf(context, facts)!, readinessProbeOf(context.task.service)!, listens),
  'probe-answered': (context, { status }, facts) =>
    simulateProbeStatus(context, programOf(context, facts)!, readinessProbeOf(context.task.service)!, status),
  'warm-up-too-long': (context, _, facts) =>
    simulateSlowWarmUp(context, programOf(context, facts)!, readinessProbeOf(context.task.service)!),
  'state-locked': (context, { who, since }, facts) =>
    simulateStateLock(context, facts.repositories[branchOf(context.task.service)!.url]!.state!.path, who, since),
  'table-locked': (context, _, facts) => simulateTableLock(context, releaseOf(context.task.service, facts)!.migration!),
  'chart-unknown': simulateUnknownChart,
  'chart-too-slow': (context, _, facts) => simulateChartTimeout(context, chartOf(context.task.service, facts)!),
};

/** Simulates a phase that fails for a given cause. */
export const simulateFailure = (context: PhaseContext, cause: FailureCause, facts: SimulationFacts): PhaseResult =>
  (
    failureSimulations[cause.kind] as (
      context: PhaseContext,
      cause: FailureCause,
      facts: SimulationFacts,
    ) => PhaseResult
  )(context, cause, facts);

/** Extends the duration of a deployment to the time its program or chart needs to become ready. */
export function withReadyTime(context: PhaseContext, facts: SimulationFacts): PhaseContext {
  if (context.task.phase.step !== 'DEPLOYMENT') return context;
  const readySeconds =
    chartOf(context.task.service, facts)?.readySeconds ?? programOf(context, facts)?.warmUp?.seconds ?? 0;
  return { ...context, seconds: Math.max(context.seconds, readySeconds) };
}

/** Simulates a phase that succeeds, if the facts say more about it than its configuration; undefined otherwise. */
export function simulateSuccess(context: PhaseContext, facts: SimulationFacts): PhaseResult | undefined {
  const migration = releaseOf(context.task.service, facts)?.migration;
  return context.task.phase.step === 'EXECUTING' && migration ? simulateMigration(context, migration) : undefined;
}
