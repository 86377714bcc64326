/** A simulated runtime. */

export { between, colored, slug, type PhaseContext, type PhaseResult } from './phase-context.ts';
export { podOf, rolloutStartLines } from './rollout-failures.ts';
export {
  simulatedBackupRecord,
  simulatedDuration,
  simulatedPauses,
  createSimulatedRuntime,
  type Fault,
} from './simulated-runtime.ts';
export {
  referenceAgeDays,
  type PlatformState,
  type SimulationContext,
  type SimulationFacts,
} from './simulation-context.ts';
