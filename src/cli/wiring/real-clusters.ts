import { dirname, resolve } from 'node:path';
import { defaultDomain, type Config } from '../config/index.ts';
import { backupSettings, nodeSettings, publicPortSettings } from './cluster-settings.ts';
import { readAddress, whereAddresses } from './engine-connection.ts';
import { buildSettings, ownRegistrySettings } from './git-servers.ts';
import type { RealClusters } from '../../platform/index.ts';
import { publicRegistry, oneEngine, readClustersFile, readCredentials } from './clusters-file.ts';

/** The clusters that a platform has, and the clients of their engines. */
export interface OpenedClusters {
  readonly realClusters: RealClusters;
  /** Closes the connections to the engines. */
  close(): Promise<void>;
}

/**
 * The clusters that the options or the clusters file describe. No engine is asked.
 * @throws Error if the clusters file or a file that it names can't be used, or an option has no effect beside it
 */
export async function describeClusters({
  engine,
  engineTlsDir,
  domain,
  clustersFile,
}: Pick<Config, 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>) {
  if (clustersFile !== undefined && domain !== defaultDomain)
    throw new Error(
      `--domain (INFRA_DOMAIN) would have no effect beside the clusters file: write "domain: ${domain}" for each cluster in ${clustersFile}, and leave the option out.`,
    );
  const { clusters, registries, images, git, prometheus, alerts } =
    clustersFile === undefined ? oneEngine(engine, engineTlsDir, domain) : await readClustersFile(clustersFile);
  const credentials = await readCredentials(registries);
  return {
    clusters: await Promise.all(
      Object.entries(clusters).map(
        async ([
          name,
          {
            engine: address,
            tls,
            limits,
            terraform,
            domain: own,
            proxy = {},
            placement,
            failover,
            database_backups,
            agent,
            images_gb: gigabytes,
            ...builds
          },
        ]) => ({
          name,
          engines: typeof address === 'string' ? [address] : address,
          tls,
          limits,
          terraform,
          ...nodeSettings({ placement, failover }),
          ...backupSettings({ database_backups }),
          agent,
          imageBytes: gigabytes === undefined ? undefined : gigabytes * 1e9,
          builds: { git, ...buildSettings(builds) },
          registry: ownRegistrySettings(builds),
          proxy: {
            ...(await publicPortSettings(proxy, (path) => resolve(dirname(clustersFile ?? ''), path))),
            ...(own !== undefined && { domain: own }),
          },
        }),
      ),
    ),
    registries: Object.entries(registries).map(([name, { url }]) => ({ name, url })),
    images,
    git,
    prometheus,
    alerts,
    credentialsFor: (host: string) => credentials.get(host),
  };
}

/**
 * The addresses of a cluster's engines. The TLS files are for those of several that aren't sockets.
 * @param parse see `parseDockerAddress`
 */
export const readAddresses = <Address>(
  { engines, tls }: Pick<DescribedCluster, 'engines' | 'tls'>,
  clustersFile: string | undefined,
  parse: (text: string, tls: DescribedCluster['tls']) => Address,
): readonly Address[] =>
  engines.map((text) =>
    readAddress(clustersFile, () => parse(text, engines.length > 1 && text.startsWith('unix:') ? undefined : tls)),
  );

/** A cluster as the options or the clusters file describe it. */
export type DescribedCluster = Awaited<ReturnType<typeof describeClusters>>['clusters'][number];

/**
 * The clusters on which a platform really runs services, if it is told to.
 * @returns undefined for a platform that simulates
 * @throws Error if the clusters file or a file that it names can't be used, or is given to a platform that simulates
 */
export async function openClusters({
  runtime,
  ...described
}: Pick<Config, 'runtime' | 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>): Promise<
  OpenedClusters | undefined
> {
  if (runtime !== 'docker') {
    if (described.clustersFile !== undefined)
      throw new Error(
        `The clusters file ${described.clustersFile} is given, and nothing would run on its clusters: the runtime is ${runtime}. Add --runtime docker (INFRA_RUNTIME), or leave the file out.`,
      );
    return undefined;
  }
  const { createDockerClient, createDockerRuntime, createManagersClient, parseDockerAddress, requireTlsFiles } =
    await import('../../platform/runtime/docker/index.ts');
  const { clusters, registries, images, prometheus, alerts, credentialsFor } = await describeClusters(described);
  const known = clusters.map((cluster) => ({
    ...cluster,
    addresses: readAddresses(cluster, described.clustersFile, parseDockerAddress),
  }));
  await Promise.all(
    known.flatMap(({ name, addresses }) =>
      addresses.map((address) =>
        requireTlsFiles(address).catch((error: unknown) => {
          throw new Error(
            `The engine of the cluster "${name}" can't be used: ${(error as Error).message} ${whereAddresses(described.clustersFile)}`,
            { cause: error },
          );
        }),
      ),
    ),
  );
  const opened = known.map(({ addresses, ...cluster }) => ({ ...cluster, clients: addresses.map(createDockerClient) }));
  return {
    realClusters: {
      prometheus,
      alerts,
      clusters: opened.map(
        ({
          name,
          clients,
          builds,
          registry,
          proxy,
          limits,
          placement,
          hasFastFailover,
          agent,
          imageBytes,
          terraform,
          backups,
          backupNodeLabel,
        }) => ({
          name,
          limits,
          backups,
          description: `${clients.length === 1 ? 'A Docker engine' : 'Managers of a Docker swarm'}: ${clients.map(({ address }) => address).join(', ')}`,
          keepsSwarm: clients.length > 1,
          createRuntime: ({ swarm, ...parts }) =>
            createDockerRuntime({
              docker: createManagersClient(clients, swarm),
              builds,
              registry,
              proxy,
              placement,
              hasFastFailover,
              agent,
              imageBytes,
              terraform,
              databaseImages: images,
              backupNodeLabel,
              credentialsFor,
              ...parts,
            }),
        }),
      ),
      registries: [publicRegistry, ...registries.map((registry) => ({ ...registry, kind: 'GENERIC_CR' as const }))],
    },
    close: async () => {
      await Promise.all(opened.flatMap(({ clients }) => clients.map((client) => client.close())));
    },
  };
}
