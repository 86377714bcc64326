import type { ToolContext } from '../../src/server/tool/index.ts';

/** The requests that the reads of a call for many places may still make. */
export interface Allowance {
  remainingRequests: number;
}

/**
 * Maximum number of requests of one search below the organization, for a small budget and for any: few for an overview,
 * which has no criteria.
 */
const maximumRequests = { search: { small: 40, any: 400 }, overview: { small: 12, any: 200 } } as const;

/** The fraction of the remaining requests that one search may use, if that is more. */
const shareOfBudget = 0.01;

/** Maximum number of concurrent visits, unless the caller knows better. */
const maximumConcurrency = 4;

/** Requests that one search may make: at most half of the remaining budget, which the first response tells. */
export function allowedRequests(context: ToolContext, kind: keyof typeof maximumRequests = 'search'): number {
  const { small, any } = maximumRequests[kind];
  const { remaining } = context.budget() ?? {};
  return remaining === undefined
    ? small
    : Math.min(Math.floor(remaining / 2), any, Math.max(small, Math.floor(remaining * shareOfBudget)));
}

/**
 * Calls `visit` for a few items at a time, until requests run out or `isDone` returns true.
 * @param cost number of requests that a visit sends
 * @param atOnce maximum number of concurrent visits
 * @returns the results of the items that were reached.
 */
export async function eachWithin<One, Result>(
  list: readonly One[],
  allowance: Allowance,
  visit: (one: One) => Promise<Result>,
  {
    isDone = () => false,
    cost = 1,
    atOnce = maximumConcurrency,
  }: { isDone?: (results: readonly Result[]) => boolean; cost?: number; atOnce?: number } = {},
): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < list.length && allowance.remainingRequests >= cost && !isDone(results)) {
    const affordable = Math.min(atOnce, Math.floor(allowance.remainingRequests / cost));
    const batch = list.slice(results.length, results.length + affordable);
    allowance.remainingRequests -= batch.length * cost;
    // A few at a time.
    results.push(...(await Promise.all(batch.map(visit))));
  }
  return results;
}
