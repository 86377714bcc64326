import type { StepName } from '../../../../contract/resources/deployment.ts';

/** Members of a rule that say when it strikes or what it does, beyond those every rule has. */
type RuleMember = 'operation' | 'latency_ms' | 'retry_after_seconds' | 'service' | 'kind' | 'environment' | 'step' | 'cluster';

/** What one kind of fault strikes and which members its rules may have. */
interface EffectShape {
  readonly strikes: 'request' | 'step' | 'upgrade';
  readonly takes: readonly RuleMember[];
  /** Steps it can happen at; any where left out. */
  readonly steps?: readonly StepName[];
}

const ofRequest = { strikes: 'request', takes: ['operation', 'latency_ms'] } as const;
const ofStep = { strikes: 'step', takes: ['service', 'kind', 'environment', 'step'] } as const;

/** Every effect that a fault rule can have. */
export const effects = {
  /** The answer comes late. */
  latency: ofRequest,
  /** Refused as if all calls of the window were used. */
  status_429: { strikes: 'request', takes: [...ofRequest.takes, 'retry_after_seconds'] },
  /** Answered as when the platform itself fails. */
  status_500: ofRequest,
  /** The connection breaks before anything was done. */
  dropped_before: ofRequest,
  /** Everything was done, but the connection breaks before the answer. */
  dropped_after: ofRequest,
  build_error: { ...ofStep, steps: ['BUILD'] },
  failing_probe: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART'] },
  out_of_memory: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART', 'EXECUTING'] },
  crash_loop: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART'] },
  /** Any step, for no better reason than a failure of the infrastructure. */
  step_error: ofStep,
  /** A cluster's upgrade ends with the old version. */
  upgrade_error: { strikes: 'upgrade', takes: ['cluster'] },
} as const satisfies Readonly<Record<string, EffectShape>>;

export type Effect = keyof typeof effects;
export type RequestEffect = { [Name in Effect]: (typeof effects)[Name]['strikes'] extends 'request' ? Name : never }[Effect];
export type StepEffect = { [Name in Effect]: (typeof effects)[Name]['strikes'] extends 'step' ? Name : never }[Effect];

/** The same with every member that any of them may have. */
export const shapeOf = (effect: Effect): EffectShape => effects[effect];

/** Names of all effects. */
export const effectNames = Object.keys(effects) as [Effect, ...Effect[]];
