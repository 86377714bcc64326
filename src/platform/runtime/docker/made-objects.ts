import type { KnownResources } from '../index.ts';
import {
  deleteDockerConfig, deleteDockerNetwork, deleteDockerSecret, type DockerCall, type DockerClient, type DockerFilters, type DockerLabels, listDockerConfigs, listDockerImages, listDockerNetworks, listDockerSecrets,
  listDockerServices, listDockerVolumes,
} from './engine/index.ts';
import { anyPlatform, labelledEnvironment, labelledPlatform, labelledService } from './labels.ts';

/** Something that a platform made on an engine, and how to remove it. */
export interface MadeObject {
  /** Its kind and name. */
  readonly what: string;
  readonly labels: DockerLabels | null | undefined;
  /** Absent for what is never removed unasked. */
  readonly remove?: () => Promise<void>;
}

/** What has these labels, apart from containers and images. */
export async function listMadeObjects(docker: DockerClient, filters: DockerFilters, call: DockerCall = {}): Promise<readonly MadeObject[]> {
  const [services, secrets, configs, networks, volumes] = await Promise.all([
    listDockerServices(docker, filters, call), listDockerSecrets(docker, filters, call), listDockerConfigs(docker, filters, call), listDockerNetworks(docker, filters, call),
    listDockerVolumes(docker, filters, call),
  ]);
  return [
    ...services.map(({ Spec }) => ({ what: `service ${Spec.Name}`, labels: Spec.Labels })),
    ...secrets.map(({ ID: id, Spec }) => ({ what: `secret ${Spec.Name}`, labels: Spec.Labels, remove: () => deleteDockerSecret(docker, id, call) })),
    ...configs.map(({ ID: id, Spec }) => ({ what: `config ${Spec.Name}`, labels: Spec.Labels, remove: () => deleteDockerConfig(docker, id, call) })),
    ...networks.map(({ Id: id, Name: name, Labels: labels }) => ({ what: `network ${name}`, labels, remove: () => deleteDockerNetwork(docker, id, call) })),
    ...volumes.map(({ Name: name, Labels: labels }) => ({ what: `volume ${name}`, labels })),
  ];
}

/** Whether no record knows what something was made for. What belongs to neither a service nor an environment is not judged. */
export function isUnknownTo({ serviceIds, environmentIds }: KnownResources, { labels }: Pick<MadeObject, 'labels'>): boolean {
  const [service, environment] = [labelledService(labels), labelledEnvironment(labels)];
  if (service !== undefined) return !serviceIds.has(service);
  return environment !== undefined && !environmentIds.has(environment);
}

/** Something that a platform has on an engine, for reports. */
export interface PlatformObject {
  /** Its kind and name. */
  readonly what: string;
  readonly platformId: string;
  /** Whether no record knows what it was made for. @param known the records of its platform */
  readonly isUnknownTo: (known: KnownResources) => boolean;
}

/** What every platform has on an engine, images included. @throws DockerError `no manager` */
export async function listPlatformObjects(docker: DockerClient, call: DockerCall = {}): Promise<readonly PlatformObject[]> {
  const [made, images] = await Promise.all([listMadeObjects(docker, anyPlatform, call), listDockerImages(docker, anyPlatform, call)]);
  const named = images.map(({ Id: id, RepoTags: tags, Labels: labels }) => ({ what: `image ${tags?.[0] ?? id}`, labels }));
  return [...made, ...named].map((each) => ({ what: each.what, platformId: labelledPlatform(each.labels) ?? '', isUnknownTo: (known) => isUnknownTo(known, each) }));
}
