import { createHash } from 'node:crypto';
import { copyToDockerContainer, type DockerCall, type DockerClient } from '../api/index.ts';
import { tarArchive } from '../tar.ts';
import { compiledPrograms } from './compiled.ts';

/** Copies a program into a container of this engine, where the container is to run it. */
export async function copyProgram(
  docker: DockerClient,
  container: string,
  { path, content, mode }: Pick<ContainerProgram, 'path' | 'content' | 'mode'>,
  call: DockerCall,
): Promise<void> {
  const [, folder = '', name = ''] = path.split('/');
  await copyToDockerContainer(docker, container, '/', tarArchive(folder, name, content, mode), call);
}

/**
 * What runs in containers beside their own programs: one starts a container's program with its secret variables,
 * another is its health check. The others run alone: one removes network links, one passes a connection on, one sends a
 * request to the registry of the cluster.
 */
type ProgramName = 'entrypoint' | 'probe' | 'relay' | 'remove-links' | 'send-request';

/** A program as a file of a container. */
interface ContainerProgram {
  /** A name for the engine that no other version of the program has, of at most 64 characters. */
  readonly name: string;
  /** Where containers have it. */
  readonly path: string;
  /** Permissions for the file: everybody may run it, because containers may have any user. */
  readonly mode: number;
  readonly content: Buffer;
}

/** How engines name a kind of CPU: nodes as the kernel does, images in their own way. */
const architectures: Readonly<Record<string, 'x86_64' | 'aarch64'>> = {
  x86_64: 'x86_64',
  amd64: 'x86_64',
  aarch64: 'aarch64',
  arm64: 'aarch64',
};

/** Where containers have a program. */
export const programPath = (name: ProgramName): string => `/.infra/${name}`;

/**
 * A program for containers.
 * @param architecture the kind of CPU of the nodes that run it, as an engine names it, such as `x86_64` or `arm64`
 * @throws Error for a kind that there is no program for
 */
export function containerProgram(name: ProgramName, architecture: string): ContainerProgram {
  const kind = architectures[architecture.toLowerCase()];
  if (kind === undefined)
    throw new Error(
      `Health checks and secret variables work on nodes with a CPU of the kind x86_64 or aarch64 only, and this one is ${architecture}.`,
    );
  const content = Buffer.from(compiledPrograms[`${name}-${kind}`], 'base64');
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { name: `infra-${name}-${kind}-${version}`, path: programPath(name), mode: 0o555, content };
}
