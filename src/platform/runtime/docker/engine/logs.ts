import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { dockerFrames } from './log-frames.ts';
import { type DockerLogLine, dockerLogLines } from './log-lines.ts';
import { dockerPath } from './paths.ts';

/** Which lines to read. */
export interface DockerLogSelection extends DockerCall {
  /** Only lines since this time, in seconds since 1970; the fraction may have nanoseconds. */
  readonly since?: string;
  /** At most as many of the newest lines; of a service for each task. Default: all. */
  readonly tail?: number;
  /** Whether to wait for more lines. Such a read ends only by its signal, its deadline, or when the container stops. */
  readonly follow?: boolean;
}

async function* read(docker: DockerClient, path: string, { since, tail, follow = false, ...call }: DockerLogSelection): AsyncGenerator<DockerLogLine, void> {
  const request: DockerRequest = {
    method: 'GET', path,
    query: { stdout: true, stderr: true, timestamps: true, details: true, follow, since, tail: tail ?? 'all' },
    ...call,
  };
  yield* dockerLogLines(dockerFrames(await docker.stream(request), request));
}

/**
 * The lines of all tasks of a service, those of one task in order. Only managers have them.
 * A follow takes in new tasks, never ends, and hangs when a node is lost.
 */
export const readDockerServiceLogs = (docker: DockerClient, service: string, selection: DockerLogSelection = {}): AsyncGenerator<DockerLogLine, void> =>
  read(docker, dockerPath`/services/${service}/logs`, selection);

/** The lines of one task, oldest first, whichever node it ran on. Only managers have them. */
export const readDockerTaskLogs = (docker: DockerClient, task: string, selection: DockerLogSelection = {}): AsyncGenerator<DockerLogLine, void> =>
  read(docker, dockerPath`/tasks/${task}/logs`, selection);

/** The lines of a container of this engine, oldest first. */
export const readDockerContainerLogs = (docker: DockerClient, container: string, selection: DockerLogSelection = {}): AsyncGenerator<DockerLogLine, void> =>
  read(docker, dockerPath`/containers/${container}/logs`, selection);
