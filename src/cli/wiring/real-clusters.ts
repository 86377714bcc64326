import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { defaultDomain, domainPattern, type Config } from '../config/index.ts';
import { BackupsOfCluster, backupSettings, nodeSettings, NodesOfCluster, ProxyOfCluster, publicPortSettings, PrometheusOfFile, prometheusSettings } from './cluster-settings.ts';
import { readConfiguredFile, readConfiguredValue } from './configured-file.ts';
import { readAddress, tlsFilesIn, whereAddresses } from './engine-connection.ts';
import { BuildsOfCluster, buildSettings, GitServers, ownRegistrySettings, readGitServers } from './git-servers.ts';
import { HttpAddress, isBare } from './http-address.ts';
import { AlertsOfFile, alertSettings } from './alerts.ts';
import type { RealClusters } from '../../platform/index.ts';

/** The clusters that a platform has, and the clients of their engines. */
export interface OpenedClusters {
  readonly realClusters: RealClusters;
  /** Closes the connections to the engines. */
  close(): Promise<void>;
}

const Name = z.string().regex(/^[\w.-]{1,64}$/, 'must be a name of letters, digits, dots, dashes and underscores');

const Domain = z.string().max(150).regex(domainPattern, 'must be a domain name such as apps.example.com, without scheme and port');

/** A type of database, or one version of it. */
const databaseWords = 'must be postgresql, mysql, mongodb or redis, perhaps with a version such as in mysql:8.4';
const DatabaseOfImage = z.string().regex(/^(?:postgresql|mysql|mongodb|redis)(?::\w[\w.-]*)?$/);

/** An image with its registry: a first part without dot or port would be a folder of the public one. */
const ImageName = z.string().regex(/^(?=[^/]*[.:]|localhost\/)[\w.:-]+\/[\w./-]+(?::\w[\w.-]*)?$/, 'must be an image with its registry, such as docker.io/library/mariadb:11');

/** What the services of a cluster may hold altogether, in the units of the API: thousandths of a CPU, and MB. */
const Limits = z.strictObject({ cpu: z.int().min(1).optional(), memory: z.int().min(1).optional(), services: z.int().min(0).optional() });

/** The address of an engine, or those of several managers of one swarm. */
const Engine = z.union([z.string(), z.array(z.string()).min(1).max(16).refine((all) => new Set(all).size === all.length, { error: 'must have each address once' })], { error: 'must be an address such as unix:///var/run/docker.sock, or a list of those of several managers' });

/** A registry that services may name. Without credentials, it is asked without. */
const Registry = z.strictObject({
  // Engines take the first part of an image for a host only if it has a dot or a port: otherwise for a folder of the public registry.
  url: HttpAddress('must be an address with https:// or http:// before its host, such as https://registry.example.com, and a host with a dot or a port', (address) => isBare(address) && (/[.:]/.test(address.host) || address.host === 'localhost')).transform((url) => url.replace(/\/$/, '')),
  username: z.string().optional(),
  password_file: z.string().optional(),
}).refine(({ username, password_file: password }) => (username === undefined) === (password === undefined), { error: 'must have both username and password_file, or none of them' });

