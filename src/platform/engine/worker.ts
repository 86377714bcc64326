import { type EngineContext, blockedDueTime } from './context.ts';
import { createFailureLog, logFailure } from './failure-log.ts';
import { heartbeatMilliseconds, type Lease } from './lease.ts';
import type { PlatformClock } from '../common/index.ts';

// setTimeout fires immediately for a longer delay than this.
const maximumTimerDelay = 2 ** 31 - 1;

/** A sleep that can be interrupted. */
export interface Alarm {
  /** Sleeps until the clock reaches `moment` (milliseconds since the epoch), the clock jumps, or `ring` is called. */
  readonly sleepUntil: (moment: number) => Promise<void>;
  /** Ends the current sleep, or the next one before it starts. */
  readonly ring: () => void;
}

/** Creates an alarm on the platform's clock. */
function createAlarm(clock: PlatformClock): Alarm {
  let rung = false;
  let wakeUp: (() => void) | undefined;

  const sleep = async (moment: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(moment - clock.now(), maximumTimerDelay));
    const unsubscribe = clock.onMove?.(resolve);
    wakeUp = resolve;
    await promise;
    clearTimeout(timer);
    unsubscribe?.();
  };

  return {
    ring: () => {
      rung = true;
      wakeUp?.();
    },
    sleepUntil: async (moment) => {
      if (!rung && moment > clock.now()) await sleep(moment);
      rung = false;
    },
  };
}

/** A kind of work: which items are due, and how to process them. */
export interface WorkQueue {
  readonly name: string;
  /** Whether its effects are invisible to callers. `settled` doesn't report when its items are due later. */
  readonly isBackground?: boolean;
  /** How many items are processed concurrently. */
  readonly concurrency: number;
  /**
   * Claims up to `limit` due items. Returns the ids of the due items that the lease holds, without those in progress.
   */
  claimDue(lease: Lease, inProgress: readonly string[], limit: number): Promise<string[]>;
  /** Processes one item. Safe to repeat after an interrupted attempt. The signal aborts when the worker stops. */
  run(id: string, lease: Lease, signal: AbortSignal): Promise<void>;
  /** When the next item that is not in progress is due, in milliseconds since the epoch; null if there is none. */
  nextDue(lease: Lease, inProgress: readonly string[]): Promise<number | null>;
  /** Whether the lease holds any items of this queue. */
  hasClaims(lease: Lease): Promise<boolean>;
}

/** Processes the items of its queues from `start` to `stop`. */
export interface Worker {
  readonly wake: () => void;
  readonly start: () => void;
  /** See Engine.settled. */
  readonly settled: () => Promise<number | null>;
  /** Finishes the items in progress, releases the lease, and returns when nothing runs any more. */
  readonly stop: () => Promise<void>;
}

/**
 * How often to check for items that another process added or left behind, with and without other workers. Nothing
 * announces these.
 */
export const reapIntervalMilliseconds = { inCompany: 1000, alone: 5000 };
// How long a failed item waits before its retry, so that a permanent failure doesn't keep the process busy.
const backoffMilliseconds = 1000;

/**
 * Creates a worker with its own lease. It sleeps until an item is due, `wake` is called, or the next check for dead
 * workers is due.
 */
