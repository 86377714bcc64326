import { durationBounds, type RequestCounts } from '../../index.ts';
import { copyFromDockerContainer, type DockerClient } from '../api/index.ts';
import { serviceIdIn } from '../names.ts';
import { accessLog } from './caddy-config.ts';
import { filesInTar } from '../tar.ts';

/** The longest line that is read, in characters. The proxy's lines have about 130. */
const longestLine = 2000;

/** The largest amount that is read at once, in bytes: more than the proxy keeps. */
const mostBytes = 8 * 1024 * 1024;

const loggerStart = `${accessLog.logger}.`;

/** A request in the log. */
interface LoggedRequest {
  readonly serviceId: string;
  readonly status: number;
  /** In seconds. */
  readonly duration: number;
}

function loggedRequest(line: string): LoggedRequest | undefined {
  if (line.length > longestLine) return undefined;
  try {
    const { logger, status, duration } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const serviceId =
      typeof logger === 'string' && logger.startsWith(loggerStart)
        ? serviceIdIn(logger.slice(loggerStart.length))
        : undefined;
    if (serviceId === undefined || !Number.isInteger(status) || typeof duration !== 'number' || !(duration >= 0))
      return undefined;
    return { serviceId, status: status as number, duration };
  } catch {
    return undefined;
  }
}

/** The status of a response that switches to another protocol; such a connection stays open as long as it is needed. */
const switchingProtocols = 101;

/** Counts the requests in lines of the log. Skips other lines. */
export function countRequests(lines: Iterable<string>): readonly RequestCounts[] {
  const counts = new Map<string, { requests: number; errors: number; byDuration: number[] }>();
  for (const line of lines) {
    const request = loggedRequest(line);
    if (request === undefined) continue;
    const { serviceId, status, duration } = request;
    const count = counts.get(serviceId) ?? {
      requests: 0,
      errors: 0,
      byDuration: Array.from({ length: durationBounds.length + 1 }, () => 0),
    };
    counts.set(serviceId, count);
    count.requests += 1;
    if (status >= 500) count.errors += 1;
    const place = durationBounds.findIndex((bound) => duration * 1000 <= bound);
    if (status !== switchingProtocols) count.byDuration[place === -1 ? durationBounds.length : place]! += 1;
  }
  return [...counts].map(([serviceId, count]) => ({ serviceId, ...count }));
}

/** The position up to which the log was read: the file, identified by its first line, and the bytes of it. */
export interface LogPosition {
  readonly firstLine: string;
  readonly bytes: number;
  /** The file was not among those of the last read, which can happen during a rotation. */
  readonly isMissed?: true;
}

const newline = 10;

const firstLineOf = (content: Buffer): string | undefined => {
  const end = content.indexOf(newline);
  return end === -1 ? undefined : content.toString('utf8', 0, end);
};

/** Returns the complete lines from an offset. A line that is still being written is left for the next read. */
const linesFrom = (content: Buffer, from: number): readonly string[] =>
  content
    .toString('utf8', from, content.lastIndexOf(newline) + 1)
    .split('\n')
    .filter((line) => line !== '');

/**
 * Returns the lines that were written since a position.
 * @param files the log's files, oldest first
 * @param position null to start with the files' present content; undefined to start after it
 * @returns the lines, and the position after them; `isLost` if lines were rotated away before they were read
 */
export function linesSince(
  files: readonly Buffer[],
  position: LogPosition | null | undefined,
): { readonly lines: readonly string[]; readonly position: LogPosition | null; readonly isLost: boolean } {
  const begun = files.flatMap((content) => {
    const firstLine = firstLineOf(content);
    return firstLine === undefined ? [] : [{ content, firstLine }];
  });
  const last = begun.at(-1);
  const end = last === undefined ? null : { firstLine: last.firstLine, bytes: last.content.lastIndexOf(newline) + 1 };
  if (position === undefined) return { lines: [], position: end, isLost: false };
  const at = position === null ? -1 : begun.findIndex(({ firstLine }) => firstLine === position.firstLine);
  if (position !== null && at === -1 && position.isMissed === undefined)
    return { lines: [], position: { ...position, isMissed: true }, isLost: false };
  const lines = begun
    .slice(Math.max(0, at))
    .flatMap(({ content }, index) => linesFrom(content, at !== -1 && index === 0 ? position!.bytes : 0));
  return { lines, position: end, isLost: position !== null && at === -1 };
}

/** Reads the files of a proxy's access log, oldest first. @throws DockerError `not found` if it has none yet */
export async function accessLogFiles(
  docker: DockerClient,
  container: string,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  const files = await filesInTar(
    await copyFromDockerContainer(docker, container, accessLog.folder, { signal, timeoutMilliseconds: 10_000 }),
    mostBytes,
  );
  // Rotated files have a dash and the time in their names, and a dash sorts before the dot of the current file.
  return files.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(({ content }) => content);
}
