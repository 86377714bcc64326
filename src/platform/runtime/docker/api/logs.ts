import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { dockerFrames, type DockerFrame } from './log-frames.ts';
import { dockerPath } from './paths.ts';

/** A line that a container logged. */
export interface DockerLogLine {
  readonly stream: DockerFrame['stream'];
  /** When the engine got the line: ISO 8601 in UTC, with nanoseconds. */
  readonly timestamp: string;
  /**
   * What the engine tells of the line's origin. Lines of services have the ids of node, service and task, with the
   * prefix `com.docker.swarm.`.
   */
  readonly details: Readonly<Record<string, string>>;
  /** The line without its end. */
  readonly text: string;
}

/** The longest line, in bytes. A longer one is cut into several. */
const longestLine = 256 * 1024;

const linePattern = /^(?<timestamp>\d{4}-\d\d-\d\dT[\d:.]+Z) (?<details>[^ ]*) /;

const parseDetails = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', value = ''] = pair.split('=');
        // As in a query: the engine writes a space as a plus sign.
        return [name, value].map((part) => new URLSearchParams(`v=${part}`).get('v')!) as [string, string];
      }),
  );

/** A line of which the end has not come yet. */
interface Unfinished {
  readonly timestamp: string;
  readonly details: string;
  readonly stream: DockerFrame['stream'];
  bytes: Buffer[];
  length: number;
}

const isEnded = (bytes: Buffer): boolean => bytes.at(-1) === 10;

/** The line, with its end removed. The bytes are decoded as a whole, because a character may be in two frames. */
const finish = ({ stream, timestamp, details, bytes }: Unfinished): DockerLogLine => ({
  stream,
  timestamp,
  details: parseDetails(details),
  text: Buffer.concat(bytes)
    .toString('utf8')
    .replace(/\r?\n$/, ''),
});

/**
 * Puts the frames of logs together to lines. Each frame begins with the time and the details of its line; the engine
 * cuts long lines.
 * @param frames of logs that were asked with timestamps and details
 */
export async function* dockerLogLines(frames: AsyncIterable<DockerFrame>): AsyncGenerator<DockerLogLine, void> {
  const unfinished = new Map<string, Unfinished>();
  for await (const { stream, bytes } of frames) {
    // The beginning is ASCII, so one character is one byte.
    const start = linePattern.exec(bytes.subarray(0, 2048).toString('latin1'));
    const { timestamp = '', details = '' } = start?.groups ?? {};
    const rest = bytes.subarray(start?.[0].length ?? 0);
    const origin = `${stream} ${details}`;
    const line = unfinished.get(origin) ?? { timestamp, details, stream, bytes: [], length: 0 };
    line.bytes.push(rest);
    line.length += rest.length;
    if (isEnded(rest) || line.length >= longestLine) {
      unfinished.delete(origin);
      yield finish(line);
    } else unfinished.set(origin, line);
  }
  for (const line of unfinished.values()) yield finish(line);
}

/** Which lines to read. */
export interface DockerLogSelection extends DockerCall {
  /** Only lines since this time, in seconds since 1970; the fraction may have nanoseconds. */
  readonly since?: string;
  /** At most as many of the newest lines; of a service for each task. Default: all. */
  readonly tail?: number;
  /** Whether to wait for more lines. Such a read ends only by its signal, its deadline, or when the container stops. */
  readonly follow?: boolean;
}

async function* read(
  docker: DockerClient,
  path: string,
  { since, tail, follow = false, ...call }: DockerLogSelection,
): AsyncGenerator<DockerLogLine, void> {
  const request: DockerRequest = {
    method: 'GET',
    path,
    query: { stdout: true, stderr: true, timestamps: true, details: true, follow, since, tail: tail ?? 'all' },
    ...call,
  };
  yield* dockerLogLines(dockerFrames(await docker.stream(request), request));
}

/**
 * The lines of all tasks of a service, those of one task in order. Only managers have them. A follow takes in new
 * tasks, never ends, and hangs when a node is lost.
 */
export const readDockerServiceLogs = (
  docker: DockerClient,
  service: string,
  selection: DockerLogSelection = {},
): AsyncGenerator<DockerLogLine, void> => read(docker, dockerPath`/services/${service}/logs`, selection);

/** The lines of one task, oldest first, whichever node it ran on. Only managers have them. */
export const readDockerTaskLogs = (
  docker: DockerClient,
  task: string,
  selection: DockerLogSelection = {},
): AsyncGenerator<DockerLogLine, void> => read(docker, dockerPath`/tasks/${task}/logs`, selection);

/** The lines of a container of this engine, oldest first. */
export const readDockerContainerLogs = (
  docker: DockerClient,
  container: string,
  selection: DockerLogSelection = {},
): AsyncGenerator<DockerLogLine, void> => read(docker, dockerPath`/containers/${container}/logs`, selection);
