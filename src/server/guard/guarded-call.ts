import type { CallContext, Reader, Target } from '../context/index.ts';
import type { JsonRecord } from '../json/index.ts';
import type { PlannedOperation, ResolvedResource, Tool } from '../tool/index.ts';
import type { OperationRisk } from './risk/operation-parts.ts';
import type { HighRiskCalls } from './storage/limits.ts';
import type { ScopeResolver } from './scope/scope.ts';
import type { Policy } from './policy/policy.ts';
import type { Risk } from './risk/risk.ts';

/** The policy and state that the guard checks calls against. */
export interface GuardedCallDependencies {
  readonly policy: Policy;
  readonly highRiskCalls: HighRiskCalls;
  /** Resolves the policy's scope; absent if it has none. */
  readonly scopeResolver?: ScopeResolver;
}

/** A call as the guard sees it, with names replaced by ids. */
export interface GuardedCall {
  readonly tool: Tool;
  readonly args: JsonRecord;
  /** The resources that names and ids among the arguments refer to, by argument. */
  readonly resolved: Readonly<Record<string, ResolvedResource>>;
  readonly context: CallContext;
  /** Reads the platform while the call is checked. */
  readonly reader: Reader;
  readonly deps: GuardedCallDependencies;
}

/** A planned operation with its target, its parts and its risk. */
export interface TargetedOperation extends PlannedOperation, OperationRisk {
  readonly target: Target;
}

/** The operations of a call, with the target and risk of the highest-risk one. */
export interface AssessedRisk {
  readonly operations: readonly TargetedOperation[];
  readonly target: Target;
  readonly risk: Risk;
}