/** The clusters file: engines by the names of their clusters, registries by theirs, and images of databases. */
const ClustersFile = z.strictObject({
  clusters: z.record(Name, z.strictObject({
    engine: Engine,
    tls: z.strictObject({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
    domain: Domain.optional(),
    proxy: ProxyOfCluster.optional(),
    limits: Limits.optional(),
    ...BackupsOfCluster.shape,
    images_gb: z.number().positive().optional(),
    agent: z.strictObject({ image: ImageName.optional() }).optional(),
    terraform: z.strictObject({ image: ImageName }).optional(),
    ...NodesOfCluster.shape,
    ...BuildsOfCluster.shape,
  }).refine(({ registry, build_registry: other }) => registry === undefined || other === undefined, { error: 'must have registry (one that the platform runs) or build_registry (one of your own), not both' }))
    .refine((clusters) => Object.keys(clusters).length > 0, { error: 'must have at least one cluster, such as local: { engine: "unix:///var/run/docker.sock" }' }),
  images: z.record(DatabaseOfImage, ImageName, { error: ({ code }) => (code === 'invalid_key' ? databaseWords : undefined) }).default({}),
  registries: z.record(Name, Registry).default({}),
  git: GitServers.default({}),
  prometheus: PrometheusOfFile.optional(),
  alerts: AlertsOfFile.optional(),
});

/** The file with its paths resolved, and the git servers with their tokens. */
type ClustersDescription = Omit<z.output<typeof ClustersFile>, 'git' | 'prometheus' | 'alerts'> & { readonly git: Awaited<ReturnType<typeof readGitServers>>; readonly prometheus?: RealClusters['prometheus']; readonly alerts?: RealClusters['alerts'] };

/** The registry that every platform with real clusters knows. */
const publicRegistry = { name: 'docker-hub', kind: 'DOCKER_HUB', url: 'https://docker.io' } as const;

/** The cluster of one engine, called `local`. @param tlsDirectory has its TLS files @param domain below which its services get their addresses */
const oneEngine = (engine: string, tlsDirectory: string | undefined, domain: string): ClustersDescription => ({
  clusters: { local: { engine, domain, ...(tlsDirectory !== undefined && { tls: tlsFilesIn(tlsDirectory) }) } }, registries: {}, images: {}, git: {},
});

/** Reads the clusters file. Paths in it are relative to its folder. @throws Error that names the file, and what is wrong in it */
async function readClustersFile(path: string): Promise<ClustersDescription> {
  const document = parseDocument(await readConfiguredFile(path, 'The clusters file'));
  if (document.errors.length > 0) throw new Error(`The clusters file ${path} is not valid YAML: ${document.errors[0]!.message}`);
  const parsed = ClustersFile.safeParse(document.toJS());
  if (!parsed.success) throw new Error(`The clusters file ${path} can't be used: ${z.prettifyError(parsed.error)}`);
  const from = (file: string): string => resolve(dirname(path), file);
  return {
    images: parsed.data.images,
    clusters: Object.fromEntries(Object.entries(parsed.data.clusters).map(([name, { tls, ...rest }]) => [name, { ...rest, ...(tls && { tls: { ca: from(tls.ca), cert: from(tls.cert), key: from(tls.key) } }) }])),
    registries: Object.fromEntries(Object.entries(parsed.data.registries).map(([name, { password_file: file, ...rest }]) => [name, { ...rest, ...(file !== undefined && { password_file: from(file) }) }])),
    git: await readGitServers(parsed.data.git, from), ...(parsed.data.prometheus && { prometheus: await prometheusSettings(parsed.data.prometheus, from) }),
    ...(parsed.data.alerts && { alerts: await alertSettings(parsed.data.alerts, Object.keys(parsed.data.clusters), from) }),
  };
}

/** The credentials of the registries that have some, by host with port. @throws Error that names the registry whose password can't be read */
async function readCredentials(registries: ClustersDescription['registries']) {
  const entries = await Promise.all(Object.entries(registries).map(async ([name, { url, username, password_file: file }]) => {
    if (username === undefined || file === undefined) return [];
    const { host } = new URL(url);
    return [[host, { username, password: await readConfiguredValue(file, `The password_file of the registry "${name}"`), serveraddress: host }] as const];
  }));
  return new Map(entries.flat());
}

/**
 * The clusters that the options or the clusters file describe. No engine is asked.
 * @throws Error if the clusters file or a file that it names can't be used, or an option has no effect beside it
 */
export async function describeClusters({ engine, engineTlsDir, domain, clustersFile }: Pick<Config, 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>) {
  if (clustersFile !== undefined && domain !== defaultDomain) throw new Error(`--domain (INFRA_DOMAIN) would have no effect beside the clusters file: write "domain: ${domain}" for each cluster in ${clustersFile}, and leave the option out.`);
  const { clusters, registries, images, git, prometheus, alerts } = clustersFile === undefined ? oneEngine(engine, engineTlsDir, domain) : await readClustersFile(clustersFile);
  const credentials = await readCredentials(registries);
  return {
    clusters: await Promise.all(Object.entries(clusters).map(async ([name, { engine: address, tls, limits, terraform, domain: own, proxy = {}, placement, failover, database_backups, agent, images_gb: gigabytes, ...builds }]) => ({
      name, engines: typeof address === 'string' ? [address] : address, tls, limits, terraform, ...nodeSettings({ placement, failover }), ...backupSettings({ database_backups }), agent, imageBytes: gigabytes === undefined ? undefined : gigabytes * 1e9,
      builds: { git, ...buildSettings(builds) }, registry: ownRegistrySettings(builds),
      proxy: { ...(await publicPortSettings(proxy, (path) => resolve(dirname(clustersFile ?? ''), path))), ...(own !== undefined && { domain: own }) },
    }))),
    registries: Object.entries(registries).map(([name, { url }]) => ({ name, url })), images, git, prometheus, alerts, credentialsFor: (host: string) => credentials.get(host),
  };
}

/**
 * The addresses of a cluster's engines. The TLS files are for those of several that aren't sockets.
 * @param parse see `parseDockerAddress`
 */
export const readAddresses = <Address>({ engines, tls }: Pick<DescribedCluster, 'engines' | 'tls'>, clustersFile: string | undefined, parse: (text: string, tls: DescribedCluster['tls']) => Address): readonly Address[] =>
  engines.map((text) => readAddress(clustersFile, () => parse(text, engines.length > 1 && text.startsWith('unix:') ? undefined : tls)));

/** A cluster as the options or the clusters file describe it. */
export type DescribedCluster = Awaited<ReturnType<typeof describeClusters>>['clusters'][number];

/**
 * The clusters on which a platform really runs services, if it is told to.
 * @returns undefined for a platform that simulates
 * @throws Error if the clusters file or a file that it names can't be used, or is given to a platform that simulates
 */
export async function openClusters({ runtime, ...described }: Pick<Config, 'runtime' | 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>): Promise<OpenedClusters | undefined> {
  if (runtime !== 'docker') {
    if (described.clustersFile !== undefined) throw new Error(`The clusters file ${described.clustersFile} is given, and nothing would run on its clusters: the runtime is ${runtime}. Add --runtime docker (INFRA_RUNTIME), or leave the file out.`);
    return undefined;
  }
  const { createDockerClient, createDockerRuntime, createManagersClient, parseDockerAddress, requireTlsFiles } = await import('../../platform/runtime/docker/index.ts');
  const { clusters, registries, images, prometheus, alerts, credentialsFor } = await describeClusters(described);
  const known = clusters.map((cluster) => ({ ...cluster, addresses: readAddresses(cluster, described.clustersFile, parseDockerAddress) }));
  await Promise.all(known.flatMap(({ name, addresses }) => addresses.map((address) => requireTlsFiles(address).catch((error: unknown) => {
    throw new Error(`The engine of the cluster "${name}" can't be used: ${(error as Error).message} ${whereAddresses(described.clustersFile)}`, { cause: error });
  }))));
  const opened = known.map(({ addresses, ...cluster }) => ({ ...cluster, clients: addresses.map(createDockerClient) }));
  return {
    realClusters: {
      prometheus, alerts,
      clusters: opened.map(({ name, clients, builds, registry, proxy, limits, placement, hasFastFailover, agent, imageBytes, terraform, backups, backupNodeLabel }) => ({
        name, limits, backups, description: `${clients.length === 1 ? 'A Docker engine' : 'Managers of a Docker swarm'}: ${clients.map(({ address }) => address).join(', ')}`, keepsSwarm: clients.length > 1,
        createRuntime: ({ swarm, ...parts }) => createDockerRuntime({ docker: createManagersClient(clients, swarm), builds, registry, proxy, placement, hasFastFailover, agent, imageBytes, terraform, databaseImages: images, backupNodeLabel, credentialsFor, ...parts }),
      })),
      registries: [publicRegistry, ...registries.map((registry) => ({ ...registry, kind: 'GENERIC_CR' as const }))],
    },
    close: async () => {
      await Promise.all(opened.flatMap(({ clients }) => clients.map((client) => client.close())));
    },
  };
}
