/** Durable work: deployments, upgrades, alert rules, webhooks. */

export type { ReceiverTestResult } from './alert-receivers.ts';
export type { Recovery } from './backups/backup.ts';
export { activeLock, requireUnlocked } from './cluster-locks.ts';
export type { BackupSchedule, ClusterLimits, EngineContext } from './context.ts';
export { secretsBy } from './context.ts';
export { createEngine } from './create-engine.ts';
export {
  addDatabaseVariables,
  addMissingDatabaseVariables,
  databaseAddress,
  databaseVariableIds,
  renameDatabaseVariables,
} from './database-variables.ts';
export { requireEnvironmentStays } from './deletion.ts';
export { environmentEndChanged } from './environment-end.ts';
export { environmentOutlooks } from './environment-outlook.ts';
export { advanceDeployment, deploymentQueue } from './deployment-queue.ts';
export { cancelEnvironmentDeployment, requestDeployment } from './deployment-requests.ts';
export type {
  DeploymentOrder,
  DeploymentRequest,
  Engine,
  EngineStatistics,
  HistoryQuery,
  ServiceStatusAnswer,
  WebhookTest,
} from './engine.ts';
export { metricHelp } from './measurements/metric-definitions.ts';
export type { Series } from './measurements/series.ts';
export { createPrometheus, type PrometheusSettings } from './prometheus.ts';
export { finishService } from './finish-service.ts';
export { createLease, heartbeatMilliseconds, leaseMilliseconds } from './lease.ts';
export {
  diagramOf,
  alertRuleTransitions,
  canceling,
  clusterUpgradeStates,
  minimumObservationMilliseconds,
  settledStates,
  stageOf,
  statePathOf,
  stepLimits,
} from './lifecycle.ts';
export { markOutOfDate, markReadersOutOfDate } from './out-of-date.ts';
export { restoredFrom } from './outcome-events.ts';
export { retentionQueue } from './retention-queue.ts';
export { serviceSteps } from './service-steps.ts';
export { deliveryQueue, firstRetrySeconds, maximumDeliveryAttempts } from './webhooks/deliveries.ts';
export { announce } from './webhooks/outbox.ts';
export { anyAddress, publicOnly, redactedTarget, sealTargets, shownAddress, splitTarget } from './webhooks/target.ts';
export { ruleOf, type StoredRule, timetableChanged, timetableIn } from './timetable.ts';
export { reapIntervalMilliseconds } from './worker.ts';
