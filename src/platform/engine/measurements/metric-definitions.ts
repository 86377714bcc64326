import type { NodeFigures, ServiceFigures } from './figures.ts';

/** Facts about a service: its resource usage, if that was measured recently, and its last observation. */
export interface ServiceFacts {
  readonly figures?: ServiceFigures;
  readonly seen?: { readonly wanted: number; readonly running: number; readonly restarts: number };
  /** Whether it is available; undefined if it isn't meant to run. */
  readonly isAvailable?: boolean;
}

/** A metric: its meaning, and how to read it. All are gauges. */
interface Metric<Facts> {
  readonly help: string;
  /** Its value; undefined if there is none, or it is unknown. */
  readonly valueOf: (facts: Facts) => number | undefined;
  /**
   * Why its value is unknown or incomplete, as sentences; none if it is complete, or there is nothing to know. Absent
   * for a metric that is always known.
   */
  readonly missingOf?: (facts: Facts) => readonly string[];
}

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : value * factor;

const part = (used: number | undefined, limit: number | undefined): number | undefined =>
  used === undefined || limit === undefined ? undefined : used / limit;

/** The limit of one of several instances. */
const limitOfOne = ({ instances }: ServiceFigures, limit: number | undefined): number | undefined =>
  scaled(limit, 1 / instances);

/** A metric of the resource usage of instances. */
const used = (help: string, read: (figures: ServiceFigures) => number | undefined): Metric<ServiceFacts> => {
  const valueOf = ({ figures }: ServiceFacts): number | undefined =>
    figures && figures.instances > 0 ? read(figures) : undefined;
  return {
    help,
    valueOf,
    missingOf: (facts) => {
      if (facts.figures === undefined) return ['It was not measured recently.'];
      return facts.figures.missing.length > 0 || valueOf(facts) !== undefined
        ? facts.figures.missing
        : ['It has no value yet.'];
    },
  };
};

/** A metric of requests, which are counted where they arrive. */
const counted = (help: string, read: (figures: ServiceFigures) => number | undefined): Metric<ServiceFacts> => ({
  help,
  valueOf: ({ figures }) => figures && read(figures),
  missingOf: ({ figures }) => (figures?.requestsMissing === undefined ? [] : [figures.requestsMissing]),
});

/** A metric of the platform's observations. */
const observed = (help: string, read: (seen: NonNullable<ServiceFacts['seen']>) => number): Metric<ServiceFacts> => ({
  help,
  valueOf: ({ seen }) => seen && read(seen),
  missingOf: ({ seen }) => (seen === undefined ? ['Which of its instances run is not known at present.'] : []),
});

/** The metrics of services. Those over time cover the last five minutes. */
export const serviceMetrics: Readonly<Record<string, Metric<ServiceFacts>>> = {
  infra_service_available: {
    help: 'Whether a service that should run is available: 1 or 0.',
    valueOf: ({ isAvailable }) => (isAvailable === undefined ? undefined : Number(isAvailable)),
  },
  infra_service_instances_wanted: observed('Instances that it should have.', ({ wanted }) => wanted),
  infra_service_instances_running: observed('Instances that do their work.', ({ running }) => running),
  infra_service_restarts: observed(
    'How often an instance ended unexpectedly since the deployment.',
    ({ restarts }) => restarts,
  ),
  infra_service_cpu_cores: used('CPUs that its instances use together.', ({ cpu }) => scaled(cpu, 1 / 1000)),
  infra_service_cpu_worst_cores: used('CPUs of the instance that uses the most.', ({ worstCpu }) =>
    scaled(worstCpu, 1 / 1000),
  ),
  infra_service_cpu_limit_ratio: used(
    'The fraction of its CPU limit that the instance closest to the limit uses, from 0 to 1.',
    (figures) => part(figures.worstCpu, limitOfOne(figures, figures.cpuLimit)),
  ),
  infra_service_memory_bytes: used('Memory that its instances use together.', ({ memory }) => memory),
  infra_service_memory_worst_bytes: used(
    'Memory of the instance that uses the most.',
    ({ worstMemory }) => worstMemory,
  ),
  infra_service_memory_limit_ratio: used(
    'The fraction of its memory limit that the instance closest to the limit uses, from 0 to 1.',
    (figures) => part(figures.worstMemory, limitOfOne(figures, figures.memoryLimit)),
  ),
  infra_service_received_bytes_per_second: used(
    'Bytes per second that its instances receive over networks.',
    ({ received }) => received,
  ),
  infra_service_sent_bytes_per_second: used(
    'Bytes per second that its instances send over networks.',
    ({ sent }) => sent,
  ),
  infra_service_requests_per_second: counted(
    'Requests to its public addresses.',
    ({ requests }) => requests?.perSecond,
  ),
  infra_service_request_error_ratio: counted(
    'The fraction of them that was answered with a status of 500 or more, from 0 to 1. Absent without requests.',
    ({ requests }) => requests?.errorRatio,
  ),
  infra_service_request_p95_seconds: counted(
    'The duration that 95 % of its requests did not exceed. Absent without requests.',
    ({ requests }) => scaled(requests?.p95, 1 / 1000),
  ),
};

/** The metrics of the resource usage of this platform's instances on nodes, where they can be measured. */
export const nodeUseMetrics: Readonly<Record<string, Metric<NodeFigures>>> = {
  infra_node_cpu_cores: {
    help: 'CPUs that instances of this platform use on a node.',
    valueOf: ({ cpu }) => scaled(cpu, 1 / 1000),
  },
  infra_node_memory_bytes: {
    help: 'Memory that instances of this platform use on a node.',
    valueOf: ({ memory }) => memory,
  },
  infra_node_received_bytes_per_second: {
    help: 'Bytes per second that instances of this platform on a node receive over networks.',
    valueOf: ({ received }) => received,
  },
  infra_node_sent_bytes_per_second: {
    help: 'Bytes per second that instances of this platform on a node send over networks.',
    valueOf: ({ sent }) => sent,
  },
};

/** The metrics of nodes. */
export const nodeMetrics: Readonly<Record<string, Metric<NodeFigures>>> = {
  infra_node_ready: {
    help: 'Whether a node is up and reached by the managers: 1 or 0.',
    valueOf: ({ isReady }) => (isReady === undefined ? undefined : Number(isReady)),
  },
  infra_node_restarts: {
    help: 'How often an instance of this platform ended unexpectedly on a node in five minutes. Instances that were lost with the node are not counted.',
    valueOf: ({ restarts }) => restarts,
  },
  ...nodeUseMetrics,
};

/** The names of all metrics. */
export const metricNames: readonly string[] = [...Object.keys(serviceMetrics), ...Object.keys(nodeMetrics)];

/** The meaning of a metric, as a sentence. */
export const metricHelp = (name: string): string => (serviceMetrics[name] ?? nodeMetrics[name])!.help;

/** The labels of metrics of services and of nodes. Names can change; ids don't. */
export const serviceMetricLabels = [
  'service_id',
  'service',
  'kind',
  'environment_id',
  'environment',
  'project_id',
  'project',
  'organization_id',
  'organization',
  'cluster_id',
  'cluster',
] as const;
export const nodeLabels = ['node_id', 'node', 'cluster_id', 'cluster'] as const;
