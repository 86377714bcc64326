import type { RequestBudget } from '../../../client/index.ts';

/** The shortest poll interval, in milliseconds, while there are plenty of requests. */
const minimumInterval = { moving: 2_000, still: 10_000 } as const;

/** The share of the remaining requests that all watches of one credential may use together: the rest is for calls. */
const budgetShare = { moving: 1 / 2, still: 1 / 4 } as const;

/** Above this share of the whole budget, the budget doesn't slow down polling during a deployment, because deployments are short. Below it, the remaining requests are spread over time. */
const plentyShare = 1 / 2;

const maximumInterval = 300_000;

const mostJitter = 0.25;

/** What the poll interval depends on. */
export interface PollConditions {
  /** Whether something is in progress, in the watched resource or in another one on the same budget. */
  readonly moving: boolean;
  /** The last known request budget. */
  readonly budget?: RequestBudget;
  /** Requests of one poll of every resource that is watched on this budget. */
  readonly requests: number;
  /** Failed polls in a row. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Whether enough requests remain to follow something in progress closely. */
const isPlenty = ({ moving, budget }: PollConditions): boolean => moving && budget !== undefined && budget.remaining > budget.limit * plentyShare;

/** The shortest interval in milliseconds at which a share of the remaining requests lasts until the budget resets; at most the time until then. */
function affordableInterval(conditions: PollConditions, share: number): number {
  const { budget, requests, now } = conditions;
  if (!budget || budget.resetAt <= now || isPlenty(conditions)) return 0;
  const untilReset = budget.resetAt - now;
  return Math.min((untilReset * requests) / (share * budget.remaining), untilReset);
}

/**
 * The time until the next poll, in milliseconds: short while something is in progress, longer with fewer remaining requests,
 * more watched resources, and more failures. Random jitter spreads watches that started together.
 */
export function pollIntervalFor(conditions: PollConditions): number {
  const { moving, failures, random } = conditions;
  const activity = moving ? 'moving' : 'still';
  const interval = Math.min(minimumInterval[activity] * 2 ** failures, maximumInterval);
  return Math.max(interval, affordableInterval(conditions, budgetShare[activity])) * (1 + mostJitter * random);
}
