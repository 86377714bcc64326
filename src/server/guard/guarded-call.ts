import type { CallContext } from '../context/call-context.ts';
import type { Reader } from '../context/reader.ts';
import type { Target } from '../context/target.ts';
import type { JsonRecord } from '../json/values.ts';
import type { ResolvedResource } from '../tool/name-resolver.ts';
import type { PlannedOperation, Tool } from '../tool/tool.ts';
import type { OperationRisk } from './risk/operation-parts.ts';
import type { HighRiskCalls } from './storage/high-risk-calls.ts';
import type { ScopeResolver } from './scope/scope.ts';
import type { Policy } from './policy/policy.ts';
import type { Risk } from './risk/risk.ts';

/** What the guard decides by. */
export interface GuardedCallDependencies {
  readonly policy: Policy;
  readonly highRiskCalls: HighRiskCalls;
  /** Finds the place that calls are kept to, where the policy has one. */
  readonly scopeResolver?: ScopeResolver;
}

/** A call as the guard sees it, with ids where names were given. */
export interface GuardedCall {
  readonly tool: Tool;
  readonly args: JsonRecord;
  /** What the names and ids among the arguments stand for, by argument. */
  readonly resolved: Readonly<Record<string, ResolvedResource>>;
  readonly context: CallContext;
  /** Reads the platform while the call is judged. */
  readonly reader: Reader;
  readonly deps: GuardedCallDependencies;
}

/** A request that a call makes, with what it acts on, what it carries out, and its risk. */
export interface TargetedOperation extends PlannedOperation, OperationRisk {
  readonly target: Target;
}

/** The risk of a call. Its target and tier are those of its gravest request. */
export interface AssessedRisk {
  readonly operations: readonly TargetedOperation[];
  readonly target: Target;
  readonly risk: Risk;
}
