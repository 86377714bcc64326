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
export { onlyPostgres } from './database-backups.ts';
export type {
  BackupDeletion,
  BackupObservation,
  BackupTask,
  DatabaseBackups,
  RecoveryPlan,
  RunningDatabase,
} from './database-backups.ts';
export {
  durationBounds,
  type InstanceUse,
  type Measured,
  type Meter,
  type NodeSeen,
  type RequestCounts,
} from './measured.ts';
export type { InstanceEnd, KnownResources, RunningService, RunningVersion, Sweep } from './running-service.ts';
export { isUnknown } from './running-service.ts';
export { runtimesOf, type Runtimes, simulatedRuntimeName } from './runtimes.ts';
export { ConditionError, conditionBehind, RuntimeProblem, TaskRefused, whyFailed } from './problem.ts';
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
export { RuntimeUnreachable } from './unreachable.ts';
export type {
  DatabaseCredentials,
  Phase,
  ResolvedVariable,
  Restoration,
  RuntimeOperation,
  ServiceDomain,
  ServiceToRun,
  Task,
  TaskInputs,
} from './task.ts';
