import { mebibyte, neighbourNames } from '../../../common/index.ts';
import type { ResolvedVariable, Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import type { DockerContainerSpec, DockerMount, DockerServiceSpec } from '../api/index.ts';
import { deploymentLabels, serviceLabels, withRoutes, withStopped } from '../labels.ts';
import { dockerServiceName, networkName, volumeName } from '../names.ts';
import type { DockerRecord } from '../record.ts';
import { isSecretVariable } from './mounted-files.ts';
import { placementOf, type PlacementParts } from '../nodes/placement.ts';
import { probeHealthcheck } from './probes.ts';
import type { Route } from '../proxy/routes.ts';
import { withSecretVariables } from './secret-variables.ts';
import { probesOf, workloadOf, type Workload } from '../workload.ts';

const second = 1e9;
/** The inputs of a spec besides the task. */
export interface SpecParts {
  readonly record: DockerRecord;
  readonly variables: readonly ResolvedVariable[];
  readonly files: Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;
  /** The public addresses of the service. */
  readonly routes?: readonly Route[];
  /** Where its instances may run: on the node with its volumes, or on the one with its image if no registry has it. */
  readonly placement?: PlacementParts;
}

/** Returns the names of the volumes of a service. @param record of the version that has them */
export const volumesOf = (
  service: Pick<Workload, 'id' | 'storage'>,
  { data }: Pick<DockerRecord, 'data'>,
): readonly string[] => service.storage.map(({ id }) => data?.volume ?? volumeName(service, id));

const mountsOf = (
  { platformId }: Pick<DockerContext, 'platformId'>,
  service: Workload,
  record: DockerRecord,
): DockerMount[] => [
  ...volumesOf(service, record).map((name, index) => ({
    Type: 'volume' as const,
    Source: name,
    Target: service.storage[index]!.mount_point,
    VolumeOptions: { Labels: serviceLabels(platformId, service) },
  })),
  ...(service.sharedMemory === undefined
    ? []
    : [{ Type: 'tmpfs' as const, Target: '/dev/shm', TmpfsOptions: { SizeBytes: service.sharedMemory * mebibyte } }]),
];

/**
 * Returns the command line: the service's, else the image's. A service's entrypoint also replaces the image's
 * arguments, as in the image format.
 */
const commandOf = (
  { entrypoint, arguments: args = [] }: Workload,
  { record, variables }: SpecParts,
): Pick<DockerContainerSpec, 'Command' | 'Args'> => {
  const command = entrypoint === undefined ? record.entrypoint : [entrypoint];
  return {
    Command: variables.some(isSecretVariable) ? withSecretVariables(command) : command,
    Args: args.length > 0 || entrypoint !== undefined ? args : record.command,
  };
};

const containerSpec = (
  context: Pick<DockerContext, 'platformId'>,
  task: Task,
  parts: SpecParts,
): DockerContainerSpec => {
  const service = workloadOf(task);
  const { record, variables, files } = parts;
  const mounts = mountsOf(context, service, record);
  const healthcheck = probeHealthcheck(probesOf(service));
  return {
    Image: record.image,
    ...commandOf(service, parts),
    Env: variables.flatMap(({ key, value, isSecret, mountPath }) =>
      mountPath === undefined && !isSecret ? [`${key}=${value}`] : [],
    ),
    ...(healthcheck && { Healthcheck: healthcheck }),
    // The deployment label makes a restart a change of the spec, so that all instances are replaced.
    Labels: deploymentLabels(context.platformId, task),
    // Programs that ignore SIGTERM as the first process stop at once; others get their grace period.
    Init: true,
    StopGracePeriod: (service.stopSeconds ?? 30) * second,
    ...(mounts.length > 0 && { Mounts: mounts }),
    ...files,
  };
};

/** Returns the engine's service for a version of a workload. It contains no secret. */
export function serviceSpecOf(
  context: Pick<DockerContext, 'platformId'>,
  task: Task,
  parts: SpecParts,
): DockerServiceSpec {
  const service = workloadOf(task);
  const { cpu, memory, instances, storage } = service;
  const limits = { NanoCPUs: cpu * 1e6, MemoryBytes: memory * mebibyte };
  return {
    Name: dockerServiceName(service),
    Labels: withRoutes(
      withStopped(deploymentLabels(context.platformId, task), false),
      parts.routes?.length ? JSON.stringify(parts.routes) : undefined,
    ),
    TaskTemplate: {
      ContainerSpec: containerSpec(context, task, parts),
      Resources: { Limits: { ...limits, Pids: 4096 }, Reservations: { MemoryBytes: limits.MemoryBytes } },
      RestartPolicy: { Condition: 'any', Delay: second / 2 },
      Networks: [{ Target: networkName(service.environmentId), Aliases: neighbourNames(service) }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
      // A volume is on one node only: elsewhere the service would find an empty one.
      ...placementOf(parts.placement ?? {}),
    },
    Mode: { Replicated: { Replicas: instances } },
    // Never the engine's own rollback: it returns to the spec that was sent before, which may be as bad.
    UpdateConfig: {
      Parallelism: 1,
      Order: storage.length > 0 ? 'stop-first' : 'start-first',
      FailureAction: 'pause',
      Monitor: 2 * second,
    },
    EndpointSpec: { Mode: 'dnsrr' },
  };
}

/** Returns the same service for another deployment of the same version: all instances are replaced. */
export const specForRestart = (
  context: Pick<DockerContext, 'platformId'>,
  task: Task,
  spec: DockerServiceSpec,
): DockerServiceSpec => ({
  ...spec,
  Labels: withStopped({ ...spec.Labels, ...deploymentLabels(context.platformId, task) }, false),
  TaskTemplate: {
    ...spec.TaskTemplate,
    ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Labels: deploymentLabels(context.platformId, task) },
  },
});

/** Returns the same service without instances, marked as stopped. */
export const stoppedSpec = (spec: DockerServiceSpec): DockerServiceSpec => ({
  ...spec,
  Labels: withStopped(spec.Labels ?? {}, true),
  Mode: { Replicated: { Replicas: 0 } },
});
