import { durationBounds, type RequestCounts } from '../../index.ts';
import { copyFromDockerContainer, type DockerClient } from '../api/index.ts';
import { serviceIdIn } from '../names.ts';
import { accessLog } from './caddy-config.ts';
import { filesInTar } from '../tar.ts';

/** The longest line that is read, in characters. Those of the proxy have about 130. */
const longestLine = 2000;

/** The most that is read at once, in bytes: more than the proxy keeps. */
const mostBytes = 8 * 1024 * 1024;

const loggerStart = `${accessLog.logger}.`;

/** A request as the log has it; undefined for a line that tells none. */
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

/** The status of an answer that becomes a connection of another kind, which lasts as long as it is wanted. */
const switchingProtocols = 101;

/** Counts the requests that lines of the log tell. Other lines are passed over. */
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

/** How far the log was read: the file by its first line, and the bytes of it. */
export interface LogPosition {
  readonly firstLine: string;
  readonly bytes: number;
  /** The file was not among those of the last reading, which a rotation under way can cause. */
  readonly isMissed?: true;
}

const newline = 10;

const firstLineOf = (content: Buffer): string | undefined => {
  const end = content.indexOf(newline);
  return end === -1 ? undefined : content.toString('utf8', 0, end);
};

/** The whole lines from a place on. A line that is still being written comes with the next reading. */
const linesFrom = (content: Buffer, from: number): readonly string[] =>
  content
    .toString('utf8', from, content.lastIndexOf(newline) + 1)
    .split('\n')
    .filter((line) => line !== '');

/**
 * The lines that were written since a position.
 * @param files the log's files, oldest first
 * @param position null to begin with what the files have; undefined to begin behind it
 * @returns the lines, and the position behind them; `isLost` if lines were rotated away before they were read
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

/** The files of a proxy's access log, oldest first. @throws DockerError `not found` if it has none yet */
export async function accessLogFiles(
  docker: DockerClient,
  container: string,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  const files = await filesInTar(
    await copyFromDockerContainer(docker, container, accessLog.folder, { signal, timeoutMilliseconds: 10_000 }),
    mostBytes,
  );
  // Rotated files have the time in their names, with a dash before it, which comes before the dot of the present one.
  return files.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(({ content }) => content);
}
