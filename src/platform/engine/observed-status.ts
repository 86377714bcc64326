import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import { condition, type Condition, readCondition, storedCondition } from '../../contract/index.ts';
import { conditionLine, isUnknown, type RunningService, type RuntimeLogLine } from '../runtime/index.ts';
import type { DatabaseSchema } from '../store/index.ts';
import { changesIn } from './running-facts.ts';

export type ObservedRow = Selectable<DatabaseSchema['running_service']>;

/** What a look at a service changes: its row, and what is told of it. */
export interface ObservedStatus {
  readonly row: ObservedRow;
  /** What the engine will drop of the logs of its instances, and how they ended. */
  readonly lines: readonly RuntimeLogLine[];
  /** What its log tells of the whole service. */
  readonly told: readonly Condition[];
  /** Whether instances of it run, if that has changed. */
  readonly turned?: 'up' | 'down';
}

const isDown = (row: Pick<ObservedRow, 'wanted' | 'running'> | undefined): boolean =>
  row !== undefined && row.wanted > 0 && row.running === 0;

/** After how long an end is worth telling whatever came before, in milliseconds. */
const quietMilliseconds = 600_000;

/**
 * Whether to tell of the nth end of an instance: the first ones, then ever fewer, so that a crash loop doesn't fill the
 * log.
 */
const isWorthTelling = (nth: number, sinceLast: number): boolean =>
  nth <= 3 || Number.isInteger(Math.log2(nth)) || sinceLast > quietMilliseconds;

/** What is said of the end of an instance. @param nth of how many since the deployment it is */
const endOf = (
  { pod: instance, why: cause, withNode, isBound }: RunningService['ends'][number],
  nth: number,
): Condition =>
  withNode
    ? condition('INSTANCE_LOST', { instance, cause, replacement: isBound ? 'waits for that node' : 'elsewhere' })
    : condition('INSTANCE_FAILED', { instance, cause, nth });

/** What the instances logged that ended, and why they did. */
const linesOfEnds = (fresh: RunningService['ends'], before: number, lastEnd: number | null): RuntimeLogLine[] =>
  fresh.flatMap((end, index) => {
    const { at, pod, lines } = end;
    const nth = before + index + 1;
    if (!isWorthTelling(nth, at - (fresh[index - 1]?.at ?? lastEnd ?? at))) return [];
    return [...lines, conditionLine(endOf(end, nth), { at, pod, version: '' })];
  });

/** Whether a condition was told before. Earlier programs stored its sentence only. */
const isKnown = (now: Condition, before: readonly Condition[]): boolean =>
  before.some((each) => (each.reason === 'OTHER' ? each.message === now.message : isDeepStrictEqual(each, now)));

const newChanges = (before: readonly Condition[], now: readonly Condition[]): Condition[] =>
  before.length > 0 && now.length === 0
    ? [condition('CHANGES_UNDONE', {})]
    : now.filter((change) => !isKnown(change, before));

/**
 * What a look found, beside what was known.
 * @param present what was known; undefined if it wasn't looked at since the deployment
 * @returns undefined if nothing is new
 */
export function observedStatusOf(
  present: ObservedRow | undefined,
  deploymentId: string,
  { serviceId, wanted, running, ends, problem, changes }: RunningService,
): ObservedStatus | undefined {
  const known = present ? (JSON.parse(present.known_ends) as string[]) : [];
  const fresh = ends.filter(({ id }) => !known.includes(id));
  const restarts = present?.restarts ?? 0;
  const last = fresh.at(-1);
  const row: ObservedRow = {
    service_id: serviceId,
    deployment_id: deploymentId,
    wanted,
    running,
    restarts: restarts + fresh.length,
    known_ends: JSON.stringify(ends.map(({ id }) => id)),
    last_end_ms: last?.at ?? present?.last_end_ms ?? null,
    last_end_why: last ? storedCondition(last.why) : (present?.last_end_why ?? null),
    obstacle: problem ? storedCondition(problem) : null,
    changes: JSON.stringify(changes.map(storedCondition)),
  };
  if (present && Object.entries(row).every(([name, value]) => present[name as keyof ObservedRow] === value))
    return undefined;
  const turned = isDown(row) === isDown(present) ? undefined : isDown(row) ? 'down' : 'up';
  return {
    row,
    ...(turned && { turned }),
    lines: linesOfEnds(fresh, restarts, present?.last_end_ms ?? null),
    told: [
      ...newChanges(changesIn(present?.changes), changes),
      ...(turned === 'down'
        ? [condition('UNAVAILABLE', { isKnown: !isUnknown(problem) })]
        : turned === 'up'
          ? [condition('AVAILABLE', { running, wanted })]
          : []),
      ...(problem !== undefined && !isKnown(problem, present?.obstacle ? [readCondition(present.obstacle)] : [])
        ? [problem]
        : []),
    ],
  };
}
