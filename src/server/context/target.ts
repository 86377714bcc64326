import type { EnvironmentMode, ReferenceKind } from '../../contract/index.ts';

/** An environment or project, as far as it is known. Empty if there is one that could not be determined. */
export interface TargetLocation {
  readonly id?: string;
  readonly name?: string;
}

/** The target of a call, as far as it could be determined. */
export interface Target {
  readonly kind: ReferenceKind;
  /** Absent if it doesn't exist yet. */
  readonly id?: string;
  readonly name?: string;
  /** The environment that it is, or that contains it; absent if there is none. */
  readonly environment?: TargetLocation;
  /** The project that it is, or that contains it; absent if there is none. */
  readonly project?: TargetLocation;
  /** The mode of its environment, PRODUCTION for a cluster that hosts production; `none` outside any environment. */
  readonly mode: EnvironmentMode | 'unknown' | 'none';
  /**
   * Other affected resources: results of the call, and resources that its input refers to. Absent if none of them has a
   * location or mode.
   */
  readonly touched?: readonly Target[];
  /**
   * Why it is affected although no argument refers to it: the cluster hosts it, it is in the project that is changed,
   * or it is unknown whether the call acts there.
   */
  readonly why?: 'hosted' | 'inherits' | 'elsewhere';
}

/** An environment that could not be determined: scope and policy rules can't be decided for it. */
export const unknownEnvironment = (why: Target['why']): Target => ({
  kind: 'environment',
  environment: {},
  project: {},
  mode: 'unknown',
  why,
});

/** A target and everything else that the call touches, the target first. */
export const targetAndTouched = ({ touched = [], ...target }: Target): readonly Target[] => [target, ...touched];

/** The same as it is now: without what the call makes of the target itself. */
export const targetAndTouchedNow = (target: Target): readonly Target[] =>
  targetAndTouched(target).filter((one, index) => index === 0 || one.kind !== target.kind || one.id !== target.id);
