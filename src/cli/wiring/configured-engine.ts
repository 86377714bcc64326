import { createDockerClient, type DockerClient, parseDockerAddress } from '../../platform/runtime/docker/index.ts';
import type { Config } from '../config/index.ts';
import { readAddress, tlsFilesIn } from './engine-connection.ts';

/** The options that say which engine a command works with. */
export type EngineConfig = Pick<Config, 'engine' | 'engineTlsDir'>;

/** Works with the engine of a configuration, and closes the connection. */
export async function withEngine<Value>({ engine, engineTlsDir }: EngineConfig, work: (docker: DockerClient) => Promise<Value>): Promise<Value> {
  const docker = createDockerClient(readAddress(undefined, () => parseDockerAddress(engine, engineTlsDir === undefined ? undefined : tlsFilesIn(engineTlsDir))));
  try {
    return await work(docker);
  } finally {
    await docker.close();
  }
}
