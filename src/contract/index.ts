/** The API as data. */

export { defaultHistoryPageSize, everyOrganization } from './documented.ts';
export { ErrorBody, errorBody, type ErrorStatus } from './errors.ts';
export { fieldDescriptions } from './field-descriptions.ts';
export { isRecord, parseJson, type JsonRecord } from './json.ts';
export { defaultRateLimit, defaultRateWindowSeconds, maximumBodyBytes, rateHeaders } from './limits.ts';
export { openApiDocument } from './openapi.ts';
export { effects, includesPermission, inputShape, parameterKind, permissionLevels, snakeCase, toWire, type AnyOperation, type Effect, type InputOf, type Method, type PermissionLevel, type ResponseOf, type ValidInputOf } from './operation.ts';
export { allOperations, elsewhereOf, operations, redeployOf, type OperationName, type OperationNamed } from './operations.ts';
export { invisibleCharacters, isPrintableAscii, withLineFeeds, withoutEscapes, withoutInvisible } from './plain-text.ts';
export { DateTime, Duration, Email, hiddenSecret, isSecret, kindPointedAt, maximumPageSize, PageNumber, PageSize, reference, referenceKind, referenceKinds, resourceKind, secret, Uuid, type Pagination, type ReferenceKind } from './primitives.ts';
export type { AlertRuleRequest } from './resources/alert-rule.ts';
export { ApplicationRequest, GitRepositoryRequest } from './resources/application.ts';
export type { ClusterLock } from './resources/cluster.ts';
export { CustomDomainRequest, domainKinds, type DomainCheckStatus, type DomainKind } from './resources/custom-domain.ts';
export { ContainerRequest } from './resources/container.ts';
export { DatabaseRequest } from './resources/database.ts';
export { DeployRequest, maximumLogLines, StepName, type EnvironmentLog, type Log, type ServiceDeploymentStatus, type StatusDetails } from './resources/deployment.ts';
export { EnvironmentMode, type EnvironmentStatus } from './resources/environment.ts';
export { isVisibleCredential } from './resources/helm-repository.ts';
export type { Helm, HelmRequest } from './resources/helm.ts';
export type { DeploymentHistory, DeploymentHistoryItem, Job } from './resources/job.ts';
export { isServiceKind, Probe, serviceKinds, ServiceType, type AutoscalingRequest, type GitRepository, type Healthchecks, type serviceIdentity, type ServiceKind, type workloadFields, type workloadRequestFields } from './resources/service.ts';
export type { Terraform } from './resources/terraform.ts';
export { isHeldExternally, ownerKinds, type OwnerKind, VariableRequest, VariableScope, type EnvironmentVariable, type VariableServiceType, type VariableType } from './resources/variable.ts';
export { otherEventWord, type EventKind, type WebhookDelivery, type WebhookEvent } from './resources/webhook.ts';
export { DeploymentAction, InvitationStatus, isAtRest, isDown, terminalOutcome, type AlertRuleState, type ClusterState, type DeploymentActionStatus, type DeploymentState, type Origin } from './states.ts';
export { tolerant, type Incomplete, type Tolerant } from './tolerant.ts';
