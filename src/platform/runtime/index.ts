/** The interface between the engine and the runtimes of services. */

export {
  buildPod,
  type AlertCondition,
  type ClusterUpgrade,
  type Observation,
  type Pause,
  type Runtime,
  type RuntimeCall,
  type ServiceAddress,
  type PlannedChanges,
  type ClusterNode,
} from './runtime.ts';
export { conditionLine, type Say, toldLine, type RuntimeLogLine } from './log-line.ts';
export {
  onlyPostgres,
  type BackupDeletion,
  type BackupObservation,
  type BackupTask,
  type DatabaseBackups,
  type RecoveryPlan,
  type RunningDatabase,
} from './database-backups.ts';
export {
  durationBounds,
  type InstanceUse,
  type Measured,
  type Meter,
  type NodeSeen,
  type RequestCounts,
} from './measured.ts';
export {
  type InstanceEnd,
  type KnownResources,
  type RunningService,
  type RunningVersion,
  type Sweep,
  isUnknown,
} from './running-service.ts';
export { runtimesOf, type Runtimes, simulatedRuntimeName } from './runtimes.ts';
export {
  ConditionError,
  conditionBehind,
  RuntimeProblem,
  TaskRefused,
  whyFailed,
  RuntimeUnreachable,
} from './problem.ts';
export type {
  CreatedCluster,
  DescribedCluster,
  DrainPlan,
  EngineOptions,
  Examination,
  GitHost,
  GitHosts,
  KeptText,
  OperatorAccess,
  RuntimeParts,
  RuntimeProvider,
  SettingsSource,
  SharedSettings,
} from './provider.ts';
export type {
  DatabaseCredentials,
  GitTokenInput,
  Phase,
  RegistryInput,
  ResolvedVariable,
  Restoration,
  RuntimeOperation,
  ServiceDomain,
  ServiceToRun,
  Task,
  TaskInputs,
} from './task.ts';
