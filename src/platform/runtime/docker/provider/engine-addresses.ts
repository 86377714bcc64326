import type { SettingsSource } from '../../index.ts';
import { type DockerAddress, parseDockerAddress } from '../api/index.ts';
import type { ClusterSettings } from './cluster-settings.ts';

/** Returns the text that says where to correct the address of an engine and its TLS files. */
export const whereAddresses = ({ file }: Pick<SettingsSource, 'file'>): string =>
  file === undefined
    ? 'Its address is from --engine or INFRA_ENGINE, else from DOCKER_HOST if that is set; its TLS files are from --engine-tls-dir.'
    : `Its address and TLS files are from ${file}.`;

/**
 * Reads the addresses of a cluster's engines. If there are several, the TLS files apply to those that aren't sockets.
 * @throws Error that says where to correct an address that can't be used
 */
export const readAddresses = (
  { engines, tls }: Pick<ClusterSettings, 'engines' | 'tls'>,
  source: Pick<SettingsSource, 'file'>,
): readonly DockerAddress[] =>
  engines.map((text) => {
    try {
      return parseDockerAddress(text, engines.length > 1 && text.startsWith('unix:') ? undefined : tls);
    } catch (error) {
      throw new Error(`${(error as Error).message} ${whereAddresses(source)}`, { cause: error });
    }
  });
