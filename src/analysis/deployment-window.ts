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

/** When a deployment may have logged: from its start to its end, with some tolerance. */
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

/**
 * The deployment of a history that an id stands for; the id may be another one of the deployment that the status is
 * about.
 */
export function deploymentIn(
  history: readonly HistoryItem[],
  id: string,
  status?: LenientServiceStatus | null,
): PastDeployment | undefined {
  const ids = isStatusOf(status, id) ? [id, ...deploymentIdsIn(status)] : [id];
  const found = history.find((item) => ids.includes(item.identifier?.execution_id ?? ''));
  return found && readDeployment(found);
}
