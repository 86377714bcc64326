import type { ServiceToRun, Task } from '../index.ts';
import { databaseRefusal, databaseWorkload } from './databases/databases.ts';
import { autoDeployRefusal, deploysByItself, sourceRefusal } from './builds/service-source.ts';
import { jobRefusal, jobWorkload } from './jobs/job.ts';
import { probeRefusal } from './services/probes.ts';
import type { TerraformSettings } from './terraform/settings.ts';
import { terraformRefusal, terraformWorkload } from './terraform/workload.ts';

type Kind = ServiceToRun['kind'];
type ServiceOf<K extends Kind> = Extract<ServiceToRun, { kind: K }>;
type ContainerSpec = ServiceOf<'container'>['spec'];
type RunningSpec = ServiceOf<'application' | 'container'>['spec'];

/** A service with instances, of any kind: the input of a spec for the engine. */
export interface Workload extends Pick<
  ContainerSpec,
  'cpu' | 'memory' | 'storage' | 'ports' | 'healthchecks' | 'entrypoint' | 'arguments'
> {
  readonly id: string;
  readonly name: string;
  readonly environmentId: string;
  readonly instances: number;
  /** How long it may take to exit when it is stopped, in seconds; default: 30. */
  readonly stopSeconds?: number;
  /** How much of its memory its processes may share, in MiB; default: the engine's. */
  readonly sharedMemory?: number;
}

/** The conversions of kinds with instances to workloads. */
const workloads: { readonly [K in Kind]?: (service: ServiceOf<K>, task: Task) => Workload } = {
  application: ({ id, name, environmentId, spec }) => ({
    ...spec,
    healthchecks: spec.healthchecks ?? {},
    id,
    name,
    environmentId,
    instances: spec.min_running_instances,
  }),
  container: ({ id, name, environmentId, spec }) => ({
    ...spec,
    id,
    name,
    environmentId,
    instances: spec.min_running_instances,
  }),
  database: databaseWorkload,
  job: jobWorkload,
  terraform: terraformWorkload,
};

/** Converts the service of a task to a workload. @throws Error for a kind that this runtime doesn't roll out */
export function workloadOf(task: Task): Workload {
  const { service } = task;
  const convert = workloads[service.kind] as ((of: ServiceToRun, task: Task) => Workload) | undefined;
  if (convert === undefined) throw new Error(`This cluster doesn't run services of the kind ${service.kind}.`);
  return convert(service, task);
}

/**
 * The rules for applications and containers: configurations that this runtime doesn't support, and what to do instead.
 */
const rules: readonly { readonly isBroken: (spec: RunningSpec) => boolean; readonly why: string }[] = [
  {
    isBroken: ({ autoscaling }) => autoscaling !== undefined,
    why: 'Nothing scales services on this cluster: leave out "autoscaling", and set the number of instances.',
  },
  {
    isBroken: ({ min_running_instances: least, max_running_instances: most }) => least !== most,
    why: 'Nothing scales services on this cluster: give "min_running_instances" and "max_running_instances" the same number.',
  },
  { isBroken: deploysByItself, why: autoDeployRefusal },
  { isBroken: ({ gpu }) => gpu > 0, why: 'This cluster has no GPUs: leave out "gpu".' },
  {
    isBroken: ({ ports }) =>
      ports.some(
        ({ publicly_accessible: isPublic, protocol }) =>
          isPublic === true && (protocol === 'TCP' || protocol === 'UDP'),
      ),
    why: 'Public ports of this cluster speak HTTP or GRPC: for TCP and UDP, set "publicly_accessible" to false. The neighbours of a service in its environment reach those ports by its name.',
  },
  {
    isBroken: ({ storage, min_running_instances: instances }) => storage.length > 0 && instances > 1,
    why: 'Instances of a service would share its storage on this cluster: set both numbers of instances to 1, or leave out "storage".',
  },
];

/**
 * Returns the port that an instance without probes has to listen on to be ready; undefined if no port can be checked.
 */
const listenedPort = ({ ports }: Workload): number | undefined => {
  const tried = ports.filter(({ protocol }) => protocol !== 'UDP');
  return (tried.find(({ is_default: isDefault }) => isDefault) ?? tried[0])?.internal_port;
};

/**
 * Returns the probes of a workload. One without any is ready when it listens on its default port: otherwise an instance
 * could replace one of the old version before it can answer requests.
 */
export function probesOf(workload: Workload): Workload['healthchecks'] {
  const { readiness_probe: ready, liveness_probe: live } = workload.healthchecks;
  const port = listenedPort(workload);
  if (ready !== undefined || live !== undefined || port === undefined) return workload.healthchecks;
  return {
    readiness_probe: {
      type: { tcp: { port } },
      initial_delay_seconds: 0,
      period_seconds: 1,
      timeout_seconds: 2,
      success_threshold: 1,
      failure_threshold: 60,
    },
  };
}

/** Returns why this runtime can't run such a service; undefined if it can. */
export function refusalOf(
  service: Pick<ServiceToRun, 'kind' | 'spec'>,
  terraform?: TerraformSettings,
): string | undefined {
  if (service.kind === 'database') return databaseRefusal((service as ServiceOf<'database'>).spec);
  if (service.kind === 'job') return jobRefusal(service.spec as ServiceOf<'job'>['spec']);
  if (service.kind === 'terraform') return terraformRefusal(service.spec as ServiceOf<'terraform'>['spec'], terraform);
  if (service.kind === 'helm') return 'Helm charts need Kubernetes, which this cluster is not.';
  const spec = service.spec as RunningSpec;
  return (
    rules.find(({ isBroken }) => isBroken(spec))?.why ?? probeRefusal(spec.healthchecks ?? {}) ?? sourceRefusal(service)
  );
}
