/** The interface between the engine and where services run. */

export { buildPod, type Observation, type Phase, type RunningVersion, type Runtime, type RuntimeLogLine, type RuntimeMethod, type SecondsRange, type ServiceToRun, type Task } from './runtime.ts';
