import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { domainPattern, type Config } from '../config/index.ts';
import { readAddress, tlsFilesIn } from './engine-connection.ts';
import { BuildsOfCluster, buildSettings, GitServers, readGitServers } from './git-servers.ts';
import { ProxyOfCluster, publicPortSettings } from './public-ports.ts';
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

/** The clusters file: engines by the names of their clusters, registries by theirs, and images of databases. */
const ClustersFile = z.strictObject({
  clusters: z.record(Name, z.strictObject({
    engine: z.string(),
    tls: z.strictObject({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
    domain: Domain.optional(),
    proxy: ProxyOfCluster.optional(),
    limits: Limits.optional(),
    ...BuildsOfCluster.shape,
  })),
  images: z.record(DatabaseOfImage, ImageName, { error: ({ code }) => (code === 'invalid_key' ? databaseWords : undefined) }).default({}),
  registries: z.record(Name, z.strictObject({ url: z.url({ protocol: /^https?$/ }), username: z.string().optional(), password_file: z.string().optional() })).default({}),
  git: GitServers.default({}),
});

/** The file with its paths resolved, and the git servers with their tokens. */
type ClustersDescription = Omit<z.output<typeof ClustersFile>, 'git'> & { readonly git: Awaited<ReturnType<typeof readGitServers>> };

/** The registry that every platform with real clusters knows. */
const publicRegistry = { name: 'docker-hub', kind: 'DOCKER_HUB', url: 'https://docker.io' } as const;

/** The cluster of one engine, called `local`. @param tlsDirectory has its TLS files @param domain below which its services get their addresses */
const oneEngine = (engine: string, tlsDirectory: string | undefined, domain: string): ClustersDescription => ({
  clusters: { local: { engine, domain, ...(tlsDirectory !== undefined && { tls: tlsFilesIn(tlsDirectory) }) } }, registries: {}, images: {}, git: {},
});

/** Reads the clusters file. Paths in it are relative to its folder. @throws Error that names the file, and what is wrong in it */
async function readClustersFile(path: string): Promise<ClustersDescription> {
  const document = parseDocument(await readFile(path, 'utf8'));
  if (document.errors.length > 0) throw new Error(`The clusters file ${path} is not valid YAML: ${document.errors[0]!.message}`);
  const parsed = ClustersFile.safeParse(document.toJS());
  if (!parsed.success) throw new Error(`The clusters file ${path} can't be used: ${z.prettifyError(parsed.error)}`);
  const from = (file: string): string => resolve(dirname(path), file);
  return {
    images: parsed.data.images,
    clusters: Object.fromEntries(Object.entries(parsed.data.clusters).map(([name, { tls, ...rest }]) => [name, { ...rest, ...(tls && { tls: { ca: from(tls.ca), cert: from(tls.cert), key: from(tls.key) } }) }])),
    registries: Object.fromEntries(Object.entries(parsed.data.registries).map(([name, { password_file: file, ...rest }]) => [name, { ...rest, ...(file !== undefined && { password_file: from(file) }) }])),
    git: await readGitServers(parsed.data.git, from),
  };
}

/** The credentials of the registries that have some, by host with port. */
async function readCredentials(registries: ClustersDescription['registries']) {
  const entries = await Promise.all(Object.values(registries).map(async ({ url, username, password_file: file }) => {
    if (username === undefined || file === undefined) return [];
    const { host } = new URL(url);
    return [[host, { username, password: (await readFile(file, 'utf8')).trim(), serveraddress: host }] as const];
  }));
  return new Map(entries.flat());
}

/**
 * The clusters that the options or the clusters file describe. No engine is asked.
 * @throws Error if the clusters file or a file that it names can't be used
 */
export async function describeClusters({ engine, engineTlsDir, domain, clustersFile }: Pick<Config, 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>) {
  const { clusters, registries, images, git } = clustersFile === undefined ? oneEngine(engine, engineTlsDir, domain) : await readClustersFile(clustersFile);
  const credentials = await readCredentials(registries);
  return {
    clusters: await Promise.all(Object.entries(clusters).map(async ([name, { engine: address, tls, limits, domain: own, proxy = {}, ...builds }]) => ({
      name, engine: address, tls, limits, builds: { git, ...buildSettings(builds) },
      proxy: { ...(await publicPortSettings(proxy, (path) => resolve(dirname(clustersFile ?? ''), path))), ...(own !== undefined && { domain: own }) },
    }))),
    registries: Object.entries(registries).map(([name, { url }]) => ({ name, url })), images, git, credentialsFor: (host: string) => credentials.get(host),
  };
}

/**
 * The clusters on which a platform really runs services, if it is told to.
 * @returns undefined for a platform that simulates
 * @throws Error if the clusters file or a file that it names can't be used
 */
export async function openClusters({ runtime, ...described }: Pick<Config, 'runtime' | 'engine' | 'engineTlsDir' | 'domain' | 'clustersFile'>): Promise<OpenedClusters | undefined> {
  if (runtime !== 'docker') return undefined;
  const { createDockerClient, createDockerRuntime, parseDockerAddress } = await import('../../platform/runtime/docker/index.ts');
  const { clusters, registries, images, credentialsFor } = await describeClusters(described);
  const engines = clusters.map(({ engine, tls, ...cluster }) => ({ ...cluster, docker: createDockerClient(readAddress(described.clustersFile, () => parseDockerAddress(engine, tls))) }));
  return {
    realClusters: {
      clusters: engines.map(({ name, docker, builds, proxy, limits }) => ({
        name, limits, description: `A Docker engine: ${docker.address}`,
        createRuntime: (parts) => createDockerRuntime({ docker, builds, proxy, databaseImages: images, credentialsFor, ...parts }),
      })),
      registries: [publicRegistry, ...registries.map((registry) => ({ ...registry, kind: 'GENERIC_CR' as const }))],
    },
    close: async () => {
      await Promise.all(engines.map(({ docker }) => docker.close()));
    },
  };
}
