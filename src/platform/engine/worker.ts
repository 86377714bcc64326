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

/**
 * How often to check for items that another process added or left behind, with and without other workers. Nothing
 * announces these.
 */
export const reapIntervalMilliseconds = { inCompany: 1000, alone: 5000 };
// How long a failed item waits before its retry, so that a permanent failure doesn't keep the process busy.
const backoffMilliseconds = 1000;

/** The worker's own log messages. */
const says = {
  failure: 'the worker could not check for work; it tries again every second',
  recovery: 'the worker checks for work again',
};

/**
 * Processes the items of its queues from `start` to `stop`, under a lease of its own. Sleeps until an item is due,
 * `wake` is called, or the next check for dead workers is due.
 */
export class Worker {
  readonly #context: Pick<EngineContext, 'clock' | 'log' | 'db'>;
  readonly #lease: Lease;
  readonly #queues: readonly WorkQueue[];
  readonly #alarm: Alarm;
  readonly #inProgress: ReadonlyMap<WorkQueue, Map<string, Promise<void>>>;
  /** When the failed items in progress are retried, by queue and id. */
  readonly #retryTimes = new Map<string, number>();
  #settledWaiters: PromiseWithResolvers<number | null>[] = [];
  /** How many items have left `#inProgress`. */
  #completed = 0;
  #stopping = new AbortController();
  #looping: Promise<void> | undefined;
  #renewAt = 0;
  #reapAt = 0;

  constructor(context: Pick<EngineContext, 'clock' | 'log' | 'db'>, lease: Lease, queues: readonly WorkQueue[]) {
    this.#context = context;
    this.#lease = lease;
    this.#queues = queues;
    this.#alarm = createAlarm(context.clock);
    this.#inProgress = new Map(queues.map((queue) => [queue, new Map()]));
  }

  wake(): void {
    this.#alarm.ring();
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#looping = this.#loop(this.#stopping.signal);
  }

  /** See Engine.settled. */
  settled(): Promise<number | null> {
    const waiter = Promise.withResolvers<number | null>();
    this.#settledWaiters.push(waiter);
    this.#alarm.ring();
    return waiter.promise;
  }

  /** Finishes the items in progress, releases the lease, and returns when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#alarm.ring();
    await this.#looping;
    await Promise.all([...this.#inProgress.values()].flatMap((items) => [...items.values()]));
    // A worker that can't release its claims loses them with its lease.
    await this.#lease
      .release()
      .catch((error: unknown) =>
        logFailure(
          this.#context.log,
          error,
          {},
          'the claims of this worker could not be released; other workers take them over in a few seconds',
        ),
      );
    for (const waiter of this.#settledWaiters)
      waiter.reject(new Error('The worker stopped before everything due was carried out.'));
    this.#settledWaiters = [];
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { failed, worked } = createFailureLog(this.#context.log, {}, says);
    while (!signal.aborted) {
      try {
        const next = await this.#runDue(signal);
        worked();
        await this.#alarm.sleepUntil(next);
      } catch (error) {
        failed(error);
        await this.#backOff(signal);
      }
    }
  }

  /** Starts what is due. Returns when to run again, in milliseconds since the epoch. */
  async #runDue(signal: AbortSignal): Promise<number> {
    const now = this.#context.clock.now();
    // Later callers may know of work that this run has not seen.
    const waiters = [...this.#settledWaiters];
    await this.#reapIfDue(now);
    await this.#renewLeaseIfDue(now);
    for (const queue of this.#queues) await this.#claimAndRun(queue, signal);
    const open = this.#queues.filter((queue) => this.#itemsOf(queue).size < queue.concurrency);
    const completedBefore = this.#completed;
    const nextDue = await Promise.all(
      open.map((queue) => queue.nextDue(this.#lease, [...this.#itemsOf(queue).keys()])),
    );
    const dueTimes = nextDue.filter((moment) => moment !== null);
    const reportedTimes = nextDue.filter(
      (moment, index) => moment !== null && (moment <= now || !open[index]!.isBackground),
    ) as number[];
    // An item that completed during the queries may be due again. The next run, which starts immediately, will see it.
    if (this.#completed === completedBefore) this.#resolveIfSettled(reportedTimes, waiters);
    return Math.min(this.#reapAt, this.#renewAt || this.#reapAt, ...dueTimes);
  }

  async #reapIfDue(now: number): Promise<void> {
    if (now < this.#reapAt) return;
    const others = await this.#lease.reap();
    this.#reapAt = now + (others > 0 ? reapIntervalMilliseconds.inCompany : reapIntervalMilliseconds.alone);
  }

  async #renewLeaseIfDue(now: number): Promise<void> {
    if (now < this.#renewAt) return;
    const isBusy = [...this.#inProgress.values()].some((items) => items.size > 0);
    const holdsClaims =
      isBusy || (await Promise.all(this.#queues.map((queue) => queue.hasClaims(this.#lease)))).some(Boolean);
    this.#renewAt = holdsClaims ? now + heartbeatMilliseconds : 0;
    if (holdsClaims) await this.#lease.renew(this.#context.db);
  }

  async #claimAndRun(queue: WorkQueue, signal: AbortSignal): Promise<void> {
    const busy = this.#itemsOf(queue);
    const free = queue.concurrency - busy.size;
    if (free <= 0) return;
    const ids = await queue.claimDue(this.#lease, [...busy.keys()], free);
    for (const id of ids.slice(0, free)) busy.set(id, this.#runItem(queue, id, signal));
  }

  async #runItem(queue: WorkQueue, id: string, signal: AbortSignal): Promise<void> {
    try {
      await queue.run(id, this.#lease, signal);
    } catch (error) {
      if (!signal.aborted) {
        logFailure(this.#context.log, error, { lane: queue.name, id }, 'a work item failed; it will be retried');
        await this.#waitForRetry(`${queue.name}/${id}`, signal);
      }
    } finally {
      this.#itemsOf(queue).delete(id);
      this.#completed += 1;
      this.#alarm.ring();
    }
  }

  async #waitForRetry(key: string, signal: AbortSignal): Promise<void> {
    const until = this.#context.clock.now() + backoffMilliseconds;
    this.#retryTimes.set(key, until);
    this.#alarm.ring();
    await this.#backOff(signal, until);
    this.#retryTimes.delete(key);
  }

  async #backOff(signal: AbortSignal, until = this.#context.clock.now() + backoffMilliseconds): Promise<void> {
    const backoffAlarm = createAlarm(this.#context.clock);
    signal.addEventListener('abort', backoffAlarm.ring, { once: true });
    if (!signal.aborted) await backoffAlarm.sleepUntil(until);
    signal.removeEventListener('abort', backoffAlarm.ring);
  }

  /**
   * Resolves the pending `settled` calls if nothing is due or in progress. Failed items that wait for a retry don't
   * count.
   */
  #resolveIfSettled(dueTimes: readonly number[], waiters: readonly PromiseWithResolvers<number | null>[]): void {
    const isBusy = [...this.#inProgress.values()].reduce((sum, items) => sum + items.size, 0) > this.#retryTimes.size;
    const next = Math.min(...dueTimes, ...this.#retryTimes.values());
    if (isBusy || next <= this.#context.clock.now()) return;
    for (const waiter of waiters) waiter.resolve(next < blockedDueTime ? next : null);
    this.#settledWaiters = this.#settledWaiters.filter((waiter) => !waiters.includes(waiter));
  }

  #itemsOf(queue: WorkQueue): Map<string, Promise<void>> {
    return this.#inProgress.get(queue)!;
  }
}
