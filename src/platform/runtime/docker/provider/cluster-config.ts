import * as z from 'zod';
import { EnvironmentMode, serviceKinds } from '../../../../contract/index.ts';
import { HttpAddress, ImageName } from '../../../common/index.ts';

/** The address of an engine, or those of several managers of one swarm. */
const Engine = z.union(
  [
    z.string(),
    z
      .array(z.string())
      .min(1)
      .max(16)
      .refine((all) => new Set(all).size === all.length, { error: 'must contain each address only once' }),
  ],
  { error: 'must be an address such as unix:///var/run/docker.sock, or a list of those of several managers' },
);

const Port = z.int().min(1).max(65_535);

/** The configuration of the proxy that serves a cluster's public ports. */
const ProxyConfig = z
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

/** The configuration of a cluster's nodes. */
const nodesConfig = {
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
};

/** The configuration of image builds. */
const buildsConfig = {
  // Engines interpret a first part without dot or port as a folder of the public registry.
  build_registry: z
    .string()
    .regex(
      /^(?=[^/]*[.:]|localhost(?:\/|$))[\w.-]+(?::\d+)?(?:\/[a-z0-9][a-z0-9._/-]*)?$/,
      'must be a host with a dot or its port, and a path if wanted, without https://',
    )
    .optional(),
  /** A registry that the platform runs. */
  registry: z
    .strictObject({
      // The next port is used too.
      port: z.int().min(1024).max(65_534).optional(),
      image: z.string().min(1).optional(),
      clean_hours: z.number().positive().optional(),
    })
    .optional(),
  build_memory_mb: z.int().min(16).optional(),
  // The platform itself stops a build after an hour, and can't report why it took so long.
  build_minutes: z.number().positive().lt(60).optional(),
  source_mb: z.int().min(1).optional(),
};

/** The configuration of a cluster in the clusters file, for this runtime. */
export const ClusterConfig = z
  .strictObject({
    engine: Engine,
    tls: z.strictObject({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
    proxy: ProxyConfig.optional(),
    images_gb: z.number().positive().optional(),
    agent: z.strictObject({ image: ImageName.optional() }).optional(),
    terraform: z.strictObject({ image: ImageName }).optional(),
    ...nodesConfig,
    ...buildsConfig,
  })
  .refine(({ registry, build_registry: other }) => registry === undefined || other === undefined, {
    error: 'must have registry (one that the platform runs) or build_registry (one of your own), not both',
  });

export type ClusterConfig = z.output<typeof ClusterConfig>;
