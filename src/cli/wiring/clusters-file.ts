import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { issueTexts } from '../../contract/index.ts';
import type { RealClusters } from '../../platform/index.ts';
import { HttpAddress, ImageName, isBare } from '../../platform/common/index.ts';
import type { GitHosts, RuntimeProvider } from '../../platform/runtime/index.ts';
import { domainPattern } from '../config/index.ts';
import { AlertsOfFile, alertSettings } from './alerts.ts';
import { readConfiguredFile, readConfiguredValue } from './configured-file.ts';
import { GitServers, readGitServers } from './git-servers.ts';
import { PrometheusOfFile, prometheusSettings } from './prometheus-settings.ts';

const Name = z.string().regex(/^[\w.-]{1,64}$/, 'must be a name of letters, digits, dots, dashes and underscores');

const Domain = z
  .string()
  .max(150)
  .regex(domainPattern, 'must be a domain name such as apps.example.com, without scheme and port');

/** A type of database, or one version of it. */
const databaseWords = 'must be postgresql, mysql, mongodb or redis, perhaps with a version such as in mysql:8.4';

const DatabaseOfImage = z.string().regex(/^(?:postgresql|mysql|mongodb|redis)(?::\w[\w.-]*)?$/);

/** The limits of all services of a cluster together, in the units of the API: thousandths of a CPU, and MB. */
const Limits = z.strictObject({
  cpu: z.int().min(1).optional(),
  memory: z.int().min(1).optional(),
  services: z.int().min(0).optional(),
});

/**
 * The schedule of database backups of a cluster, the number kept of each database, and the label of the nodes that may
 * store them.
 */
const Backups = z.strictObject({
  every_hours: z
    .number()
    .min(0.25)
    .max(24 * 366)
    .optional(),
  keep: z.int().min(1).default(7),
  node_label: z
    .string()
    .regex(/^[\w.-]+=[\w.-]+$/, 'must be a label of nodes with its value, such as backups=yes')
    .optional(),
});

/** The settings that every cluster may have, whatever its runtime. */
const CommonConfig = z.object({
  domain: Domain.optional(),
  limits: Limits.optional(),
  database_backups: Backups.optional(),
});

/** A registry that services may use. Without credentials, requests to it are anonymous. */
const Registry = z
  .strictObject({
    // Engines parse the first part of an image as a host only if it has a dot or a port, and otherwise as a namespace
    // of the public registry.
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

const noCluster = 'must have at least one cluster, such as local: { engine: "unix:///var/run/docker.sock" }';

/** The clusters file: clusters by their names, registries by theirs, and images of databases. */
const clustersFileFor = ({ configSchema }: RuntimeProvider) =>
  z.strictObject({
    clusters: z
      .record(Name, configSchema.safeExtend(CommonConfig.shape), {
        error: ({ code }) => (code === 'invalid_type' ? noCluster : undefined),
      })
      .refine((clusters) => Object.keys(clusters).length > 0, { error: noCluster }),
    images: z
      .record(DatabaseOfImage, ImageName, { error: ({ code }) => (code === 'invalid_key' ? databaseWords : undefined) })
      .default({}),
    registries: z.record(Name, Registry).default({}),
    git: GitServers.default({}),
    prometheus: PrometheusOfFile.optional(),
    alerts: AlertsOfFile.optional(),
  });

/** A cluster with the common settings and those of its provider. */
interface ConfiguredCluster extends z.output<typeof CommonConfig> {
  readonly config: unknown;
}

/** The clusters file with its paths resolved, and the git servers with their tokens. */
interface ClustersDescription {
  readonly clusters: Readonly<Record<string, ConfiguredCluster>>;
  readonly images: Readonly<Record<string, string>>;
  readonly registries: Readonly<Record<string, z.output<typeof Registry>>>;
  readonly git: GitHosts;
  readonly prometheus?: RealClusters['prometheus'];
  readonly alerts?: RealClusters['alerts'];
}

/** The registry that every platform with real clusters knows. */
export const publicRegistry = { name: 'docker-hub', kind: 'DOCKER_HUB', url: 'https://docker.io' } as const;

/** The cluster of the options, named `local`. @param domain under which its services get their addresses */
export const onlyCluster = (config: unknown, domain: string): ClustersDescription => ({
  clusters: { local: { config, domain } },
  registries: {},
  images: {},
  git: {},
});

/**
 * Reads the clusters file. Paths in it are relative to its folder.
 * @throws Error that names the file, and what is wrong in it
 */
export async function readClustersFile(path: string, provider: RuntimeProvider): Promise<ClustersDescription> {
  const document = parseDocument(await readConfiguredFile(path, 'The clusters file'));
  if (document.errors.length > 0)
    throw new Error(`The clusters file ${path} is not valid YAML: ${document.errors[0]!.message}`);
  const schema = clustersFileFor(provider);
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success)
    throw new Error(
      `The clusters file ${path} can't be used: ${issueTexts(parsed.error, 'the file', schema).join('; ')}`,
    );
  const from = (file: string): string => resolve(dirname(path), file);
  return {
    images: parsed.data.images,
    clusters: Object.fromEntries(
      Object.entries(parsed.data.clusters).map(([name, config]) => [name, { ...CommonConfig.parse(config), config }]),
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
      const password = await readConfiguredValue(file, `The password_file of the registry "${name}"`);
      return [[new URL(url).host, { username, password }] as const];
    }),
  );
  return new Map(entries.flat());
}
