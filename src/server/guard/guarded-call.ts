import type { CallContext } from '../context/context.ts';
import type { Reader } from '../context/reader.ts';
import type { Target } from '../context/target.ts';
import type { JsonRecord } from '../json/values.ts';
import type { Address } from '../tool/address.ts';
import type { Act, Tool } from '../tool/tool.ts';
import type { Expansion } from './expand.ts';
import type { GraveCalls } from './grave-calls.ts';
import type { Places } from './pin.ts';
import type { Policy } from './policy.ts';
import type { Tier } from './tier.ts';

/** What the guard decides by. */
export interface GuardDependencies {
  readonly policy: Policy;
  readonly graveCalls: GraveCalls;
  /** Finds the place that calls are kept to, where the policy has one. */
  readonly places?: Places;
}

/** A call as the guard sees it, with ids where names were given. */
export interface GuardedCall {
  readonly tool: Tool;
  readonly args: JsonRecord;
  /** What the names and ids among the arguments stand for, by argument. */
  readonly addresses: Readonly<Record<string, Address>>;
  readonly context: CallContext;
  /** Reads the platform while the call is judged. */
  readonly reader: Reader;
  readonly deps: GuardDependencies;
}

/** A request that a call makes, with what it acts on, what it carries out, and its risk. */
export interface AimedAct extends Act, Expansion {
  readonly target: Target;
}

/** The risk of a call. Its target and tier are those of its gravest request. */
export interface Assessed {
  readonly acts: readonly AimedAct[];
  readonly target: Target;
  readonly tier: Tier;
}
