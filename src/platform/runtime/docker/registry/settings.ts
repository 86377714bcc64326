/** Settings of a cluster's own registry. */
export interface RegistrySettings {
  /** The port on the loopback address of every node at which its engine reaches the registry. */
  readonly port: number;
  /**
   * The image of the registry, with its own registry and tag, or its id on the engine. It has to be the reference
   * implementation of a registry.
   */
  readonly image: string;
  /** The image of the forwarder on every node: Caddy 2. */
  readonly forwarderImage: string;
  /** How often the space of deleted images is freed, in milliseconds. */
  readonly cleanMilliseconds: number;
}

const day = 24 * 60 * 60_000;

/** Completes settings with their defaults. */
export const registrySettings = (
  {
    port = 5055,
    image = 'docker.io/library/registry:2',
    cleanMilliseconds = day,
  }: Partial<Omit<RegistrySettings, 'forwarderImage'>>,
  forwarderImage: string,
): RegistrySettings => ({ port, image, forwarderImage, cleanMilliseconds });

/** The first part of the names of images in a cluster's own registry. Engines trust plain http only on this address. */
export const registryHost = ({ port }: Pick<RegistrySettings, 'port'>): string => `127.0.0.1:${port}`;

/** The port of the node that stores the images, on all of its addresses. The other nodes have to reach it. */
export const nodePort = ({ port }: Pick<RegistrySettings, 'port'>): number => port + 1;
