import type { Selectable } from 'kysely';
import { isUnknown, type RunningService, type RuntimeLogLine } from '../runtime/index.ts';
import type { DatabaseSchema } from '../store/index.ts';

export type SeenRow = Selectable<DatabaseSchema['running_service']>;

/** What a look at a service changes: its row, and what is told of it. */
export interface Sighting {
  readonly row: SeenRow;
  /** What the engine will drop of the logs of its instances, and how they ended. */
  readonly lines: readonly RuntimeLogLine[];
  /** Sentences about the whole service for its log. */
  readonly told: readonly string[];
  /** Whether instances of it run, if that has changed. */
  readonly turned?: 'up' | 'down';
}

const isDown = (row: Pick<SeenRow, 'wanted' | 'running'> | undefined): boolean => row !== undefined && row.wanted > 0 && row.running === 0;

/** After how long an end is worth telling whatever came before, in milliseconds. */
const quietMilliseconds = 600_000;

/** Whether to tell of the nth end of an instance: the first ones, then ever fewer, so that a crash loop doesn't fill the log. */
const isWorthTelling = (nth: number, sinceLast: number): boolean => nth <= 3 || Number.isInteger(Math.log2(nth)) || sinceLast > quietMilliseconds;

/** What is said of the end of an instance. @param nth of how many since the deployment it is */
const endText = ({ pod, why, withNode, isBound }: RunningService['ends'][number], nth: number): string => {
  if (!withNode) return `Instance ${pod} failed: ${why}. It is started again${nth === 1 ? '' : ` (failure ${nth} since the deployment)`}.`;
  return `Instance ${pod} is gone: ${why}. ${isBound ? 'It can only run there, and is started again when that node is back.' : 'Another one is started on another node, if one fits and has room.'}`;
};

/** What the instances logged that ended, and why they did. */
const linesOfEnds = (fresh: RunningService['ends'], before: number, lastEnd: number | null): RuntimeLogLine[] => fresh.flatMap((end, index) => {
  const { at, pod, lines } = end;
  const nth = before + index + 1;
  if (!isWorthTelling(nth, at - (fresh[index - 1]?.at ?? lastEnd ?? at))) return [];
  return [...lines, { at, message: endText(end, nth), pod, version: '' }];
});

const toldOfChanges = (before: readonly string[], now: readonly string[]): string[] => {
  const fresh = now.filter((change) => !before.includes(change));
  return before.length > 0 && now.length === 0 ? ['What somebody changed of it is as it was deployed again.'] : fresh;
};

/**
 * What a look found, beside what was known.
 * @param present what was known; undefined if it wasn't looked at since the deployment
 * @returns undefined if nothing is new
 */
export function sightingOf(present: SeenRow | undefined, deploymentId: string, { serviceId, wanted, running, ends, obstacle, changes }: RunningService): Sighting | undefined {
  const known = present ? (JSON.parse(present.known_ends) as string[]) : [];
  const fresh = ends.filter(({ id }) => !known.includes(id));
  const restarts = present?.restarts ?? 0;
  const last = fresh.at(-1);
  const row: SeenRow = {
    service_id: serviceId, deployment_id: deploymentId, wanted, running, restarts: restarts + fresh.length, known_ends: JSON.stringify(ends.map(({ id }) => id)),
    last_end_ms: last?.at ?? present?.last_end_ms ?? null, last_end_why: last?.why ?? present?.last_end_why ?? null,
    obstacle: obstacle ?? null, changes: JSON.stringify(changes),
  };
  if (present && Object.entries(row).every(([name, value]) => present[name as keyof SeenRow] === value)) return undefined;
  const turned = isDown(row) === isDown(present) ? undefined : isDown(row) ? 'down' : 'up';
  return {
    row, ...(turned && { turned }),
    lines: linesOfEnds(fresh, restarts, present?.last_end_ms ?? null),
    told: [
      ...toldOfChanges(present ? (JSON.parse(present.changes) as string[]) : [], changes),
      ...(turned === 'down' ? [`Unavailable: no instance of it ${isUnknown(obstacle) ? 'is known to run' : 'runs'}.`] : turned === 'up' ? [`Available again: ${running} of ${wanted} instances run.`] : []),
      ...(obstacle !== undefined && obstacle !== present?.obstacle ? [obstacle] : []),
    ],
  };
}
