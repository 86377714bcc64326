import { type Method } from '../../contract/index.ts';
import type { PlanWarning } from '../tool/index.ts';
import { type JsonRecord } from '../json/index.ts';
import { type NamedTarget } from './risk/named-target.ts';
import type { Risk } from './risk/risk.ts';

/** A request that a call would make, redacted for display. */
export interface PlannedRequest {
  readonly method: Method;
  /** Path and query, relative to the platform's address. */
  readonly path: string;
  readonly body?: JsonRecord;
  /** Names of members that are sent back unchanged; their values are left out of `body`. */
  readonly unchanged?: readonly string[];
}

/** The effects of a call. Contains nothing that may not be shown. */
export interface Plan {
  readonly tool: string;
  readonly tier: Risk;
  /** The target of its highest-risk operation. */
  readonly target: NamedTarget;
  /**
   * The number of resources that it changes, if its tool can change several environments in one call and it changes
   * more than one.
   */
  readonly several?: number;
  /** The summary of its operations. */
  readonly summary: string;
  readonly requests: readonly PlannedRequest[];
  /** Its changes to the present state, one line each. */
  readonly effects: readonly string[];
  /** What is left to tell of them once the change is made. */
  readonly afterwards?: readonly string[];
  /** The warnings among them, as codes with data. Absent if there are none. */
  readonly warnings?: readonly PlanWarning[];
  /**
   * Characters and words that the plan spells out because they look like something else, or only look Latin, each with
   * its meaning. Absent if there are none.
   */
  readonly oddities?: readonly string[];
  /**
   * Keyed hash of what is confirmed: the exact call, the identity and mode of its target, and its changes to the
   * present state. Excludes states and times, which change while a person reads.
   */
  readonly digest: string;
}
