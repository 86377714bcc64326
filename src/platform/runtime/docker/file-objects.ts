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
 * Where a container has a secret or config, as a file of root's.
 * @param mode permissions: programs seldom run as root
 */
export const mountedFile = (path: string, mode: number) => ({ Name: path, UID: '0', GID: '0', Mode: mode });

const usedBy = (spec: DockerServiceSpec | undefined): readonly string[] => {
  const { Secrets = [], Configs = [] } = spec?.TaskTemplate.ContainerSpec ?? {};
  return [...Secrets.map(({ SecretID }) => SecretID), ...Configs.map(({ ConfigID }) => ConfigID)];
};

/** Deletes something, unless it is gone or in use. */
const drop = (removal: Promise<void>): Promise<void> => removal.catch(ignoring('not found', 'refused'));

/**
 * Deletes the secrets and configs that match, apart from those that these specs use. What is still in use stays for the
 * next time.
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
