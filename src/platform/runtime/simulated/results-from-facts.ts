import { simulateBuildFailure, simulateUnknownCommit } from './build.ts';
import { branchOf } from './commits.ts';
import { simulateEviction, simulateDatabaseDown, simulateUnknownHost, simulateMemoryExhaustion, simulateOutdatedSchema, simulateMissingVariables, simulateProbeStatus, simulateProbeOnWrongPort, simulateSlowWarmUp, simulateMirrorFailure, simulatePullFailure } from './pod-failures.ts';
import { simulateChartTimeout, simulateUnknownChart, simulateStateLock, simulateTableLock, simulateMigration } from './service-kind-failures.ts';
import type { PhaseContext, PhaseResult } from './phase-context.ts';
import { chartOf, commitFactsOf, programOf, readinessProbeOf, releaseOf } from './fact-lookup.ts';
import type { FailureCause } from './failure-cause.ts';
import type { SimulationFacts } from './simulation-context.ts';

type FailureSimulations = { readonly [Kind in FailureCause['kind']]: (scene: PhaseContext, trouble: Extract<FailureCause, { kind: Kind }>, world: SimulationFacts) => PhaseResult };

const simulateFailedPull = (scene: PhaseContext, trouble: Extract<FailureCause, { reference: string }>): PhaseResult =>
  (scene.task.phase.step === 'MIRROR_IMAGE' ? simulateMirrorFailure : simulatePullFailure)(scene, trouble);

// The facts are there: without them there would be no trouble.
const failureSimulations: FailureSimulations = {
  'commit-unknown': (scene, { commit }) => simulateUnknownCommit(scene, commit),
  'build-fails': (scene, _, world) => simulateBuildFailure(scene, commitFactsOf(scene, world)!),
  'image-unknown': simulateFailedPull,
  'pull-denied': simulateFailedPull,
  'disk-full': simulateEviction,
  'variables-missing': (scene, { names }, world) => simulateMissingVariables(scene, programOf(scene, world)!, names),
  'memory-short': (scene, _, world) => simulateMemoryExhaustion(scene, programOf(scene, world)!),
  'host-unknown': (scene, { host }, world) => simulateUnknownHost(scene, programOf(scene, world)!, host),
  'database-down': (scene, { host, port }, world) => simulateDatabaseDown(scene, programOf(scene, world)!, host, port),
  'schema-behind': (scene, { has }, world) => simulateOutdatedSchema(scene, programOf(scene, world)!, has, programOf(scene, world)!.schema!.tag),
  'port-missed': (scene, { listens }, world) => simulateProbeOnWrongPort(scene, programOf(scene, world)!, readinessProbeOf(scene.task.service)!, listens),
  'probe-answered': (scene, { status }, world) => simulateProbeStatus(scene, programOf(scene, world)!, readinessProbeOf(scene.task.service)!, status),
  'warm-up-too-long': (scene, _, world) => simulateSlowWarmUp(scene, programOf(scene, world)!, readinessProbeOf(scene.task.service)!),
  'state-locked': (scene, { who, since }, world) => simulateStateLock(scene, world.repositories[branchOf(scene.task.service)!.url]!.state!.path, who, since),
  'table-locked': (scene, _, world) => simulateTableLock(scene, releaseOf(scene.task.service, world)!.migration!),
  'chart-unknown': simulateUnknownChart,
  'chart-too-slow': (scene, _, world) => simulateChartTimeout(scene, chartOf(scene.task.service, world)!),
};

/** What a phase says, and how it ends, with that trouble in its way. */
export const simulateFailure = (scene: PhaseContext, trouble: FailureCause, world: SimulationFacts): PhaseResult =>
  (failureSimulations[trouble.kind] as (scene: PhaseContext, trouble: FailureCause, world: SimulationFacts) => PhaseResult)(scene, trouble, world);

/** A scene that takes as long as what it brings needs to be ready. */
export function withReadyTime(scene: PhaseContext, world: SimulationFacts): PhaseContext {
  if (scene.task.phase.step !== 'DEPLOYMENT') return scene;
  const needs = chartOf(scene.task.service, world)?.readySeconds ?? programOf(scene, world)?.warmUp?.seconds ?? 0;
  return { ...scene, seconds: Math.max(scene.seconds, needs) };
}

/** What a phase says that goes well, where the world knows more of it than its configuration tells; undefined where it doesn't. */
export function simulateSuccess(scene: PhaseContext, world: SimulationFacts): PhaseResult | undefined {
  const migration = releaseOf(scene.task.service, world)?.migration;
  return scene.task.phase.step === 'EXECUTING' && migration ? simulateMigration(scene, migration) : undefined;
}
