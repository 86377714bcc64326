import type { Method } from '../contract/operation.ts';
import { stoppedFault } from './fault.ts';
import type { Lifetime } from './lifetime.ts';
import { waitBeforeRetry } from './retry.ts';
import type { Outcome } from './transport.ts';

/** One call on its way. */
export interface Journey {
  readonly method: Method;
  /** Default: as many as make sense. */
  readonly mostAttempts?: number;
  readonly lifetime: Lifetime;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Waits so many milliseconds; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Sends the request once; rejects only when the signal aborts. */
  readonly send: (signal: AbortSignal) => Promise<Outcome>;
  /** Told of every attempt that is followed by another after `wait` milliseconds. */
  readonly onRetry: (outcome: Outcome, wait: number) => void;
}

export interface Arrival {
  readonly outcome: Outcome;
  readonly attempts: number;
  /** True when some attempt at a change may have been carried out without an answer that says so. */
  readonly outcomeUnknown: boolean;
}

/** Sends once, until the call is stopped. */
async function attempt({ lifetime, send }: Journey): Promise<Outcome> {
  const before = lifetime.stopped();
  if (before) return { fault: stoppedFault(before, false) };
  const outcome = await send(lifetime.signal).catch(() => undefined);
  const stopped = lifetime.stopped();
  if (stopped && !outcome?.exchange) return { fault: stoppedFault(stopped, true) };
  return outcome ?? { fault: stoppedFault('canceled', true) };
}

const leavesDoubt = ({ exchange, fault }: Outcome): boolean => (fault ? fault.sent : exchange.status >= 500);

/** Sends a request until its outcome settles, the retries are used up, or the call is stopped. Never throws. */
export async function travel(journey: Journey): Promise<Arrival> {
  const { method, mostAttempts, lifetime, deadline, now, random, sleep } = journey;
  let outcomeUnknown = false;
  for (let attempts = 1; ; attempts += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await attempt(journey);
    outcomeUnknown ||= method !== 'GET' && leavesDoubt(outcome);
    const wait = waitBeforeRetry(outcome, { method, attempts, mostAttempts, now: now(), deadline, random });
    if (wait === undefined) return { outcome, attempts, outcomeUnknown };
    journey.onRetry(outcome, wait);
    // oxlint-disable-next-line no-await-in-loop
    await sleep(wait, lifetime.signal).catch(() => undefined);
  }
}
