/** Risk, policy, scope, plan, confirmation and approvals. */

export { agreementOf, whoAgrees } from './agreement.ts';
export { longestReason, reasonIn } from './approvals/reason.ts';
export {
  createApprovalQueue,
  wrongSecretText,
  type ApprovalQueue,
  type Decider,
  type OperatorRights,
  type WaitingCall,
  type UnlockedQueue,
} from './approvals/approval-queue.ts';
export {
  approvalLifetime,
  createApprovals,
  type ApprovalObserver,
  type Approvals,
  type ApprovalsConfig,
} from './approvals/approvals.ts';
export type { ApprovalChat, ChatChannel, ChatSettings } from './approvals/chat/index.ts';
export { parseWebhookKey, parseWebhookUrl } from './approvals/signed-sender.ts';
export { createWaitingWebhook, type WaitingWebhook, type WaitingWebhookConfig } from './approvals/waiting-webhook.ts';
export { progressKinds, type CallState, type Progress } from './approvals/call-states.ts';
export type { Deciders } from './approvals/deciders.ts';
export {
  hasSecret,
  operatorKeyFrom,
  secretHash,
  secretMark,
  setSecret,
  type OperatorKey,
} from './approvals/operator-secret.ts';
export { hasOperators, operatorName, readingRules, readOperators } from './approvals/operators.ts';
export {
  exactTime,
  isCode,
  normalCode,
  waitingCallAddress,
  waitingCallUri,
  conversationText,
  waitingTarget,
  type Pending,
} from './approvals/pending-calls.ts';
export { handoverNowhere, type Handover, type ReservedPlace } from './handover/handover.ts';
export { handoverInFiles } from './handover/in-files.ts';
export { createPageHandover, type WaitingSecret, type WaitingSecrets } from './handover/on-page.ts';
export { assertNotLocked } from './cluster-lock.ts';
export {
  createSessionMemories,
  createStatelessMemories,
  failureLifetime,
  silenceLifetime,
  type ClientMemories,
} from './confirmation/client-memory.ts';
export { answerTime, createConfirmer, type Confirmer, type SharedAnswers } from './confirmation/confirmation.ts';
export { formFor, matchesTyped, maximumQuestionLength, questionFor, type Question } from './confirmation/question.ts';
export { splitControls, type Controls, type EnvironmentVariables } from './controls.ts';
export {
  assertAllowed,
  assertArgumentsInScope,
  assertOperationsPermitted,
  assertReadAllowed,
  assertSubjectsPermitted,
  assessOperations,
  countHighRiskChanges,
  keepsPlaces,
  readableAmong,
} from './guard.ts';
export { withoutHiddenRows } from './placed-rows.ts';
export type { AssessedRisk, GuardedCall, GuardedCallDependencies, TargetedOperation } from './guarded-call.ts';
export { assertAllOffered, noOpOf } from './no-op.ts';
export { planOf, readForPlan } from './plan.ts';
export { type Plan } from './planned-call.ts';
export { longestListedPlan, factLines, planText } from './plan-text.ts';
export { parsePolicy } from './policy/load.ts';
export { conditionText, shownConditionText } from './policy/match.ts';
export {
  allowsUnattended,
  denialOf,
  isReadOnly,
  canHideReads,
  needsLocation,
  policyNumber,
  possibleRisks,
  unreadIn,
  valueVariables,
  withRules,
  type Policy,
} from './policy/policy.ts';
export { policyFileFor, type Rules } from './policy/rules.ts';
export { withResolvedNames } from './risk/named-target.ts';
export { readsToAssess } from './risk/reads-to-assess.ts';
export { mostCriticalMode, needsConfirmation, needsNamedTool } from './risk/risk.ts';
export { assertInSameEnvironment } from './same-environment.ts';
export { createScopeResolver, fillInScope, resolverWithin } from './scope/scope-resolver.ts';
export { scopeText, type Scope } from './scope/scope.ts';
export { monotonicClock } from './storage/clock.ts';
export { exportCounts, type ExportedCounts } from './storage/counts.ts';
export { sqliteGuardStore, type GuardStore, type SharedStore } from './storage/guard-store.ts';
export { maximumOperatorSessions, operatorIdleTime, type OperatorSessionRecords } from './storage/keys.ts';
export { ephemeralHighRiskCalls, terminalSource, type HighRiskCalls } from './storage/limits.ts';
export type { SharedKey, Verdict } from './storage/tables.ts';
export { maximumWaiting } from './storage/waiting-records.ts';
export { createRegistry, described, listed, type LeftOut, type ListedTool, type Registry } from './tool-registry.ts';
