/** Interprets the platform's data. */

export { nodesText, unusableNamed, unusableText, whyUnusable } from './cluster-nodes.ts';
export type { ServiceChange, Sibling, VariableKey } from './changes.ts';
export { deploymentIn, deploymentWindow, isInWindow } from './deployment-window.ts';
export {
  deploymentIdsIn,
  deploymentProgressOf,
  isStatusOf,
  saysNeverDeployed,
  type DeploymentProgress,
  type LenientServiceStatus,
  type RequestedAction,
} from './deployment-progress.ts';
export type { Diagnosis, TimelineEntry } from './diagnosis/diagnosis.ts';
export type { Evidence } from './diagnosis/evidence.ts';
export { isInstanceOf, lockingHost, type LockHolder } from './diagnosis/lock-holder.ts';
export { chooseDeployment, readDeploymentSituation } from './diagnosis/situation.ts';
export { valuePlaceholder } from './diagnosis/next-calls.ts';
export { clip, eventMembers, isWanted, tellEvent, type LenientEvent, type WantedEvents } from './events.ts';
export {
  deploymentsOf,
  stoppedBy,
  type StoppedService,
  madeItRun,
  readDeployment,
  lackVersions,
  servicesDeployed,
  shortCommit,
  type DeployedService,
  type HistoryItem,
  type PastDeployment,
} from './history.ts';
export { placesNamed, type EventPlace, type PlaceKind } from './event-places.ts';
export { groupedByDeployment, tellGroup, type EventGroup } from './deployment-events.ts';
export { findDrift, type ComparedEnvironment, type ComparedVariable } from './drift.ts';
export { coverageOf, deployedAt, firstTime, periodText, type LogCoverage } from './logs/coverage.ts';
export { runByDeployment, runKindsOf, runStepIn, type RunByDeployment, type RunKind } from './job-runs.ts';
export { foldLines, type Repeats } from './logs/folded-lines.ts';
export { levels, type LogLine } from './logs/log-line.ts';
export { repeatsText } from './logs/messages.ts';
export { overviewOf, standingOf, type LateText, type WatchedService } from './overview.ts';
export { alertNames, type FiringAlert } from './alerts.ts';
export { organizationOverviewOf, type ConditionCounts, type WatchedEnvironment } from './organization-overview.ts';
export { recordedChange, type RecordedChange } from './recorded-changes.ts';
export { findRollbackTarget, isRollback, type CommitDeployment, type RollbackTarget } from './rollback-target.ts';
export type { LogSearchResult } from './search.ts';
export { durationOf, timeWindow, UnusableQuery, type TimeWindow } from './time-window.ts';
export { laterFirst } from './time-order.ts';
export { originIn, versionSourceOf, type ServiceOrigin, type VersionSource } from './version-source.ts';
export { usageFigures, usageOrNot, usageText } from './usage.ts';
export { conditionsIn, outsideChangeIn } from './conditions.ts';
export { strandedDataIn, warningsIn, warningsOfServices } from './warnings.ts';
export {
  canServe,
  configuredVersion,
  instancesIn,
  instancesText,
  isRange,
  lastVersionOf,
  needsHistory,
  needsHistoryOfRuns,
  servingOf,
  servingText,
  type Serving,
} from './serving.ts';
