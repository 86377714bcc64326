import { rateHeaders, timeOf } from '../contract/index.ts';
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

// A smaller number is not a Unix time but a number of seconds from now.
const smallestUnixTime = 1e9;

// The longest time that a window may still last, and may have been over, in milliseconds. Anything else is a mistake.
const longestWait = 31 * 86_400_000;
const longestPast = 86_400_000;

const headerText = (headers: Headers, name: string): string => String(headers[name.toLowerCase()] ?? '').trim();

const numericHeader = (headers: Headers, name: string): number | undefined => {
  const text = headerText(headers, name);
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
};

const numericTime = (value: number, now: number): number =>
  value < smallestUnixTime ? now + value * 1000 : (timeOf(value) ?? Number.NaN);

// Date.parse reads a date into nearly any text that has a number.
const dateForm = /^(?:\w{3}, \d{2} \w{3} \d{4} |\d{4}-\d{2}-\d{2}T)/;

/**
 * The time in a header, in milliseconds since the epoch: from seconds left, a Unix time in seconds or milliseconds, or
 * a date. Undefined if the header has none, or an impossible one.
 */
const timeIn = (headers: Headers, name: string, now: number): number | undefined => {
  const number = numericHeader(headers, name);
  const text = headerText(headers, name);
  const time = number === undefined ? Date.parse(dateForm.test(text) ? text : '') : numericTime(number, now);
  return time >= now - longestPast && time <= now + longestWait ? time : undefined;
};

const resetAt = (headers: Headers, now: number): number | undefined => timeIn(headers, rateHeaders.reset, now);

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
 * When a response allows a retry, in milliseconds since the epoch: from Retry-After or, without a possible time there,
 * the end of the rate limit window. Undefined for other statuses than 429 and 503. `now` is in the same unit.
 */
export const retryTimeOf = (
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined =>
  temporary.includes(status) ? (timeIn(headers, 'Retry-After', now) ?? resetAt(headers, now)) : undefined;

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
