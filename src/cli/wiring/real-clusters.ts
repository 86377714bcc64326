import { dirname, resolve } from 'node:path';
import type { RealClusters } from '../../platform/index.ts';
import type {
  DescribedCluster,
  RuntimeProvider,
  SettingsSource,
  SharedSettings,
} from '../../platform/runtime/index.ts';
import { runtimeNames, runtimeProviders, simulatedRuntime } from '../../platform/runtime-providers.ts';
import { defaultDomain, type Config } from '../config/index.ts';
import { onlyCluster, publicRegistry, readClustersFile, readCredentials } from './clusters-file.ts';
import { readConfiguredFile } from './configured-file.ts';

/** The options that describe the clusters of a platform. */
type ClustersConfig = Pick<Config, 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>;

/** The clusters that a platform has, and the clients of their engines. */
interface OpenedClusters {
  readonly realClusters: RealClusters;
  /** Closes the connections to the engines. */
  close(): Promise<void>;
}

/** A cluster from the options or the clusters file, for the platform and for its provider. */
type Described = DescribedCluster & Pick<RealClusters['clusters'][number], 'limits' | 'backups'>;

/** The clusters and settings from the options or the clusters file. */
export interface DescribedClusters extends Pick<RealClusters, 'prometheus' | 'alerts'> {
  readonly clusters: readonly Described[];
  readonly shared: SharedSettings;
  readonly source: SettingsSource;
}

const sourceOf = (file: string | undefined): SettingsSource => {
  const from = (path: string): string => resolve(dirname(file ?? ''), path);
  return { file, resolve: from, read: (path, what) => readConfiguredFile(from(path), what) };
};

/**
 * Reads the clusters from the options or the clusters file. Queries no engine.
 * @throws Error if the clusters file or a file that it names can't be used, or an option has no effect with it
 */
export async function describeClusters(
  { domain, clustersFile, ...engine }: ClustersConfig,
  provider: RuntimeProvider,
): Promise<DescribedClusters> {
  if (clustersFile !== undefined && domain !== defaultDomain)
    throw new Error(
      `--domain (INFRA_DOMAIN) would have no effect with the clusters file: write "domain: ${domain}" for each cluster in ${clustersFile}, and leave the option out.`,
    );
  const { clusters, registries, images, git, prometheus, alerts } =
    clustersFile === undefined
      ? onlyCluster(provider.configOf(engine), domain)
      : await readClustersFile(clustersFile, provider);
  const credentials = await readCredentials(registries);
  const source = sourceOf(clustersFile);
  return {
    clusters: await Promise.all(
      Object.entries(clusters).map(async ([name, { config, domain: own, limits, database_backups: backups }]) => ({
        name,
        domain: own,
        limits,
        // Without an interval, databases are backed up on request only.
        ...(backups?.every_hours !== undefined && { backups: { everyHours: backups.every_hours, keep: backups.keep } }),
        backupNodeLabel: backups?.node_label,
        settings: await provider.readSettings(config, source),
      })),
    ),
    shared: {
      registries: Object.entries(registries).map(([name, { url }]) => ({ name, url })),
      credentialsFor: (host) => credentials.get(host),
      images,
      git,
    },
    source,
    prometheus,
    alerts,
  };
}

/**
 * Opens the clusters on which a platform really runs services, if configured.
 * @returns undefined for a platform that simulates
 * @throws Error if the clusters file or a file that it names can't be used, or is given to a platform that simulates
 */
export async function openClusters({
  runtime,
  ...described
}: ClustersConfig & Pick<Config, 'runtime'>): Promise<OpenedClusters | undefined> {
  if (runtime === simulatedRuntime) {
    if (described.clustersFile !== undefined)
      throw new Error(
        `The clusters file ${described.clustersFile} is given, and nothing would run on its clusters: the runtime is ${runtime}. Add --runtime ${runtimeNames.join(' or ')} (INFRA_RUNTIME), or leave the file out.`,
      );
    return undefined;
  }
  const provider = await runtimeProviders[runtime]();
  const { clusters, shared, source, prometheus, alerts } = await describeClusters(described, provider);
  const opened = await Promise.all(
    clusters.map(async (cluster) => ({ cluster, created: await provider.create(cluster, shared, source) })),
  );
  return {
    realClusters: {
      prometheus,
      alerts,
      clusters: opened.map(({ cluster: { name, limits, backups }, created: { description, createRuntime } }) => ({
        name,
        limits,
        backups,
        description,
        version: runtime,
        createRuntime,
      })),
      registries: [
        publicRegistry,
        ...shared.registries.map((registry) => ({ ...registry, kind: 'GENERIC_CR' as const })),
      ],
    },
    close: async () => {
      await Promise.all(opened.map(({ created }) => created.close()));
    },
  };
}
