import {
  deleteDockerConfig,
  deleteDockerSecret,
  type DockerClient,
  type DockerFilters,
  type DockerServiceSpec,
  ignoring,
  listDockerConfigs,
  listDockerSecrets,
} from './api/index.ts';

/**
 * Mounts a secret or config at a path in a container, as a file that root owns.
 * @param mode permissions: programs seldom run as root
 */
export const mountedFile = (path: string, mode: number) => ({ Name: path, UID: '0', GID: '0', Mode: mode });

const usedBy = (spec: DockerServiceSpec | undefined): readonly string[] => {
  const { Secrets = [], Configs = [] } = spec?.TaskTemplate.ContainerSpec ?? {};
  return [...Secrets.map(({ SecretID }) => SecretID), ...Configs.map(({ ConfigID }) => ConfigID)];
};

/** Ignores that an object no longer exists or is in use. */
const drop = (removal: Promise<void>): Promise<void> => removal.catch(ignoring('not found', 'refused'));

/**
 * Deletes the secrets and configs that match, except those that these specs use. Those still in use stay until the next
 * time.
 */
export async function deleteFilesBut(
  docker: DockerClient,
  filters: DockerFilters,
  specs: readonly (DockerServiceSpec | undefined)[],
  signal: AbortSignal,
): Promise<void> {
  const used = new Set(specs.flatMap(usedBy));
  const [secrets, configs] = await Promise.all([
    listDockerSecrets(docker, filters, { signal }),
    listDockerConfigs(docker, filters, { signal }),
  ]);
  await Promise.all([
    ...secrets.filter(({ ID }) => !used.has(ID)).map(({ ID }) => drop(deleteDockerSecret(docker, ID, { signal }))),
    ...configs.filter(({ ID }) => !used.has(ID)).map(({ ID }) => drop(deleteDockerConfig(docker, ID, { signal }))),
  ]);
}
