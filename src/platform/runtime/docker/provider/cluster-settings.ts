import { join } from 'node:path';
import type { EngineOptions, SettingsSource } from '../../index.ts';
import type { PlacementSettings } from '../nodes/placement-rules.ts';
import type { ClusterConfig } from './cluster-config.ts';

/** The TLS files for an engine, with the file names of the Docker client. */
const tlsFilesIn = (directory: string) => ({
  ca: join(directory, 'ca.pem'),
  cert: join(directory, 'cert.pem'),
  key: join(directory, 'key.pem'),
});

/** The cluster configuration from the options of an engine. */
export const configOf = ({ engine, engineTlsDir: directory }: EngineOptions): ClusterConfig => ({
  engine,
  ...(directory !== undefined && { tls: tlsFilesIn(directory) }),
});

/** Reads the settings of the proxy for public ports. */
async function proxySettingsOf({ proxy = {} }: ClusterConfig, source: SettingsSource) {
  const {
    http_port: httpPort,
    https_port: httpsPort,
    acme_directory: directory,
    acme_root_file: file,
    ...rest
  } = proxy;
  const root = file === undefined ? undefined : await source.read(file, 'The file that "acme_root_file" names');
  if (root !== undefined && !root.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`The file that "acme_root_file" names has no certificate in PEM format: ${source.resolve(file!)}.`);
  return {
    ...rest,
    ...(httpPort !== undefined && { httpPort }),
    ...(httpsPort !== undefined && { httpsPort }),
    ...(directory !== undefined && { authority: { directory, ...(root !== undefined && { root }) } }),
  };
}

const nodeSettingsOf = ({
  placement,
  failover,
}: ClusterConfig): { readonly placement: PlacementSettings; readonly hasFastFailover: boolean } => ({
  placement: {
    rules: (placement?.rules ?? []).map(({ constraints, ...where }) => ({ where, constraints })),
    spreadOver: placement?.spread_over,
  },
  hasFastFailover: failover === 'fast',
});

const megabyte = 1024 * 1024;

/** The registry that the platform runs; undefined if it runs none. */
function ownRegistrySettings({ registry }: ClusterConfig) {
  if (registry === undefined) return undefined;
  const { port, image, clean_hours: hours } = registry;
  return {
    ...(port !== undefined && { port }),
    ...(image !== undefined && { image }),
    ...(hours !== undefined && { cleanMilliseconds: hours * 3_600_000 }),
  };
}

/** The settings of image builds. */
export const buildSettingsOf = ({
  build_registry: registry,
  build_memory_mb: memory,
  build_minutes: minutes,
  source_mb: source,
}: Partial<ClusterConfig>) => ({
  ...(registry !== undefined && { registry }),
  ...(memory !== undefined && { memoryBytes: memory * megabyte }),
  ...(minutes !== undefined && { buildMilliseconds: minutes * 60_000 }),
  ...(source !== undefined && { sourceBytes: source * megabyte }),
});

/**
 * Converts the configuration of a cluster to the runtime's settings. Absent members get their defaults.
 * @throws Error if the file with the authority's root certificate can't be read, or contains no certificate
 */
export async function readSettings(config: ClusterConfig, source: SettingsSource) {
  const { engine, tls, agent, terraform, images_gb: gigabytes } = config;
  return {
    engines: typeof engine === 'string' ? [engine] : engine,
    tls: tls && { ca: source.resolve(tls.ca), cert: source.resolve(tls.cert), key: source.resolve(tls.key) },
    terraform,
    agent,
    ...nodeSettingsOf(config),
    imageBytes: gigabytes === undefined ? undefined : gigabytes * 1e9,
    builds: buildSettingsOf(config),
    registry: ownRegistrySettings(config),
    proxy: await proxySettingsOf(config, source),
  };
}

/** The provider's settings of a cluster. */
export type ClusterSettings = Awaited<ReturnType<typeof readSettings>>;
