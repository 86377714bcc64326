/** The API as data. */

export {
  addressFaultText,
  readGitAddress,
  readHttpAddress,
  type AddressFault,
  type ParsedAddress,
} from './addresses.ts';
export {
  asSubject,
  backupText,
  boundText,
  bytesText,
  condition,
  conditionChain,
  dataOf,
  isOwnExit,
  isTerraformFailure,
  killed,
  lackingText,
  levelOfReason,
  onMachines,
  outsideChangeText,
  readCondition,
  reasonNames,
  removedText,
  saidIn,
  storedCondition,
  unaskedText,
  type Condition,
  type DataOf,
  type OutsideChange,
  type ReadableCondition,
  type Reason,
} from './conditions/index.ts';
export { isInForce, occurrenceOf, windowFault, type WindowTimes } from './deployment-window.ts';
export { decodedText, unreadableBecause, Utf16Text } from './decoded-text.ts';
export { everyOrganization } from './documented/organization.ts';
export { ErrorBody, errorBody, type ErrorStatus } from './errors.ts';
export { fieldDescriptions } from './field-descriptions.ts';
export { isRecord, parseJson, recordsIn, type JsonRecord } from './json.ts';
export {
  defaultPageSizes,
  defaultRateLimit,
  defaultRateWindowSeconds,
  engineRateLimit,
  maximumBodyBytes,
  largestInteger,
  maximumInstances,
  rateHeaders,
} from './limits.ts';
export { openApiDocument } from './openapi.ts';
export {
  effects,
  includesPermission,
  inputShape,
  parameterKind,
  permissionLevels,
  snakeCase,
  toWire,
  type AnyOperation,
  type Effect,
  type InputOf,
  type Method,
  type PermissionLevel,
  type ResponseOf,
  type ValidInputOf,
} from './operation.ts';
export { replacingSecret, storingSecret } from './extensions/variables.ts';
export {
  allOperations,
  elsewhereOf,
  isTakenBack,
  oneByOneOf,
  operations,
  redeployOf,
  type Holder,
  type OperationName,
  type OperationNamed,
} from './operations.ts';
export {
  controlCharacterIn,
  hasInvisible,
  invisibleCharacters,
  isPrintableAscii,
  styleMark,
  terminalEscapes,
  withoutInvisible,
  withoutStyles,
  withStyleMarks,
  writtenCharacter,
  writtenOut,
} from './plain-text.ts';
export { age } from './age.ts';
export { isoAt, isoTime, timeAt, timeOf, unknownTime } from './times.ts';
export {
  asRuleTime,
  clockTimeIn,
  latestEvent,
  nextEvents,
  stoppedUntil,
  timeOfDay,
  timetableRequester,
  type Timetable,
  type TimetableEvent,
} from './timetable.ts';
export { placeholderIn, valueFault, type ValueFault } from './placeholder.ts';
export { joinPath, namesIn, segmentOf, segmentsOf, unescaped } from './resource-path.ts';
export {
  DateTime,
  Duration,
  Email,
  freeText,
  isDateTime,
  isFreeText,
  hiddenSecret,
  hiddenStart,
  isSecret,
  kindPointedAt,
  maximumPageSize,
  PageNumber,
  PageSize,
  reference,
  referenceKind,
  referenceKinds,
  resourceKind,
  secret,
  Uuid,
  type Pagination,
  type ReferenceKind,
} from './primitives.ts';
export { emailReceiver, type AlertReceiverRequest, type NewAlertReceiverRequest } from './resources/alert-receiver.ts';
export { AlertRuleRequest, type NewAlertRuleRequest } from './resources/alert-rule.ts';
export { ApplicationRequest, GitRepositoryRequest, gitProviders } from './resources/application.ts';
export { backupStates } from './resources/backup.ts';
export { maximumLockDays, nodeStates, type Cluster, type ClusterLock } from './resources/cluster.ts';
export {
  CustomDomainRequest,
  domainKinds,
  type DomainCheckStatus,
  type DomainKind,
} from './resources/custom-domain.ts';
export { ContainerRequest, ImageTag } from './resources/container.ts';
export { DatabaseRequest, type DatabaseUpdateRequest } from './resources/database.ts';
export {
  DeployRequest,
  maximumLogLines,
  StepName,
  type EnvironmentLog,
  type FinishedStep,
  type Log,
  type ServiceDeploymentStatus,
  type StatusDetails,
} from './resources/deployment.ts';
export {
  EnvironmentMode,
  isProduction,
  mayBeProduction,
  mostCriticalOf,
  productionFirst,
  productionMode,
  type EnvironmentStatus,
} from './resources/environment.ts';
export { DeploymentRuleRequest, type DeploymentRule } from './resources/deployment-rule.ts';
export { DeploymentWindowRequest, type DeploymentWindow } from './resources/deployment-window.ts';
export { maximumEventPageSize } from './resources/event.ts';
export { isVisibleCredential } from './resources/credentials.ts';
export { gitTokenHost } from './resources/git-token.ts';
export { HelmRequest, type Helm } from './resources/helm.ts';
export {
  listedCommits,
  scheduleKinds,
  scheduleRequester,
  type Commit,
  type DeploymentHistory,
  type DeploymentHistoryItem,
  type Job,
  type JobRequest,
  type JobRun,
} from './resources/job.ts';
export {
  isServiceKind,
  Probe,
  serviceKinds,
  ServiceType,
  startableKinds,
  type AutoscalingRequest,
  type GitRepository,
  type Healthchecks,
  type serviceIdentity,
  type ServiceKind,
  type workloadFields,
  type workloadRequestFields,
} from './resources/service.ts';
export {
  TerraformRequest,
  TerraformSource,
  type Terraform,
  type TerraformPlan,
  type TerraformPlans,
} from './resources/terraform.ts';
export {
  isHeldExternally,
  ownerKindOf,
  scopeOfOwner,
  variableOwnerKinds,
  type OwnerKind,
  type OwnerScope,
  type VariableOwnerKind,
  VariableRequest,
  VariableScope,
  type EnvironmentVariable,
  type VariableServiceType,
  type VariableType,
} from './resources/variable.ts';
export {
  fitsFilter,
  openWebhookKind,
  otherEventWord,
  testEvent,
  type EventKind,
  type WebhookDelivery,
  type WebhookEvent,
} from './resources/webhook.ts';
export {
  bytesBeyondCut,
  createMasker,
  createValueFinder,
  maskBeginning,
  maskFound,
  maskFoundInSteps,
  maskPatternSource,
  minimumMaskedLength,
  type ValueFinder,
} from './secret-masking.ts';
export {
  DeploymentAction,
  InvitationStatus,
  isAtRest,
  isDocumentedState,
  isPartOfState,
  isDown,
  isFiring,
  isIdleCluster,
  isUntold,
  terminalOutcome,
  whyUnwatched,
  type AlertRuleState,
  type ClusterState,
  type DeploymentActionStatus,
  type DeploymentState,
  type Origin,
} from './states.ts';
export { finish, type Steps } from './steps.ts';
export type { PlacedRows } from './target-declaration.ts';
export { identifyingMembers, targetIn } from './target-in.ts';
export { hasVariablePaths, variableList, type VariableListing } from './variable-lists.ts';
export { editDistance, nearestName } from './nearest-name.ts';
export { issuesIn, issueTexts, printPath, type SchemaIssue, type ValuePath } from './schema-issues.ts';
export { firstPart, halfCharacterIn, lastPart, repeated, shortened, wellFormed } from './whole-characters.ts';
export { tolerant, type Incomplete, type Tolerant } from './tolerant.ts';
export { isClockTime, zonedText, type Weekday } from './zoned-times.ts';
