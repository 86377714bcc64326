import { dataOf } from '../../contract/index.ts';
import type { Entry } from '../logs/entries.ts';

/** What the log of a job's deployment tells of its schedule; undefined if nothing. */
export function leftScheduleText(entries: readonly Entry[]): string | undefined {
  const left = entries.map(({ condition }) => (condition ? dataOf(condition, 'SCHEDULE_NOT_BEGUN')?.left : undefined)).findLast((found) => found !== undefined);
  if (left === undefined) return undefined;
  return left === 'none' ? 'no run starts by itself until a deployment of it ends well' : 'that of the version before goes on; the new one has not begun';
}
