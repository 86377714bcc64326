/** The interface between the engine and where services run. */

export { buildPod, type AlertCondition, type ClusterUpgrade, type Observation, type Pause, type RunningVersion, type Runtime, type RuntimeCall, type ServiceAddress } from './runtime.ts';
export type { RuntimeLogLine } from './log-line.ts';
export type { ClusterNode } from './cluster-node.ts';
export type { InstanceEnd, KnownResources, RunningService, Sweep } from './running-service.ts';
export { runtimesOf, type Runtimes, simulatedRuntimeName } from './runtimes.ts';
export { RuntimeUnreachable } from './unreachable.ts';
export type { DatabaseCredentials, Phase, ResolvedVariable, RuntimeOperation, ServiceDomain, ServiceToRun, Task, TaskInputs } from './task.ts';
