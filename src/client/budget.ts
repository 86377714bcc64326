import { rateHeaders } from '../contract/limits.ts';
import type { Headers } from './transport.ts';

/** What is left of a credential's requests, as the platform last said. */
export interface RequestBudget {
  /** Requests in a whole window. */
  readonly limit: number;
  /** Requests left in this window. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  readonly resetAt: number;
  /** When the platform said so, in milliseconds since the epoch. */
  readonly seenAt: number;
}

// Below it a reset is no Unix time but the seconds from now.
const smallestUnixTime = 1e9;

// Beyond it there are no dates.
const latestTime = 8.64e15;

const numericHeader = (headers: Headers, name: string): number | undefined => {
  const text = String(headers[name.toLowerCase()] ?? '').trim();
  const value = Number(text);
  return text !== '' && Number.isFinite(value) && value >= 0 ? value : undefined;
};

const validTime = (milliseconds: number): number | undefined => (milliseconds <= latestTime ? milliseconds : undefined);

const resetAt = (headers: Headers, now: number): number | undefined => {
  const reset = numericHeader(headers, rateHeaders.reset);
  if (reset === undefined) return undefined;
  return validTime(reset < smallestUnixTime ? now + reset * 1000 : reset * 1000);
};

/** The budget that an answer's headers tell of; undefined where they tell none. `now` in milliseconds since the epoch. */
export function budgetFromHeaders(headers: Headers, now: number): RequestBudget | undefined {
  const limit = numericHeader(headers, rateHeaders.limit);
  const remaining = numericHeader(headers, rateHeaders.remaining);
  const reset = resetAt(headers, now);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: reset, seenAt: now };
}

/**
 * When an answer asks to come back, in milliseconds since the epoch: Retry-After where it is given (seconds or a
 * date), the end of the rate window otherwise. `now` likewise.
 */
export function retryAfterTime(headers: Headers, now: number): number | undefined {
  const seconds = numericHeader(headers, 'Retry-After');
  if (seconds !== undefined) return validTime(now + seconds * 1000);
  const date = Date.parse(String(headers['retry-after'] ?? ''));
  return Number.isNaN(date) ? resetAt(headers, now) : date;
}

/** The budgets of many credentials. */
export interface RequestBudgets {
  get(key: string): RequestBudget | undefined;
  /** Takes over what an answer says. Answers may overtake each other: within one window the lowest count stands. */
  record(key: string, seen: RequestBudget | undefined): void;
}

// A credential unseen for so many others has most likely left.
const maximumBudgets = 10_000;

/** Budgets by credential key; the longest unseen are forgotten first. */
export function createRequestBudgets(): RequestBudgets {
  const budgets = new Map<string, RequestBudget>();
  return {
    get: (key) => budgets.get(key),
    record: (key, seen) => {
      if (!seen) return;
      const known = budgets.get(key);
      const lowest = known?.resetAt === seen.resetAt ? Math.min(known.remaining, seen.remaining) : seen.remaining;
      budgets.delete(key);
      budgets.set(key, { ...seen, remaining: lowest });
      for (const oldest of budgets.keys()) {
        if (budgets.size <= maximumBudgets) break;
        budgets.delete(oldest);
      }
    },
  };
}
