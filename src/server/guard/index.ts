/** Risk, policy, scope, plan, confirmation and approvals. */

export { createApprovalQueue, terminalSource, type ApprovalQueue, type UnlockedQueue } from './approvals/approval-queue.ts';
export { approvalLifetime, createApprovals, maximumWaiting, type Approvals, type ApprovalsConfig } from './approvals/approvals.ts';
export { hasSecret, setSecret } from './approvals/operator-secret.ts';
export { normalCode, type Pending, type Verdict } from './approvals/pending-calls.ts';
export { assertNotLocked } from './cluster-lock.ts';
export { createConfirmer, type Confirmer } from './confirmation/confirmation.ts';
export { formFor, matchesTyped, maximumQuestionLength, questionFor, type Question } from './confirmation/question.ts';
export { splitControls, type Controls, type EnvironmentVariables } from './controls.ts';
export { assertAllowed, assertArgumentsInScope, assertOperationsPermitted, assertReadAllowed, assertSubjectsPermitted, assessOperations, countHighRiskChanges } from './guard.ts';
export type { AssessedRisk, GuardedCall, GuardedCallDependencies, TargetedOperation } from './guarded-call.ts';
export { assertAllOffered, noOpOf } from './no-op.ts';
export { planOf, planText, type Plan } from './plan.ts';
export { parsePolicy } from './policy/load.ts';
export { conditionText } from './policy/match.ts';
export { allowsUnattended, denialOf, isOperatorOnly, isReadOnly, needsLocation, possibleRisks, unseenVariables, withRules, type Policy } from './policy/policy.ts';
export { policyFileFor, type Rules } from './policy/rules.ts';
export { withResolvedNames } from './risk/named-target.ts';
export { readsToAssess } from './risk/reads-to-assess.ts';
export { endangersProduction, needsConfirmation } from './risk/risk.ts';
export { assertInSameEnvironment } from './same-environment.ts';
export { createScopeResolver, fillInScope, resolverWithin } from './scope/scope-resolver.ts';
export { scopeText, type Scope } from './scope/scope.ts';
export { ephemeralHighRiskCalls, highRiskCallsIn, type HighRiskCalls } from './storage/high-risk-calls.ts';
export { monotonicClock } from './storage/monotonic-clock.ts';
export { storeAt } from './storage/store.ts';
export { createRegistry, listed, type LeftOut, type ListedTool, type Registry } from './tool-registry.ts';
