import { type DataOf, dataOf, type ReadableCondition, type Reason } from '../contract/index.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';

/** The part of a status that contains conditions. */
export type WithRunning = Pick<LenientServiceStatus, 'running'>;

/**
 * The conditions of a running service, in the platform's order; undefined if the platform returns none, as other
 * platforms do.
 */
export function conditionsIn(status: WithRunning | null | undefined): readonly ReadableCondition[] | undefined {
  const conditions: unknown = status?.running?.conditions;
  return Array.isArray(conditions)
    ? conditions.filter((each): each is ReadableCondition => typeof each === 'object' && each !== null)
    : undefined;
}

/** The data of the first condition with a reason; undefined if there is none. */
export function dataIn<R extends Reason>(status: WithRunning | null | undefined, reason: R): DataOf<R> | undefined {
  return conditionsIn(status)
    ?.map((each) => dataOf(each, reason))
    .find((data) => data !== undefined);
}

const outsideChanges: readonly unknown[] = ['CHANGED_EXTERNALLY', 'REMOVED_EXTERNALLY'] satisfies Reason[];

/**
 * The condition that the running service was changed outside the platform, which a deployment undoes; undefined if
 * there is none.
 */
export const outsideChangeIn = (status: WithRunning | null | undefined): ReadableCondition | undefined =>
  conditionsIn(status)?.find(({ reason }) => outsideChanges.includes(reason));
