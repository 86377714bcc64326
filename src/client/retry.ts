import type { Method } from '../contract/operation.ts';
import { comeBackAt } from './budget.ts';
import { backoff, maximumAttempts, resetSpread } from './limits.ts';
import type { Outcome } from './transport.ts';

/** Where a call stands after an attempt. Times in milliseconds since the epoch. */
interface Standing {
  readonly method: Method;
  /** Attempts made, the last one included. */
  readonly attempts: number;
  /** Most attempts there may be. */
  readonly mostAttempts?: number;
  readonly now: number;
  readonly deadline: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

// Carrying one of these out twice comes to the same as once.
const repeatable: ReadonlySet<Method> = new Set(['GET', 'PUT']);

const backoffAfter = (attempts: number, random: () => number): number =>
  random() * Math.min(backoff.longest, backoff.first * 2 ** (attempts - 1));

const worthRepeating = ({ exchange, fault }: Outcome, method: Method): boolean => {
  if (fault) return fault.passing && (repeatable.has(method) || !fault.sent);
  // Refused for its number, whatever it asked for: nothing was carried out.
  return exchange.status === 429 || (exchange.status >= 500 && repeatable.has(method));
};

const waitAfter = ({ exchange }: Outcome, { attempts, now, random }: Standing): number => {
  const asked = exchange && (exchange.status === 429 || exchange.status === 503) ? comeBackAt(exchange.headers, now) : undefined;
  const wait = backoffAfter(attempts, random);
  return asked === undefined ? wait : Math.max(wait, asked - now + random() * resetSpread);
};

/**
 * How long to wait before sending the same request again, in milliseconds; undefined when what came is the end of it.
 * Reads and PUT are repeated after passing faults and 5xx, everything after 429 and where the request never left;
 * never when the wait would outlast the deadline.
 */
export function waitBeforeRetry(outcome: Outcome, standing: Standing): number | undefined {
  if (standing.attempts >= (standing.mostAttempts ?? maximumAttempts) || !worthRepeating(outcome, standing.method)) return undefined;
  const wait = waitAfter(outcome, standing);
  return standing.now + wait < standing.deadline ? wait : undefined;
}
