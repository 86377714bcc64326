import * as z from 'zod';

// Invalid members count as absent: a diagnosis works with the rest.
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const record = <Shape extends z.ZodRawShape>(shape: Shape) => maybe(z.looseObject(shape));

const Probe = record({
  type: record({
    tcp: record({ port: maybe(z.number()) }),
    http: record({ port: maybe(z.number()), path: maybe(z.string()) }),
    grpc: record({ port: maybe(z.number()) }),
  }),
  initial_delay_seconds: maybe(z.number()),
});

const Git = record({ url: maybe(z.string()), branch: maybe(z.string()) });

const Configuration = z.looseObject({
  image_name: maybe(z.string()),
  tag: maybe(z.string()),
  memory: maybe(z.number()),
  maximum_memory: maybe(z.number()),
  cpu: maybe(z.number()),
  updated_at: maybe(z.string()),
  timeout_sec: maybe(z.number()),
  max_duration_seconds: maybe(z.number()),
  dockerfile_path: maybe(z.string()),
  ports: maybe(z.array(z.looseObject({ internal_port: maybe(z.number()) }))),
  healthchecks: record({ readiness_probe: Probe, liveness_probe: Probe }),
  git_repository: Git,
  terraform_files_source: record({ git: record({ git_repository: Git }) }),
  source: record({
    image: record({ image_name: maybe(z.string()), tag: maybe(z.string()) }),
    git: record({ git_repository: Git }),
    repository: record({ chart_name: maybe(z.string()), chart_version: maybe(z.string()) }),
  }),
});

/** The parts of a service's configuration that a diagnosis uses, for all kinds. Members that the platform omits are absent. */
export interface Configuration {
  readonly image?: string;
  readonly tag?: string;
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
  readonly chart?: string;
}

const portOf = (probe: z.infer<typeof Probe>): number | undefined =>
  probe?.type?.http?.port ?? probe?.type?.tcp?.port ?? probe?.type?.grpc?.port ?? undefined;

const numbers = (values: readonly (number | null | undefined)[]): number[] => values.filter((value) => typeof value === 'number');

/** Reads the configuration of a service of any kind from the platform's response. Never throws. */
export function readConfiguration(answer: Readonly<Record<string, unknown>> | null | undefined): Configuration {
  const read = Configuration.parse(answer ?? {});
  const git = read.git_repository ?? read.terraform_files_source?.git?.git_repository ?? read.source?.git?.git_repository;
  const chart = read.source?.repository;
  return {
    image: read.image_name ?? read.source?.image?.image_name ?? undefined,
    tag: read.tag ?? read.source?.image?.tag ?? undefined,
    memory: read.memory ?? undefined,
    maximumMemory: read.maximum_memory ?? undefined,
    cpu: read.cpu ?? undefined,
    updatedAt: read.updated_at ?? undefined,
    timeLimit: read.max_duration_seconds ?? read.timeout_sec ?? undefined,
    dockerfile: read.dockerfile_path ?? undefined,
    ports: numbers((read.ports ?? []).map((port) => port.internal_port)),
    readinessPort: portOf(read.healthchecks?.readiness_probe),
    readinessPath: read.healthchecks?.readiness_probe?.type?.http?.path ?? undefined,
    branch: git?.branch ?? undefined,
    repository: git?.url ?? undefined,
    chart: chart?.chart_name ? [chart.chart_name, chart.chart_version].filter(Boolean).join(' ') : undefined,
  };
}
