import * as z from 'zod';
import { maybe, maybeRecord } from '../lenient.ts';
import { originIn } from '../version-source.ts';

const Probe = maybeRecord({
  type: maybeRecord({
    tcp: maybeRecord({ port: maybe(z.number()) }),
    http: maybeRecord({ port: maybe(z.number()), path: maybe(z.string()) }),
    grpc: maybeRecord({ port: maybe(z.number()) }),
  }),
  initial_delay_seconds: maybe(z.number()),
});

const Configuration = z.looseObject({
  registry: maybeRecord({ name: maybe(z.string()), url: maybe(z.string()) }),
  mode: maybe(z.string()),
  storage: maybe(z.number()),
  memory: maybe(z.number()),
  maximum_memory: maybe(z.number()),
  cpu: maybe(z.number()),
  updated_at: maybe(z.string()),
  timeout_sec: maybe(z.number()),
  max_duration_seconds: maybe(z.number()),
  dockerfile_path: maybe(z.string()),
  ports: maybe(z.array(z.looseObject({ internal_port: maybe(z.number()) }))),
  healthchecks: maybeRecord({ readiness_probe: Probe, liveness_probe: Probe }),
});

/**
 * The parts of a service's configuration that a diagnosis uses, for all kinds. Members that the platform omits are
 * absent.
 */
export interface Configuration {
  readonly image?: string;
  readonly tag?: string;
  /** The registry that the image is pulled from: its name, or else its address. */
  readonly registry?: string;
  readonly registryId?: string;
  /** Whether the cloud provider runs it, on the provider's instance types. */
  readonly isManaged: boolean;
  /** Disk of a database, in GB. */
  readonly storage?: number;
  /** In MB; `maximumMemory` is the limit of its cluster. */
  readonly memory?: number;
  readonly maximumMemory?: number;
  /** In millicores. */
  readonly cpu?: number;
  readonly updatedAt?: string;
  /** Time limit of a deployment or run, in seconds. */
  readonly timeLimit?: number;
  readonly dockerfile?: string;
  readonly ports: readonly number[];
  readonly readinessPort?: number;
  readonly readinessPath?: string;
  readonly branch?: string;
  readonly repository?: string;
  /** Name and version of a chart. */
  readonly chart?: string;
  readonly chartName?: string;
  readonly chartVersion?: string;
  readonly chartRepositoryId?: string;
}

const portOf = (probe: z.infer<typeof Probe>): number | undefined =>
  probe?.type?.http?.port ?? probe?.type?.tcp?.port ?? probe?.type?.grpc?.port ?? undefined;

const numbers = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value) => typeof value === 'number');

/** Reads the configuration of a service of any kind from the platform's response. Never throws. */
export function readConfiguration(answer: Readonly<Record<string, unknown>> | null | undefined): Configuration {
  const read = Configuration.parse(answer ?? {});
  const { git, image, chart } = originIn(answer);
  return {
    image: image?.name,
    tag: image?.tag,
    registry: read.registry?.name ?? read.registry?.url ?? undefined,
    registryId: image?.registryId,
    isManaged: read.mode === 'MANAGED',
    storage: read.storage ?? undefined,
    memory: read.memory ?? undefined,
    maximumMemory: read.maximum_memory ?? undefined,
    cpu: read.cpu ?? undefined,
    updatedAt: read.updated_at ?? undefined,
    timeLimit: read.max_duration_seconds ?? read.timeout_sec ?? undefined,
    dockerfile: read.dockerfile_path ?? undefined,
    ports: numbers((read.ports ?? []).map((port) => port.internal_port)),
    readinessPort: portOf(read.healthchecks?.readiness_probe),
    readinessPath: read.healthchecks?.readiness_probe?.type?.http?.path ?? undefined,
    branch: git?.branch,
    repository: git?.url,
    chart: chart?.name ? [chart.name, chart.version].filter(Boolean).join(' ') : undefined,
    chartName: chart?.name,
    chartVersion: chart?.version,
    chartRepositoryId: chart?.repositoryId,
  };
}
