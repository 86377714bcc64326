/** Metrics and traces. Their libraries are loaded only if they are enabled. */

export { combinedCallObserver, combinedRequestObserver } from './combined-observers.ts';
export { definitions, type MetricDefinition, type Part } from './metrics/definitions.ts';
export type { Metrics, MetricSources } from './metrics/create-metrics.ts';
export type { Traces } from './traces/create-traces.ts';
export { tracesAddress, wantsTraces } from './traces/trace-settings.ts';
