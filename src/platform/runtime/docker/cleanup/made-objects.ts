import type { KnownResources } from '../../index.ts';
import type { NodeReach } from '../docker-context.ts';
import {
  deleteDockerConfig,
  deleteDockerNetwork,
  deleteDockerSecret,
  type DockerCall,
  type DockerClient,
  type DockerFilters,
  type DockerLabels,
  listDockerConfigs,
  listDockerContainers,
  listDockerImages,
  listDockerNetworks,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
} from '../api/index.ts';
import { onEveryNode, type UnaskedNode } from '../nodes/every-node.ts';
import { anyPlatform, engineServiceLabel, labelledEnvironment, labelledPlatform, labelledService } from '../labels.ts';

/** An object that a platform created on an engine, and how to remove it. */
export interface MadeObject {
  /** Its kind and name. */
  readonly what: string;
  readonly labels: DockerLabels | null | undefined;
  /** Absent for objects that are never removed automatically. */
  readonly remove?: () => Promise<void>;
}

/** The objects of the swarm with these labels. */
async function listSwarmObjects(
  docker: DockerClient,
  filters: DockerFilters,
  call: DockerCall = {},
): Promise<readonly MadeObject[]> {
  const [services, secrets, configs, networks] = await Promise.all([
    listDockerServices(docker, filters, call),
    listDockerSecrets(docker, filters, call),
    listDockerConfigs(docker, filters, call),
    listDockerNetworks(docker, filters, call),
  ]);
  return [
    ...services.map(({ Spec }) => ({ what: `service ${Spec.Name}`, labels: Spec.Labels })),
    ...secrets.map(({ ID: id, Spec }) => ({
      what: `secret ${Spec.Name}`,
      labels: Spec.Labels,
      remove: () => deleteDockerSecret(docker, id, call),
    })),
    ...configs.map(({ ID: id, Spec }) => ({
      what: `config ${Spec.Name}`,
      labels: Spec.Labels,
      remove: () => deleteDockerConfig(docker, id, call),
    })),
    ...networks.map(({ Id: id, Name: name, Labels: labels }) => ({
      what: `network ${name}`,
      labels,
      remove: () => deleteDockerNetwork(docker, id, call),
    })),
  ];
}

/**
 * The objects of one engine with these labels: volumes, images, and containers that don't run and whose service no
 * longer exists in the swarm.
 * @param where appended to the names, or empty
 */
async function listNodeObjects(
  docker: DockerClient,
  where: string,
  filters: DockerFilters,
  serviceIds: ReadonlySet<string>,
  call: DockerCall,
): Promise<readonly MadeObject[]> {
  const [volumes, images, containers] = await Promise.all([
    listDockerVolumes(docker, filters, call),
    listDockerImages(docker, filters, call),
    listDockerContainers(docker, { ...filters, status: ['created', 'exited', 'dead'] }, call),
  ]);
  return [
    ...volumes.map(({ Name: name, Labels: labels }) => ({ what: `volume ${name}${where}`, labels })),
    ...images.map(({ Id: id, RepoTags: tags, Labels: labels }) => ({
      what: `image ${tags?.[0] ?? id}${where}`,
      labels,
    })),
    ...containers
      .filter(({ Labels: labels }) => !serviceIds.has(labels?.[engineServiceLabel] ?? ''))
      .map(({ Names: [name = ''], Labels: labels }) => ({ what: `container ${name.slice(1)}${where}`, labels })),
  ];
}

/**
 * The objects with these labels in the swarm and on each of its nodes, and the nodes that could not be reached.
 * @throws DockerError `no manager`
 */
export async function listMadeObjects(
  parts: NodeReach,
  filters: DockerFilters,
  signal: AbortSignal,
): Promise<{ readonly objects: readonly MadeObject[]; readonly unasked: readonly UnaskedNode[] }> {
  const { docker } = parts;
  const inSwarm = await listSwarmObjects(docker, filters, { signal });
  const serviceIds = new Set((await listDockerServices(docker, {}, { signal })).map(({ ID: id }) => id));
  const { seen, unasked } = await onEveryNode(
    parts,
    (engine, { Description }) =>
      listNodeObjects(engine, engine === docker ? '' : ` on ${Description.Hostname}`, filters, serviceIds, { signal }),
    signal,
  );
  return { objects: [...inSwarm, ...seen.flatMap(({ result }) => result)], unasked };
}

/**
 * Whether no record knows what an object was created for. False for one that belongs to neither a service nor an
 * environment.
 */
export function isUnknownTo(
  { serviceIds, environmentIds }: KnownResources,
  { labels }: Pick<MadeObject, 'labels'>,
): boolean {
  const [service, environment] = [labelledService(labels), labelledEnvironment(labels)];
  if (service !== undefined) return !serviceIds.has(service);
  return environment !== undefined && !environmentIds.has(environment);
}

/** An object of a platform on an engine, for reports. */
export interface PlatformObject {
  /** Its kind and name. */
  readonly what: string;
  readonly platformId: string;
  /** Whether no record knows what it was created for. @param known the records of its platform */
  readonly isUnknownTo: (known: KnownResources) => boolean;
}

/**
 * The objects of every platform on the engines of a cluster, and the nodes that could not be reached.
 * @throws DockerError `no manager`
 */
export async function listPlatformObjects(
  parts: Parameters<typeof listMadeObjects>[0],
  signal: AbortSignal,
): Promise<{ readonly objects: readonly PlatformObject[]; readonly unasked: readonly UnaskedNode[] }> {
  const { objects, unasked } = await listMadeObjects(parts, anyPlatform, signal);
  return {
    objects: objects.map((each) => ({
      what: each.what,
      platformId: labelledPlatform(each.labels) ?? '',
      isUnknownTo: (known) => isUnknownTo(known, each),
    })),
    unasked,
  };
}
