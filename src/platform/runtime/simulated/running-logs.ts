import { LRUCache } from 'lru-cache';
import { seededRandom } from '../../common/index.ts';
import type { RuntimeLogLine, RunningVersion } from '../index.ts';
import { instanceName, instanceVersion } from './instances.ts';
import { between, colored, choose } from './phase-context.ts';

// The interval between log lines of running services, in milliseconds.
const lineInterval = 60_000;

const routes = [
  'GET /health',
  'GET /api/orders',
  'GET /api/orders/4711',
  'POST /api/orders',
  'GET /api/prices',
  'PUT /api/cart',
] as const;

const requestLine = (index: number, seed: string): string => {
  const random = seededRandom(`${seed}/${index}`);
  if (index % 40 === 39) {
    return `${colored.yellow('WARN')} slow query (${between(random, 900, 2400)} ms)\n    at Pool.query (/app/dist/db.js:41:19)\n    at async listOrders (/app/dist/orders.js:88:22)`;
  }
  return `${colored.cyan('INFO')} ${choose(random, routes)} ${choose(random, [200, 200, 200, 200, 201, 304, 404])} ${between(random, 2, 180)}ms`;
};

const checkpointLine = (index: number, seed: string): string => {
  const random = seededRandom(`${seed}/${index}`);
  return `LOG:  checkpoint complete: wrote ${between(random, 3, 240)} buffers; total=${between(random, 1, 9)}.${between(random, 0, 999)} s`;
};

const lineWriters: Partial<Record<RunningVersion['service']['kind'], (index: number, seed: string) => string>> = {
  application: requestLine,
  container: requestLine,
  database: checkpointLine,
};

/** Of how many versions the lines that were read last are kept, so that only those since then have to be made. */
const versionsKept = 8;

/** Lines that follow each other, the first of which has a number. */
interface KeptLines {
  readonly first: number;
  readonly lines: readonly RuntimeLogLine[];
}

/**
 * Makes a reader of the newest lines, at most `limit`, that a running version has logged until `now`. They are not stored
 * but derived: the same time always gives the same line, and the same object while it is kept.
 */
export function createRunningLogs() {
  const kept = new LRUCache<string, KeptLines>({ max: versionsKept });
  return (version: RunningVersion, now: number, limit: number): readonly RuntimeLogLine[] => {
    const { service, deploymentId, runningSince } = version;
    const lineAt = lineWriters[service.kind];
    if (lineAt === undefined) return [];
    const total = Math.max(0, Math.floor((now - runningSince) / lineInterval));
    const count = Math.min(total, limit);
    const first = total - count;
    const versionName = instanceVersion(service, version.commitId);
    const pod = instanceName(service, versionName, deploymentId);
    const key = [deploymentId, service.id, service.kind, runningSince, pod, versionName].join(' ');
    const before = kept.get(key);
    const lines = Array.from(
      { length: count },
      (_, offset): RuntimeLogLine =>
        (before && before.lines[first + offset - before.first]) ?? {
          at: runningSince + (first + offset + 1) * lineInterval,
          message: lineAt(first + offset, deploymentId),
          pod,
          version: versionName,
        },
    );
    if (lines.length >= (before?.lines.length ?? 0)) kept.set(key, { first, lines });
    return lines;
  };
}
