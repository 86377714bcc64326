import type { Method } from '../contract/index.ts';
import { retryTimeOf } from './budget.ts';
import { backoff, maximumSendAttempts, resetJitter } from './limits.ts';
import type { SendOutcome } from './transport.ts';
import { stoppedFault } from './transport-fault.ts';
import type { Lifetime } from './lifetime.ts';

/** State of a call after an attempt. Times are in milliseconds since the epoch. */
interface RetryState {
  readonly method: Method;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Maximum number of attempts. Default: `maximumSendAttempts`. */
  readonly maxAttempts?: number;
  readonly now: number;
  readonly deadline: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

// Methods whose requests can be repeated with the same effect.
const repeatable: ReadonlySet<Method> = new Set(['GET', 'PUT']);

const backoffAfter = (attempts: number, random: () => number): number =>
  random() * Math.min(backoff.longest, backoff.first * 2 ** (attempts - 1));

const worthRepeating = ({ response, fault }: SendOutcome, method: Method): boolean => {
  if (fault) return fault.transient && (repeatable.has(method) || !fault.sent);
  // 429 rejects any request before it is carried out.
  return response.status === 429 || (response.status >= 500 && repeatable.has(method));
};

const waitAfter = ({ response }: SendOutcome, { attempts, now, random }: RetryState): number => {
  const retryAt = response && retryTimeOf(response, now);
  const wait = backoffAfter(attempts, random);
  return retryAt === undefined ? wait : Math.max(wait, retryAt - now + random() * resetJitter);
};

/**
 * How long to wait before sending the same request again, in milliseconds; undefined if the outcome is final. GET and
 * PUT are repeated after transient faults and 5xx; any method after 429, or after a transient fault before the request
 * was sent; none if the wait would end after the deadline.
 */
function waitBeforeRetry(outcome: SendOutcome, state: RetryState): number | undefined {
  if (state.attempts >= (state.maxAttempts ?? maximumSendAttempts) || !worthRepeating(outcome, state.method))
    return undefined;
  const wait = waitAfter(outcome, state);
  return state.now + wait < state.deadline ? wait : undefined;
}

/** A request to send, and how to repeat it. */
export interface RetryOptions {
  readonly method: Method;
  /** Default: `maximumSendAttempts`. */
  readonly maxAttempts?: number;
  readonly lifetime: Lifetime;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Waits for this many milliseconds; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Sends the request once; rejects only when the signal aborts. @param number of the attempt, from 1. */
  readonly send: (signal: AbortSignal, number: number) => Promise<SendOutcome>;
  /** Called for each attempt that will be followed by another, after `wait` milliseconds. */
  readonly onRetry: (outcome: SendOutcome, wait: number) => void;
}

export interface SendResult {
  readonly outcome: SendOutcome;
  readonly attempts: number;
  /** True if an attempt at a change may have taken effect without a response that confirms it. */
  readonly outcomeUnknown: boolean;
}

/** Sends the request once, unless the call is or gets stopped. */
async function attempt({ lifetime, send }: RetryOptions, number: number): Promise<SendOutcome> {
  const before = lifetime.stopped();
  if (before) return { fault: stoppedFault(before, false) };
  const outcome = await send(lifetime.signal, number).catch(() => undefined);
  const stopped = lifetime.stopped();
  if (stopped && !outcome?.response) return { fault: stoppedFault(stopped, true) };
  return outcome ?? { fault: stoppedFault('canceled', true) };
}

const mayHaveTakenEffect = ({ response, fault }: SendOutcome): boolean => (fault ? fault.sent : response.status >= 500);

/** Sends a request until its outcome is final, the attempts are used up, or the call is stopped. Never throws. */
export async function sendWithRetries(options: RetryOptions): Promise<SendResult> {
  const { method, maxAttempts, lifetime, deadline, now, random, sleep } = options;
  let outcomeUnknown = false;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(options, attempts);
    outcomeUnknown ||= method !== 'GET' && mayHaveTakenEffect(outcome);
    const wait = waitBeforeRetry(outcome, { method, attempts, maxAttempts, now: now(), deadline, random });
    if (wait === undefined) return { outcome, attempts, outcomeUnknown };
    options.onRetry(outcome, wait);
    await sleep(wait, lifetime.signal).catch(() => undefined);
  }
}
