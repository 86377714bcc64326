import { join } from 'node:path';
import { createDockerClient, type DockerClient, parseDockerAddress } from '../../platform/runtime/docker/index.ts';
import type { Config } from '../config/index.ts';

/** The options that say which engine a command works with. */
export type EngineConfig = Pick<Config, 'engine' | 'engineTlsDir'>;

/** Works with the engine of a configuration, and closes the connection. */
export async function withEngine<Value>(
  { engine, engineTlsDir }: EngineConfig,
  work: (docker: DockerClient) => Promise<Value>,
): Promise<Value> {
  const docker = createDockerClient(
    readAddress(undefined, () =>
      parseDockerAddress(engine, engineTlsDir === undefined ? undefined : tlsFilesIn(engineTlsDir)),
    ),
  );
  try {
    return await work(docker);
  } finally {
    await docker.close();
  }
}

/** The TLS files for an engine, by the names that its own client uses. */
export const tlsFilesIn = (directory: string) => ({
  ca: join(directory, 'ca.pem'),
  cert: join(directory, 'cert.pem'),
  key: join(directory, 'key.pem'),
});

/** Where the address of an engine, and what belongs to it, can be corrected. */
export const whereAddresses = (clustersFile: string | undefined): string =>
  clustersFile === undefined
    ? 'Its address is from --engine or INFRA_ENGINE, else from DOCKER_HOST if that is set; its TLS files are from --engine-tls-dir.'
    : `Its address and TLS files are from ${clustersFile}.`;

/** Reads the address of an engine. @throws what `read` does, with a message that says where to correct the address */
export function readAddress<Address>(clustersFile: string | undefined, read: () => Address): Address {
  try {
    return read();
  } catch (error) {
    throw new Error(`${(error as Error).message} ${whereAddresses(clustersFile)}`, { cause: error });
  }
}
