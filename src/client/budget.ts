import { rateHeaders } from '../contract/index.ts';
import type { Headers } from './transport.ts';

/** The remaining requests of a credential, as last reported by the platform. */
export interface RequestBudget {
  /** Requests allowed per window. */
  readonly limit: number;
  /** Requests left in the current window. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  readonly resetAt: number;
  /** When the platform reported this, in milliseconds since the epoch. */
  readonly seenAt: number;
}

// A smaller reset value is not a Unix time but a number of seconds from now.
const smallestUnixTime = 1e9;

// The latest time that a Date can represent, in milliseconds since the epoch.
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

/**
 * The budget in a response's headers; undefined if they are missing or invalid. `now` is in milliseconds since the
 * epoch.
 */
export function budgetFromHeaders(headers: Headers, now: number): RequestBudget | undefined {
  const limit = numericHeader(headers, rateHeaders.limit);
  const remaining = numericHeader(headers, rateHeaders.remaining);
  const reset = resetAt(headers, now);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: reset, seenAt: now };
}

// Statuses of responses that may say when the same request can succeed.
const temporary: readonly number[] = [429, 503];

/**
 * When a response allows a retry, in milliseconds since the epoch: from Retry-After (seconds or a date) or, without
 * that header, the end of the rate limit window. Undefined for other statuses than 429 and 503. `now` is in the
 * same unit.
 */
export function retryTimeOf(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined {
  if (!temporary.includes(status)) return undefined;
  const seconds = numericHeader(headers, 'Retry-After');
  if (seconds !== undefined) return validTime(now + seconds * 1000);
  const date = Date.parse(String(headers['retry-after'] ?? ''));
  return Number.isNaN(date) ? resetAt(headers, now) : date;
}

/** Request budgets by credential key. */
export interface RequestBudgets {
  get(key: string): RequestBudget | undefined;
  /**
   * The lowest budget whose window has not ended; undefined if none is known.
   * @param now milliseconds since the epoch.
   */
  lowest(now: number): RequestBudget | undefined;
  /** Records a reported budget. Responses may arrive out of order: within one window the lowest count is kept. */
  record(key: string, reported: RequestBudget | undefined): void;
}

// Maximum number of credentials to remember: one that was last used before this many others is most likely no longer in
// use.
const maximumBudgets = 10_000;

/** Creates a store of request budgets that evicts the least recently updated ones. */
export function createRequestBudgets(): RequestBudgets {
  const budgets = new Map<string, RequestBudget>();
  return {
    get: (key) => budgets.get(key),
    lowest: (now) => {
      let lowest: RequestBudget | undefined;
      for (const budget of budgets.values())
        if (budget.resetAt > now && budget.remaining < (lowest?.remaining ?? Number.POSITIVE_INFINITY)) lowest = budget;
      return lowest;
    },
    record: (key, reported) => {
      if (!reported) return;
      const known = budgets.get(key);
      const lowest =
        known?.resetAt === reported.resetAt ? Math.min(known.remaining, reported.remaining) : reported.remaining;
      budgets.delete(key);
      budgets.set(key, { ...reported, remaining: lowest });
      for (const oldest of budgets.keys()) {
        if (budgets.size <= maximumBudgets) break;
        budgets.delete(oldest);
      }
    },
  };
}
