import { type HistoryItem, type PastDeployment, readDeployment } from './history.ts';
import { deploymentIdsIn, isStatusOf, type LenientServiceStatus } from './deployment-progress.ts';
import type { TimeWindow } from './time-window.ts';

// Tolerance in milliseconds: clocks of a platform differ, and the last lines are collected a little later.
const clockSkew = 60_000;

/** A bound in milliseconds; undefined if there is none or it can't be read. */
const boundOf = (time: string | undefined, tolerance: number): number | undefined => {
  const at = Date.parse(time ?? '') + tolerance;
  return Number.isNaN(at) ? undefined : at;
};

/** The time window of a deployment's log lines: from its start to its end, with some tolerance. */
export const deploymentWindow = ({
  startedAt,
  endedAt,
}: Pick<PastDeployment, 'startedAt' | 'endedAt'>): TimeWindow => ({
  from: boundOf(startedAt, -clockSkew),
  to: boundOf(endedAt, clockSkew),
});

/** Whether a time lies in a window. A time that can't be read is kept. */
export const isInWindow = ({ from, to }: TimeWindow, time: string | null | undefined): boolean => {
  const at = Date.parse(time ?? '');
  return !(at < (from ?? at) || at > (to ?? at));
};

/** The deployment in a history that an id identifies; the id may be another one of the status's deployment. */
export function deploymentIn(
  history: readonly HistoryItem[],
  id: string,
  status?: LenientServiceStatus | null,
): PastDeployment | undefined {
  const ids = isStatusOf(status, id) ? [id, ...deploymentIdsIn(status)] : [id];
  const found = history.find((item) => ids.includes(item.identifier?.execution_id ?? ''));
  return found && readDeployment(found);
}