export function createWorker(context: EngineContext, lease: Lease, queues: readonly WorkQueue[]): Worker {
  const { clock, log } = context;
  const alarm = createAlarm(clock);
  const inProgress = new Map<WorkQueue, Map<string, Promise<void>>>(queues.map((queue) => [queue, new Map()]));
  /** When the failed items in progress are retried, by queue and id. */
  const retryTimes = new Map<string, number>();
  let settledWaiters: PromiseWithResolvers<number | null>[] = [];
  /** How many items have left `inProgress`. */
  let completed = 0;
  let stopping = new AbortController();
  let looping: Promise<void> | undefined;
  let renewAt = 0;
  let reapAt = 0;

  const backOff = async (signal: AbortSignal, until = clock.now() + backoffMilliseconds): Promise<void> => {
    const backoffAlarm = createAlarm(clock);
    signal.addEventListener('abort', backoffAlarm.ring, { once: true });
    if (!signal.aborted) await backoffAlarm.sleepUntil(until);
    signal.removeEventListener('abort', backoffAlarm.ring);
  };

  const waitForRetry = async (key: string, signal: AbortSignal): Promise<void> => {
    const until = clock.now() + backoffMilliseconds;
    retryTimes.set(key, until);
    alarm.ring();
    await backOff(signal, until);
    retryTimes.delete(key);
  };

  const runItem = async (queue: WorkQueue, id: string, signal: AbortSignal): Promise<void> => {
    try {
      await queue.run(id, lease, signal);
    } catch (error) {
      if (!signal.aborted) {
        logFailure(log, error, { lane: queue.name, id }, 'a work item failed; it will be retried');
        await waitForRetry(`${queue.name}/${id}`, signal);
      }
    } finally {
      inProgress.get(queue)!.delete(id);
      completed += 1;
      alarm.ring();
    }
  };

  const claimAndRun = async (queue: WorkQueue, signal: AbortSignal): Promise<void> => {
    const busy = inProgress.get(queue)!;
    const free = queue.concurrency - busy.size;
    if (free <= 0) return;
    const ids = await queue.claimDue(lease, [...busy.keys()], free);
    for (const id of ids.slice(0, free)) busy.set(id, runItem(queue, id, signal));
  };

  const reapIfDue = async (now: number): Promise<void> => {
    if (now < reapAt) return;
    const others = await lease.reap();
    reapAt = now + (others > 0 ? reapIntervalMilliseconds.inCompany : reapIntervalMilliseconds.alone);
  };

  const renewLeaseIfDue = async (now: number): Promise<void> => {
    if (now < renewAt) return;
    const isBusy = [...inProgress.values()].some((items) => items.size > 0);
    const holdsClaims = isBusy || (await Promise.all(queues.map((queue) => queue.hasClaims(lease)))).some(Boolean);
    renewAt = holdsClaims ? now + heartbeatMilliseconds : 0;
    if (holdsClaims) await lease.renew(context.db);
  };

  /**
   * Resolves the pending `settled` calls if nothing is due or in progress. Failed items that wait for a retry don't
   * count.
   */
  const resolveIfSettled = (
    dueTimes: readonly number[],
    waiters: readonly PromiseWithResolvers<number | null>[],
  ): void => {
    const isBusy = [...inProgress.values()].reduce((sum, items) => sum + items.size, 0) > retryTimes.size;
    const next = Math.min(...dueTimes, ...retryTimes.values());
    if (isBusy || next <= clock.now()) return;
    for (const waiter of waiters) waiter.resolve(next < blockedDueTime ? next : null);
    settledWaiters = settledWaiters.filter((waiter) => !waiters.includes(waiter));
  };

  /** Starts what is due. Returns when to run again, in milliseconds since the epoch. */
  const runDue = async (signal: AbortSignal): Promise<number> => {
    const now = clock.now();
    // Later callers may know of work that this run has not seen.
    const waiters = [...settledWaiters];
    await reapIfDue(now);
    await renewLeaseIfDue(now);
    for (const queue of queues) await claimAndRun(queue, signal);
    const open = queues.filter((queue) => inProgress.get(queue)!.size < queue.concurrency);
    const completedBefore = completed;
    const nextDue = await Promise.all(open.map((queue) => queue.nextDue(lease, [...inProgress.get(queue)!.keys()])));
    const dueTimes = nextDue.filter((moment) => moment !== null);
    const reportedTimes = nextDue.filter(
      (moment, index) => moment !== null && (moment <= now || !open[index]!.isBackground),
    ) as number[];
    // An item that completed during the queries may be due again. The next run, which starts immediately, will see it.
    if (completed === completedBefore) resolveIfSettled(reportedTimes, waiters);
    return Math.min(reapAt, renewAt || reapAt, ...dueTimes);
  };

  const loop = async (signal: AbortSignal): Promise<void> => {
    const { failed, worked } = createFailureLog(
      log,
      {},
      {
        failure: 'the worker could not check for work; it tries again every second',
        recovery: 'the worker checks for work again',
      },
    );
    while (!signal.aborted) {
      try {
        const next = await runDue(signal);
        worked();
        await alarm.sleepUntil(next);
      } catch (error) {
        failed(error);
        await backOff(signal);
      }
    }
  };

  return {
    wake: alarm.ring,
    start: () => {
      stopping = new AbortController();
      looping = loop(stopping.signal);
    },
    settled: () => {
      const waiter = Promise.withResolvers<number | null>();
      settledWaiters.push(waiter);
      alarm.ring();
      return waiter.promise;
    },
    stop: async () => {
      stopping.abort();
      alarm.ring();
      await looping;
      await Promise.all([...inProgress.values()].flatMap((items) => [...items.values()]));
      // A worker that can't release its claims loses them with its lease.
      await lease
        .release()
        .catch((error: unknown) =>
          logFailure(
            log,
            error,
            {},
            'the claims of this worker could not be released; other workers take them over in a few seconds',
          ),
        );
      for (const waiter of settledWaiters)
        waiter.reject(new Error('The worker stopped before everything due was carried out.'));
      settledWaiters = [];
    },
  };
}
