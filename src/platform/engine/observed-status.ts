import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import { condition, type Condition, readCondition, storedCondition } from '../../contract/index.ts';
import { conditionLine, isUnknown, type RunningService, type RuntimeLogLine } from '../runtime/index.ts';
import type { DatabaseSchema } from '../store/index.ts';
import { changesIn } from './running-facts.ts';

export type ObservedRow = Selectable<DatabaseSchema['running_service']>;

/** The changes that an observation of a service causes: its row, and the lines of its log. */
export interface ObservedStatus {
  readonly row: ObservedRow;
  /** Log lines of exited instances, which the engine will drop, and how the instances exited. */
  readonly lines: readonly RuntimeLogLine[];
  /** Conditions of the whole service, for its log. */
  readonly told: readonly Condition[];
  /** Whether the service went up or down; absent if that has not changed. */
  readonly turned?: 'up' | 'down';
}

const isDown = (row: Pick<ObservedRow, 'wanted' | 'running'> | undefined): boolean =>
  row !== undefined && row.wanted > 0 && row.running === 0;

/** After how long an end is logged regardless of earlier ones, in milliseconds. */
const quietMilliseconds = 600_000;

/**
 * Whether to log the nth end of an instance: the first ones, then fewer and fewer, so that a crash loop doesn't fill
 * the log.
 */
const isLogged = (nth: number, sinceLast: number): boolean =>
  nth <= 3 || Number.isInteger(Math.log2(nth)) || sinceLast > quietMilliseconds;

/** The condition for the end of an instance. @param nth its number since the deployment */
const endOf = (
  { pod: instance, why: cause, withNode, isBound }: RunningService['ends'][number],
  nth: number,
): Condition =>
  withNode
    ? condition('INSTANCE_LOST', { instance, cause, replacement: isBound ? 'waits for that node' : 'elsewhere' })
    : condition('INSTANCE_FAILED', { instance, cause, nth });

/** The log lines of the exited instances, and why they exited. */
const linesOfEnds = (fresh: RunningService['ends'], before: number, lastEnd: number | null): RuntimeLogLine[] =>
  fresh.flatMap((end, index) => {
    const { at, pod, lines } = end;
    const nth = before + index + 1;
    if (!isLogged(nth, at - (fresh[index - 1]?.at ?? lastEnd ?? at))) return [];
    return [...lines, conditionLine(endOf(end, nth), { at, pod, version: '' })];
  });

/** Whether a condition was logged before. Earlier versions stored only its sentence. */
const isKnown = (now: Condition, before: readonly Condition[]): boolean =>
  before.some((each) => (each.reason === 'OTHER' ? each.message === now.message : isDeepStrictEqual(each, now)));

const newChanges = (before: readonly Condition[], now: readonly Condition[]): Condition[] =>
  before.length > 0 && now.length === 0
    ? [condition('CHANGES_UNDONE', {})]
    : now.filter((change) => !isKnown(change, before));

/**
 * Compares an observation with the known status.
 * @param present the known status; undefined if the service wasn't observed since the deployment
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
