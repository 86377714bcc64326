import type { Examination } from '../../index.ts';
import type { AgentOfCluster } from '../agent/settings.ts';
import type { DockerAddress, DockerClient, DockerRegistryCredentials } from '../api/index.ts';
import type { NodeAccess } from '../nodes/node-access.ts';
import type { PlacementSettings } from '../nodes/placement-rules.ts';
import type { ProxySettings } from '../proxy/settings.ts';
import type { RegistrySettings } from '../registry/settings.ts';
import type { TerraformSettings } from '../terraform/settings.ts';

/** The engine that doctor examines. */
export interface ExaminedEngine {
  readonly docker: DockerClient;
  readonly address: DockerAddress;
  /** The engines of its nodes that can be reached from here. */
  readonly nodes: NodeAccess;
  /** Settings of the cluster's agents; undefined if it has none. */
  readonly agent: AgentOfCluster | undefined;
  /** Settings for Terraform; undefined if the cluster doesn't run it. */
  readonly terraform: TerraformSettings | undefined;
  /** The engines of the swarm whose addresses the platform has, including this one. */
  readonly engines: readonly DockerClient[];
  /** The host of the external registry for built images, if there is one. */
  readonly registry?: string;
  /** A repository in that registry that the platform may use. */
  readonly repository: string;
  /** The registry for built images that the platform runs, if it does. */
  readonly ownRegistry?: RegistrySettings | undefined;
  /** The hosts of the registries that services may use. */
  readonly registries: readonly string[];
  /** The address of a registry with its scheme; undefined if it isn't configured. @param host with its port */
  readonly registryUrl: (host: string) => string | undefined;
  /** The credentials for a registry. @param host with its port */
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** The limits of all the cluster's services together, if it has any: in thousandths of a CPU, and in MB. */
  readonly limits?: { readonly cpu?: number | undefined; readonly memory?: number | undefined } | undefined;
  /** The nodes on which instances may run. */
  readonly placement: PlacementSettings;
  /** Whether the platform may set the heartbeat of the swarm. */
  readonly hasFastFailover: boolean;
  /** Settings for serving public ports. */
  readonly proxy: ProxySettings;
  readonly records: Examination['records'];
  /** The address of the page that findings refer to. */
  readonly guide: string;
}

/** A human-readable size. @param bytes */
export const sizeText = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;

/** The start of a command of Docker's own client for this engine. */
export function dockerCommand({ address, docker }: ExaminedEngine): string {
  if (address.kind === 'unix')
    return address.path === '/var/run/docker.sock' ? 'docker' : `docker --host ${docker.address}`;
  const { tls } = address;
  return `docker --host ${docker.address}${tls ? ` --tlsverify --tlscacert ${tls.ca} --tlscert ${tls.cert} --tlskey ${tls.key}` : ''}`;
}
