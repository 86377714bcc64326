import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { domainPattern } from '../config/index.ts';
import {
  BackupsOfCluster,
  NodesOfCluster,
  ProxyOfCluster,
  PrometheusOfFile,
  prometheusSettings,
} from './cluster-settings.ts';
import { readConfiguredFile, readConfiguredValue } from './configured-file.ts';
import { tlsFilesIn } from './engine-connection.ts';
import { BuildsOfCluster, GitServers, readGitServers } from './git-servers.ts';
import { HttpAddress, isBare } from './http-address.ts';
import { AlertsOfFile, alertSettings } from './alerts.ts';
import type { RealClusters } from '../../platform/index.ts';

const Name = z.string().regex(/^[\w.-]{1,64}$/, 'must be a name of letters, digits, dots, dashes and underscores');

const Domain = z
  .string()
  .max(150)
  .regex(domainPattern, 'must be a domain name such as apps.example.com, without scheme and port');

/** A type of database, or one version of it. */
const databaseWords = 'must be postgresql, mysql, mongodb or redis, perhaps with a version such as in mysql:8.4';

const DatabaseOfImage = z.string().regex(/^(?:postgresql|mysql|mongodb|redis)(?::\w[\w.-]*)?$/);

/** An image with its registry: a first part without dot or port would be a folder of the public one. */
const ImageName = z
  .string()
  .regex(
    /^(?=[^/]*[.:]|localhost\/)[\w.:-]+\/[\w./-]+(?::\w[\w.-]*)?$/,
    'must be an image with its registry, such as docker.io/library/mariadb:11',
  );

/** What the services of a cluster may hold altogether, in the units of the API: thousandths of a CPU, and MB. */
const Limits = z.strictObject({
  cpu: z.int().min(1).optional(),
  memory: z.int().min(1).optional(),
  services: z.int().min(0).optional(),
});

/** The address of an engine, or those of several managers of one swarm. */
const Engine = z.union(
  [
    z.string(),
    z
      .array(z.string())
      .min(1)
      .max(16)
      .refine((all) => new Set(all).size === all.length, { error: 'must have each address once' }),
  ],
  { error: 'must be an address such as unix:///var/run/docker.sock, or a list of those of several managers' },
);

/** A registry that services may name. Without credentials, it is asked without. */
const Registry = z
  .strictObject({
    // Engines take the first part of an image for a host only if it has a dot or a port: otherwise for a folder of the
    // public registry.
    url: HttpAddress(
      'must be an address with https:// or http:// before its host, such as https://registry.example.com, and a host with a dot or a port',
      (address) => isBare(address) && (/[.:]/.test(address.host) || address.host === 'localhost'),
    ).transform((url) => url.replace(/\/$/, '')),
    username: z.string().optional(),
    password_file: z.string().optional(),
  })
  .refine(({ username, password_file: password }) => (username === undefined) === (password === undefined), {
    error: 'must have both username and password_file, or none of them',
  });

/** The clusters file: engines by the names of their clusters, registries by theirs, and images of databases. */
const ClustersFile = z.strictObject({
  clusters: z
    .record(
      Name,
      z
        .strictObject({
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
        })
        .refine(({ registry, build_registry: other }) => registry === undefined || other === undefined, {
          error: 'must have registry (one that the platform runs) or build_registry (one of your own), not both',
        }),
    )
    .refine((clusters) => Object.keys(clusters).length > 0, {
      error: 'must have at least one cluster, such as local: { engine: "unix:///var/run/docker.sock" }',
    }),
  images: z
    .record(DatabaseOfImage, ImageName, { error: ({ code }) => (code === 'invalid_key' ? databaseWords : undefined) })
    .default({}),
  registries: z.record(Name, Registry).default({}),
  git: GitServers.default({}),
  prometheus: PrometheusOfFile.optional(),
  alerts: AlertsOfFile.optional(),
});

/** The file with its paths resolved, and the git servers with their tokens. */
type ClustersDescription = Omit<z.output<typeof ClustersFile>, 'git' | 'prometheus' | 'alerts'> & {
  readonly git: Awaited<ReturnType<typeof readGitServers>>;
  readonly prometheus?: RealClusters['prometheus'];
  readonly alerts?: RealClusters['alerts'];
};

/** The registry that every platform with real clusters knows. */
export const publicRegistry = { name: 'docker-hub', kind: 'DOCKER_HUB', url: 'https://docker.io' } as const;

/**
 * The cluster of one engine, called `local`.
 * @param tlsDirectory has its TLS files
 * @param domain below which its services get their addresses
 */
export const oneEngine = (engine: string, tlsDirectory: string | undefined, domain: string): ClustersDescription => ({
  clusters: { local: { engine, domain, ...(tlsDirectory !== undefined && { tls: tlsFilesIn(tlsDirectory) }) } },
  registries: {},
  images: {},
  git: {},
});

/**
 * Reads the clusters file. Paths in it are relative to its folder.
 * @throws Error that names the file, and what is wrong in it
 */
export async function readClustersFile(path: string): Promise<ClustersDescription> {
  const document = parseDocument(await readConfiguredFile(path, 'The clusters file'));
  if (document.errors.length > 0)
    throw new Error(`The clusters file ${path} is not valid YAML: ${document.errors[0]!.message}`);
  const parsed = ClustersFile.safeParse(document.toJS());
  if (!parsed.success) throw new Error(`The clusters file ${path} can't be used: ${z.prettifyError(parsed.error)}`);
  const from = (file: string): string => resolve(dirname(path), file);
  return {
    images: parsed.data.images,
    clusters: Object.fromEntries(
      Object.entries(parsed.data.clusters).map(([name, { tls, ...rest }]) => [
        name,
        { ...rest, ...(tls && { tls: { ca: from(tls.ca), cert: from(tls.cert), key: from(tls.key) } }) },
      ]),
    ),
    registries: Object.fromEntries(
      Object.entries(parsed.data.registries).map(([name, { password_file: file, ...rest }]) => [
        name,
        { ...rest, ...(file !== undefined && { password_file: from(file) }) },
      ]),
    ),
    git: await readGitServers(parsed.data.git, from),
    ...(parsed.data.prometheus && { prometheus: await prometheusSettings(parsed.data.prometheus, from) }),
    ...(parsed.data.alerts && {
      alerts: await alertSettings(parsed.data.alerts, Object.keys(parsed.data.clusters), from),
    }),
  };
}

/**
 * The credentials of the registries that have some, by host with port.
 * @throws Error that names the registry whose password can't be read
 */
export async function readCredentials(registries: ClustersDescription['registries']) {
  const entries = await Promise.all(
    Object.entries(registries).map(async ([name, { url, username, password_file: file }]) => {
      if (username === undefined || file === undefined) return [];
      const { host } = new URL(url);
      return [
        [
          host,
          {
            username,
            password: await readConfiguredValue(file, `The password_file of the registry "${name}"`),
            serveraddress: host,
          },
        ] as const,
      ];
    }),
  );
  return new Map(entries.flat());
}
