import * as z from 'zod';
import type { PlacementSettings } from '../../platform/runtime/docker/index.ts';
import { EnvironmentMode, serviceKinds } from '../../contract/index.ts';
import { readConfiguredFile, readConfiguredValue } from './configured-file.ts';
import { HttpAddress, isBare } from './http-address.ts';

/** The Prometheus of the clusters file. Without an address it only fetches what is measured. */
export const PrometheusOfFile = z
  .strictObject({
    url: HttpAddress(
      'must be an address such as http://127.0.0.1:9090, without credentials, query or fragment',
      isBare,
    ).optional(),
    ca: z.string().optional(),
    token_file: z.string().optional(),
    username: z.string().optional(),
    password_file: z.string().optional(),
  })
  .refine(({ username, password_file: password }) => (username === undefined) === (password === undefined), {
    error: 'must have both username and password_file, or none of them',
  })
  .refine(({ token_file: token, username }) => token === undefined || username === undefined, {
    error: 'must have token_file or username, not both',
  })
  .refine(({ url, ...rest }) => url !== undefined || Object.keys(rest).length === 0, {
    error: 'must have a url, which the other settings are about',
  });

/**
 * The same in the words of the platform.
 * @param from resolves a path of the clusters file
 * @throws Error that names the file that can't be read
 */
export async function prometheusSettings(
  { url, ca, token_file: token, username, password_file: password }: z.output<typeof PrometheusOfFile>,
  from: (path: string) => string,
) {
  const basic =
    username !== undefined && password !== undefined
      ? `Basic ${Buffer.from(`${username}:${await readConfiguredValue(from(password), 'The password_file of "prometheus"')}`).toString('base64')}`
      : undefined;
  const authorization =
    token === undefined ? basic : `Bearer ${await readConfiguredValue(from(token), 'The token_file of "prometheus"')}`;
  return url === undefined
    ? {}
    : {
        evaluation: {
          url: url.replace(/\/+$/, ''),
          ...(authorization !== undefined && { authorization }),
          ...(ca !== undefined && { ca: await readConfiguredValue(from(ca), 'The certificate "ca" of "prometheus"') }),
        },
      };
}

const Port = z.int().min(1).max(65_535);

/** What a cluster of the clusters file may say of the proxy that serves its public ports. */
export const ProxyOfCluster = z
  .strictObject({
    http_port: Port.optional(),
    https_port: Port.optional(),
    certificates: z.boolean().optional(),
    bind: z.union([z.ipv4(), z.ipv6()]).optional(),
    image: z.string().min(1).optional(),
    email: z.email().optional(),
    acme_directory: HttpAddress(
      'must be the https:// address of the directory of an ACME server',
      ({ scheme }) => scheme === 'https',
    ).optional(),
    acme_root_file: z.string().optional(),
  })
  .refine(({ acme_directory: directory, acme_root_file: root }) => root === undefined || directory !== undefined, {
    error: 'must have acme_directory where it has acme_root_file',
  });

/**
 * The same in the words of the runtime. What is left out is its default.
 * @param from resolves a path of the clusters file
 * @throws Error if the file with the root of the authority can't be read, or has no certificate
 */
export async function publicPortSettings(
  {
    http_port: httpPort,
    https_port: httpsPort,
    acme_directory: directory,
    acme_root_file: file,
    ...rest
  }: z.output<typeof ProxyOfCluster>,
  from: (path: string) => string,
) {
  const root =
    file === undefined ? undefined : await readConfiguredFile(from(file), 'The file that "acme_root_file" names');
  if (root !== undefined && !root.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`The file that "acme_root_file" names has no certificate in PEM format: ${from(file!)}.`);
  return {
    ...rest,
    ...(httpPort !== undefined && { httpPort }),
    ...(httpsPort !== undefined && { httpsPort }),
    ...(directory !== undefined && { authority: { directory, ...(root !== undefined && { root }) } }),
  };
}

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

/**
 * When the databases of a cluster are backed up, how many of these backups are kept of each, and the label of the nodes
 * that may have them.
 */
export const BackupsOfCluster = z.object({ database_backups: Backups.optional() });

/** The same for the platform. Without an interval, databases are backed up on request only. */
export const backupSettings = ({ database_backups: given }: z.output<typeof BackupsOfCluster>) => ({
  ...(given?.every_hours !== undefined && { backups: { everyHours: given.every_hours, keep: given.keep } }),
  backupNodeLabel: given?.node_label,
});

const constraintPattern = /^node\.(?:labels\.[\w.-]+|hostname|role) ?(?:==|!=) ?[\w.:/-]+$/;
const Constraint = z
  .string()
  .regex(
    constraintPattern,
    'must be a constraint of the engine such as node.labels.disk==ssd or node.hostname!=node-3',
  );

const PlacementRule = z.strictObject({
  mode: EnvironmentMode.optional(),
  kind: z.enum(serviceKinds).optional(),
  project: z.string().optional(),
  environment: z.string().optional(),
  constraints: z.array(Constraint).min(1),
});

/** What a cluster of the clusters file may say of its nodes. */
export const NodesOfCluster = z.object({
  placement: z
    .strictObject({
      rules: z.array(PlacementRule).default([]),
      spread_over: z
        .string()
        .regex(/^[\w.-]+$/, 'must be the name of a label of nodes, such as zone')
        .optional(),
    })
    .optional(),
  failover: z.literal('fast', 'must be fast, or left out: then the settings of the swarm stay as they are').optional(),
});

/** The same in the words of the runtime. What is left out is its default. */
export const nodeSettings = ({
  placement,
  failover,
}: z.output<typeof NodesOfCluster>): { readonly placement: PlacementSettings; readonly hasFastFailover: boolean } => ({
  placement: {
    rules: (placement?.rules ?? []).map(({ constraints, ...where }) => ({ where, constraints })),
    spreadOver: placement?.spread_over,
  },
  hasFastFailover: failover === 'fast',
});
