import type { CreatedCluster, DescribedCluster, SettingsSource, SharedSettings } from '../../index.ts';
import { createDockerRuntime } from '../docker-runtime.ts';
import {
  createDockerClient,
  createManagersClient,
  type DockerRegistryCredentials,
  requireTlsFiles,
} from '../api/index.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { readAddresses, whereAddresses } from './engine-addresses.ts';

/** Returns the credentials with which engines sign in to registries. */
export const engineCredentials =
  ({ credentialsFor }: Pick<SharedSettings, 'credentialsFor'>) =>
  (host: string): DockerRegistryCredentials | undefined => {
    const credentials = credentialsFor(host);
    return credentials && { ...credentials, serveraddress: host };
  };

/** Returns whether the operator named a registry. */
const knownRegistries = ({ registries }: Pick<SharedSettings, 'registries'>): ((host: string) => boolean) => {
  const hosts = new Set(registries.map(({ url }) => URL.parse(url)?.host ?? url));
  return (host) => hosts.has(host);
};

/** The settings of a proxy, with the domain of its cluster. */
export const proxyOf = ({ domain, settings: { proxy } }: DescribedCluster<ClusterSettings>) => ({
  ...proxy,
  ...(domain !== undefined && { domain }),
});

/** The key under which the records keep the swarm of a cluster that has several addresses. */
const keptSwarm = 'swarm';

/**
 * Creates a cluster of engines in swarm mode. Sends no request to them.
 * @throws Error if an address or one of its TLS files can't be used
 */
export async function createCluster(
  cluster: DescribedCluster<ClusterSettings>,
  shared: SharedSettings,
  source: SettingsSource,
): Promise<CreatedCluster> {
  const { builds, registry, placement, hasFastFailover, agent, imageBytes, terraform } = cluster.settings;
  const addresses = readAddresses(cluster.settings, source);
  await Promise.all(
    addresses.map((address) =>
      requireTlsFiles(address).catch((error: unknown) => {
        throw new Error(
          `The engine of the cluster "${cluster.name}" can't be used: ${(error as Error).message} ${whereAddresses(source)}`,
          { cause: error },
        );
      }),
    ),
  );
  const clients = addresses.map(createDockerClient);
  return {
    description: `${clients.length === 1 ? 'A Docker engine' : 'Managers of a Docker swarm'}: ${clients.map(({ address }) => address).join(', ')}`,
    createRuntime: async ({ kept, ...parts }) => {
      const swarm = kept(keptSwarm);
      // A single address may belong to any swarm: a recorded one no longer counts.
      if (clients.length === 1 && (await swarm.read()) !== undefined) await swarm.write('');
      return createDockerRuntime({
        docker: createManagersClient(clients, swarm),
        builds: { git: shared.git, ...builds },
        registry,
        placement,
        hasFastFailover,
        agent,
        imageBytes,
        terraform,
        proxy: proxyOf(cluster),
        databaseImages: shared.images,
        backupNodeLabel: cluster.backupNodeLabel,
        credentialsFor: engineCredentials(shared),
        isKnownRegistry: knownRegistries(shared),
        ...parts,
      });
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
