/** How a cluster's own registry runs. */
export interface RegistrySettings {
  /** The port on the loopback address of every node at which its engine finds the registry. */
  readonly port: number;
  /**
   * The image of the registry, with its own registry and tag, or its id on the engine. It has to be the reference
   * implementation.
   */
  readonly image: string;
  /** What forwards to it on every node: an image of Caddy 2. */
  readonly forwarderImage: string;
  /** How often the space of deleted images is given back, in milliseconds. */
  readonly cleanMilliseconds: number;
}

const day = 24 * 60 * 60_000;

/** Completes settings. */
export const registrySettings = (
  {
    port = 5055,
    image = 'docker.io/library/registry:2',
    cleanMilliseconds = day,
  }: Partial<Omit<RegistrySettings, 'forwarderImage'>>,
  forwarderImage: string,
): RegistrySettings => ({ port, image, forwarderImage, cleanMilliseconds });

/**
 * The first part of the names of images in a cluster's own registry. Engines trust plain http on this address alone.
 */
export const registryHost = ({ port }: Pick<RegistrySettings, 'port'>): string => `127.0.0.1:${port}`;

/** The port of the node that keeps the images, on all of its addresses. The other nodes have to reach it. */
export const nodePort = ({ port }: Pick<RegistrySettings, 'port'>): number => port + 1;
