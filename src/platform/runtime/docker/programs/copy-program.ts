import { copyToDockerContainer, type DockerCall, type DockerClient } from '../engine/index.ts';
import { tarArchive } from '../tar/tar-archive.ts';
import type { ContainerProgram } from './programs.ts';

/** Copies a program into a container of this engine, where the container is to run it. */
export async function copyProgram(docker: DockerClient, container: string, { path, content, mode }: Pick<ContainerProgram, 'path' | 'content' | 'mode'>, call: DockerCall): Promise<void> {
  const [, folder = '', name = ''] = path.split('/');
  await copyToDockerContainer(docker, container, '/', tarArchive(folder, name, content, mode), call);
}
