import type { Method } from '../contract/operation.ts';
import { retryAfterTime } from './budget.ts';
import { backoff, maximumSendAttempts, resetJitter } from './limits.ts';
import type { SendOutcome } from './transport.ts';
import { stoppedFault } from './transport-fault.ts';
import type { Lifetime } from './lifetime.ts';

/** Where a call stands after an attempt. Times in milliseconds since the epoch. */
interface RetryState {
  readonly method: Method;
  /** Attempts made, the last one included. */
  readonly attempts: number;
  /** Most attempts there may be. */
  readonly maxAttempts?: number;
  readonly now: number;
  readonly deadline: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

// Carrying one of these out twice comes to the same as once.
const repeatable: ReadonlySet<Method> = new Set(['GET', 'PUT']);

const backoffAfter = (attempts: number, random: () => number): number =>
  random() * Math.min(backoff.longest, backoff.first * 2 ** (attempts - 1));

const worthRepeating = ({ response: exchange, fault }: SendOutcome, method: Method): boolean => {
  if (fault) return fault.transient && (repeatable.has(method) || !fault.sent);
  // Refused for its number, whatever it asked for: nothing was carried out.
  return exchange.status === 429 || (exchange.status >= 500 && repeatable.has(method));
};

const waitAfter = ({ response: exchange }: SendOutcome, { attempts, now, random }: RetryState): number => {
  const asked = exchange && (exchange.status === 429 || exchange.status === 503) ? retryAfterTime(exchange.headers, now) : undefined;
  const wait = backoffAfter(attempts, random);
  return asked === undefined ? wait : Math.max(wait, asked - now + random() * resetJitter);
};

/**
 * How long to wait before sending the same request again, in milliseconds; undefined when what came is the end of it.
 * Reads and PUT are repeated after passing faults and 5xx, everything after 429 and where the request never left;
 * never when the wait would outlast the deadline.
 */
function waitBeforeRetry(outcome: SendOutcome, standing: RetryState): number | undefined {
  if (standing.attempts >= (standing.maxAttempts ?? maximumSendAttempts) || !worthRepeating(outcome, standing.method)) return undefined;
  const wait = waitAfter(outcome, standing);
  return standing.now + wait < standing.deadline ? wait : undefined;
}

/** One call on its way. */
export interface RetryOptions {
  readonly method: Method;
  /** Default: as many as make sense. */
  readonly maxAttempts?: number;
  readonly lifetime: Lifetime;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Waits so many milliseconds; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Sends the request once; rejects only when the signal aborts. */
  readonly send: (signal: AbortSignal) => Promise<SendOutcome>;
  /** Told of every attempt that is followed by another after `wait` milliseconds. */
  readonly onRetry: (outcome: SendOutcome, wait: number) => void;
}

export interface SendResult {
  readonly outcome: SendOutcome;
  readonly attempts: number;
  /** True when some attempt at a change may have been carried out without an answer that says so. */
  readonly outcomeUnknown: boolean;
}

/** Sends once, until the call is stopped. */
async function attempt({ lifetime, send }: RetryOptions): Promise<SendOutcome> {
  const before = lifetime.stopped();
  if (before) return { fault: stoppedFault(before, false) };
  const outcome = await send(lifetime.signal).catch(() => undefined);
  const stopped = lifetime.stopped();
  if (stopped && !outcome?.response) return { fault: stoppedFault(stopped, true) };
  return outcome ?? { fault: stoppedFault('canceled', true) };
}

const mayHaveTakenEffect = ({ response: exchange, fault }: SendOutcome): boolean => (fault ? fault.sent : exchange.status >= 500);

/** Sends a request until its outcome settles, the retries are used up, or the call is stopped. Never throws. */
export async function sendWithRetries(journey: RetryOptions): Promise<SendResult> {
  const { method, maxAttempts: mostAttempts, lifetime, deadline, now, random, sleep } = journey;
  let outcomeUnknown = false;
  for (let attempts = 1; ; attempts += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await attempt(journey);
    outcomeUnknown ||= method !== 'GET' && mayHaveTakenEffect(outcome);
    const wait = waitBeforeRetry(outcome, { method, attempts, maxAttempts: mostAttempts, now: now(), deadline, random });
    if (wait === undefined) return { outcome, attempts, outcomeUnknown };
    journey.onRetry(outcome, wait);
    // oxlint-disable-next-line no-await-in-loop
    await sleep(wait, lifetime.signal).catch(() => undefined);
  }
}
