import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { dockerFrames, type DockerFrame } from './log-frames.ts';
import { dockerPath } from './paths.ts';

/** A line that a container logged. */
export interface DockerLogLine {
  readonly stream: DockerFrame['stream'];
  /** When the engine received the line: ISO 8601 in UTC, with nanoseconds. */
  readonly timestamp: string;
  /**
   * The line's origin. Lines of services have the ids of node, service and task, with the prefix `com.docker.swarm.`.
   */
  readonly details: Readonly<Record<string, string>>;
  /** The text without its line end. */
  readonly text: string;
}

/** The longest line, in bytes. A longer one is split. */
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

/** A line whose end has not arrived yet. */
interface Unfinished {
  readonly timestamp: string;
  readonly details: string;
  readonly stream: DockerFrame['stream'];
  bytes: Buffer[];
  length: number;
}

const isEnded = (bytes: Buffer): boolean => bytes.at(-1) === 10;

/** The line without its line end. The bytes are decoded as a whole, because a character may span two frames. */
const finish = ({ stream, timestamp, details, bytes }: Unfinished): DockerLogLine => ({
  stream,
  timestamp,
  details: parseDetails(details),
  text: Buffer.concat(bytes)
    .toString('utf8')
    .replace(/\r?\n$/, ''),
});

/**
 * Assembles the frames of logs into lines. Each frame starts with the time and the details of its line; the engine
 * splits long lines.
 * @param frames of logs that were requested with timestamps and details
 */
export async function* dockerLogLines(frames: AsyncIterable<DockerFrame>): AsyncGenerator<DockerLogLine, void> {
  const unfinished = new Map<string, Unfinished>();
  for await (const { stream, bytes } of frames) {
    // The prefix is ASCII, so one character is one byte.
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
  /** The number of newest lines to read; for a service, of each task. Default: all. */
  readonly tail?: number;
  /**
   * Whether to wait for more lines. Such a read ends only through its signal or deadline, or when the container stops.
   */
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
 * The lines of all tasks of a service, those of each task in order. Only managers have them. With `follow`, it includes
 * new tasks, never ends, and hangs when a node is lost.
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
