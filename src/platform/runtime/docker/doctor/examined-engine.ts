import type { Examination } from '../../index.ts';
import type { AgentOfCluster } from '../agent/settings.ts';
import type { DockerAddress, DockerClient, DockerRegistryCredentials } from '../api/index.ts';
import type { NodeAccess } from '../nodes/node-access.ts';
import type { PlacementSettings } from '../nodes/placement-rules.ts';
import type { ProxySettings } from '../proxy/settings.ts';
import type { RegistrySettings } from '../registry/settings.ts';
import type { TerraformSettings } from '../terraform/settings.ts';

/** The engine that doctor looks at. */
export interface ExaminedEngine {
  readonly docker: DockerClient;
  readonly address: DockerAddress;
  /** The engines of its nodes, as far as they can be reached from here. */
  readonly nodes: NodeAccess;
  /** The agents that the cluster is to have; undefined for none. */
  readonly agent: AgentOfCluster | undefined;
  /** How it runs Terraform; undefined if it doesn't. */
  readonly terraform: TerraformSettings | undefined;
  /** The engines of the swarm that the platform has addresses of, this one included. */
  readonly engines: readonly DockerClient[];
  /** Host of the registry for built images, if others run one. */
  readonly registry?: string;
  /** A name in that registry which the platform may use. */
  readonly repository: string;
  /** The registry for built images that the platform runs, if it does. */
  readonly ownRegistry?: RegistrySettings | undefined;
  /** Hosts of the registries that services may name. */
  readonly registries: readonly string[];
  /** The address of a registry with its scheme; undefined for one that isn't configured. @param host with its port */
  readonly registryUrl: (host: string) => string | undefined;
  /** How to sign in to a registry. @param host with its port */
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** What the services of the cluster may hold together, if it has limits: thousandths of a CPU, and MB. */
  readonly limits?: { readonly cpu?: number | undefined; readonly memory?: number | undefined } | undefined;
  /** On which nodes instances may run. */
  readonly placement: PlacementSettings;
  /** Whether the platform may set the heartbeat of the swarm. */
  readonly hasFastFailover: boolean;
  /** How public ports are served. */
  readonly proxy: ProxySettings;
  readonly records: Examination['records'];
  /** The address of the page that findings refer to. */
  readonly guide: string;
}

/** A size for people. @param bytes */
export const sizeText = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;

/** The beginning of a command of Docker's own client for this engine. */
export function dockerCommand({ address, docker }: ExaminedEngine): string {
  if (address.kind === 'unix')
    return address.path === '/var/run/docker.sock' ? 'docker' : `docker --host ${docker.address}`;
  const { tls } = address;
  return `docker --host ${docker.address}${tls ? ` --tlsverify --tlscacert ${tls.ca} --tlscert ${tls.cert} --tlskey ${tls.key}` : ''}`;
}
