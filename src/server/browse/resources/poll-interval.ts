import type { RequestBudget } from '../../../client/budget.ts';

/** How often something may be looked at, in milliseconds, where requests are no concern. */
const minimumInterval = { moving: 2_000, still: 10_000 } as const;

/** What watching may take of the requests that are left, all that one credential watches together: people come first. */
const budgetShare = { moving: 1 / 2, still: 1 / 4 } as const;

/** The part of the whole budget that may be gone through quickly while something is under way: deployments are short. What is below it is shared out. */
const plentyShare = 1 / 2;

const maximumInterval = 300_000;

const mostJitter = 0.25;

/** What decides when to look again. */
export interface PollConditions {
  /** Whether something is under way, there or nearby. */
  readonly moving: boolean;
  /** What was last heard of the request budget. */
  readonly budget?: RequestBudget;
  /** Requests that looking at everything takes once, all that is watched on this budget together. */
  readonly requests: number;
  /** How often looking failed in a row. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Whether so much is left that what is under way may be followed closely. */
const isPlenty = ({ moving, budget }: PollConditions): boolean => moving && budget !== undefined && budget.remaining > budget.limit * plentyShare;

/** The time after which a part of what is left lasts until the budget is whole again; where not even one look does, that moment. */
function affordableInterval(circumstances: PollConditions, part: number): number {
  const { budget, requests, now } = circumstances;
  if (!budget || budget.resetAt <= now || isPlenty(circumstances)) return 0;
  const left = budget.resetAt - now;
  return Math.min((left * requests) / (part * budget.remaining), left);
}

/**
 * Milliseconds until the next look: short while something is under way, longer the fewer requests are left, the more is
 * watched, and the longer looking fails. A little chance keeps those that began together apart.
 */
export function pollIntervalFor(circumstances: PollConditions): number {
  const { moving, failures, random } = circumstances;
  const mood = moving ? 'moving' : 'still';
  const patience = Math.min(minimumInterval[mood] * 2 ** failures, maximumInterval);
  return Math.max(patience, affordableInterval(circumstances, budgetShare[mood])) * (1 + mostJitter * random);
}
