import { createHash } from 'node:crypto';
import { copyToDockerContainer, type DockerCall, type DockerClient } from '../api/index.ts';
import { tarArchive } from '../tar.ts';
import { compiledPrograms } from './compiled.ts';

/** Copies a program into a container of this engine, for the container to run. */
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
 * The programs that run in containers besides their own: one starts a container's program with its secret variables,
 * another is its health check. The others run alone: one removes network links, one forwards a connection, one sends a
 * request to the cluster's registry.
 */
type ProgramName = 'entrypoint' | 'probe' | 'relay' | 'remove-links' | 'send-request';

/** A program as a file of a container. */
interface ContainerProgram {
  /** The name on the engine, unique to this version of the program, of at most 64 characters. */
  readonly name: string;
  /** The path in containers. */
  readonly path: string;
  /** Permissions of the file: every user may run it, because containers may have any user. */
  readonly mode: number;
  readonly content: Buffer;
}

/** CPU architectures as engines name them: nodes use the kernel's names, images use others. */
const architectures: Readonly<Record<string, 'x86_64' | 'aarch64'>> = {
  x86_64: 'x86_64',
  amd64: 'x86_64',
  aarch64: 'aarch64',
  arm64: 'aarch64',
};

/** Returns the path of a program in containers. */
export const programPath = (name: ProgramName): string => `/.infra/${name}`;

/**
 * Returns a program for containers.
 * @param architecture the CPU architecture of the nodes that run it, as an engine names it, such as `x86_64` or `arm64`
 * @throws Error for an architecture without a compiled program
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
