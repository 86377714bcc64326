import type { StepName } from '../../../../contract/index.ts';

/** Rule members that only some effects allow: they narrow down a rule's targets or configure its effect. */
type RuleMember =
  | 'operation'
  | 'latency_ms'
  | 'retry_after_seconds'
  | 'service'
  | 'kind'
  | 'environment'
  | 'step'
  | 'cluster';

/** The target of an effect, and the members that its rules may have. */
interface EffectShape {
  readonly target: 'request' | 'step' | 'upgrade';
  readonly members: readonly RuleMember[];
  /** The steps that it can affect; default all. */
  readonly steps?: readonly StepName[];
}

const ofRequest = { target: 'request', members: ['operation', 'latency_ms'] } as const;
const ofStep = { target: 'step', members: ['service', 'kind', 'environment', 'step'] } as const;

/** Every effect that a fault rule can have. */
export const faultEffects = {
  /** Delays the response. */
  latency: ofRequest,
  /** Refuses the request as if the rate limit were used up. */
  status_429: { target: 'request', members: [...ofRequest.members, 'retry_after_seconds'] },
  /** Responds as if the platform had failed. */
  status_500: ofRequest,
  /** Closes the connection before the request is handled. */
  dropped_before: ofRequest,
  /** Handles the request, then closes the connection instead of responding. */
  dropped_after: ofRequest,
  build_error: { ...ofStep, steps: ['BUILD'] },
  failing_probe: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART'] },
  out_of_memory: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART', 'EXECUTING'] },
  crash_loop: { ...ofStep, steps: ['DEPLOYMENT', 'RESTART'] },
  /** Fails any step with a generic infrastructure failure. */
  step_error: ofStep,
  /** Fails a cluster's upgrade: the old version stays. */
  upgrade_error: { target: 'upgrade', members: ['cluster'] },
} as const satisfies Readonly<Record<string, EffectShape>>;

export type FaultEffect = keyof typeof faultEffects;
export type RequestEffect = {
  [Name in FaultEffect]: (typeof faultEffects)[Name]['target'] extends 'request' ? Name : never;
}[FaultEffect];
export type StepEffect = {
  [Name in FaultEffect]: (typeof faultEffects)[Name]['target'] extends 'step' ? Name : never;
}[FaultEffect];

/** The shape of an effect, with all optional members. */
export const shapeOf = (effect: FaultEffect): EffectShape => faultEffects[effect];

/** Names of all effects. */
export const effectNames = Object.keys(faultEffects) as [FaultEffect, ...FaultEffect[]];
