import type { ReferenceKind } from '../../contract/primitives.ts';
import type { EnvironmentMode } from '../../contract/resources/environment.ts';

/** An environment or project, as far as it is known. Empty where there is one that could not be found out. */
export interface TargetLocation {
  readonly id?: string;
  readonly name?: string;
}

/** What a call acts on, as far as it could be found out. */
export interface Target {
  readonly kind: ReferenceKind;
  /** Absent while it doesn't exist yet. */
  readonly id?: string;
  readonly name?: string;
  /** The environment it is or is in; absent where it belongs to none. */
  readonly environment?: TargetLocation;
  /** The project it is or is in; absent where it belongs to none. */
  readonly project?: TargetLocation;
  /** Mode of its environment, PRODUCTION for a cluster that hosts production; `none` where it belongs to none. */
  readonly mode: EnvironmentMode | 'unknown' | 'none';
  /** What else is touched: what comes of it, and what its members point at. Absent where that is nothing with a place or mode. */
  readonly touched?: readonly Target[];
  /** Why it is touched, where no argument says it: the cluster hosts it, or nobody could find out whether the call acts there. */
  readonly why?: 'hosted' | 'elsewhere';
}

/** An environment that nobody could find out: rules about places are in doubt of it. */
export const unknownEnvironment = (why: Target['why']): Target => ({ kind: 'environment', environment: {}, project: {}, mode: 'unknown', why });

/** Everything that is touched, the target first. */
export const targetAndTouched = ({ touched = [], ...target }: Target): readonly Target[] => [target, ...touched];
