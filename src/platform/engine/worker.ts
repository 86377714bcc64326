import { type EngineContext, blockedDueTime } from './context.ts';
import { heartbeatMilliseconds, type Lease } from './lease.ts';
import type { PlatformClock } from '../clock.ts';

// A system timer with a longer delay than this runs at once.
const maximumTimerDelay = 2 ** 31 - 1;

/** A sleep that can be cut short. */
export interface Alarm {
  /** Sleeps until the clock says `moment` (milliseconds since the epoch), the clock is moved, or somebody rings. */
  readonly sleepUntil: (moment: number) => Promise<void>;
  /** Ends the sleep under way, or the next one before it begins. */
  readonly ring: () => void;
}

/** An alarm on the platform's clock. */
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

/** A kind of work: what is due, and how one piece of it is done. */
export interface WorkQueue {
  readonly name: string;
  /** Whether what it does shows nowhere, so that nobody waits for what is due in it later. */
  readonly isBackground?: boolean;
  /** Pieces worked on at once. */
  readonly concurrency: number;
  /** Claims up to `limit` pieces that are due, other than those in hand, and names all it holds that are due. */
  claimDue(lease: Lease, inHand: readonly string[], limit: number): Promise<string[]>;
  /** Does one piece; safe to do again where a former attempt was cut off. The signal says that the worker stops. */
  run(id: string, lease: Lease, signal: AbortSignal): Promise<void>;
  /** When the next piece that is not in hand is due, in milliseconds since the epoch; null while there is none. */
  nextDue(lease: Lease, inHand: readonly string[]): Promise<number | null>;
  /** Whether the worker holds pieces of this lane that are not in hand. */
  hasClaims(lease: Lease): Promise<boolean>;
}

/** Works through the lanes from start to stop. */
export interface Worker {
  readonly wake: () => void;
  readonly start: () => void;
  /** See Engine.settled. */
  readonly settled: () => Promise<number | null>;
  /** Finishes what is in hand, gives back the claims, and returns when nothing runs any more. */
  readonly stop: () => Promise<void>;
}

/** Nobody tells of work that another process takes up or leaves behind: how often to look for it, with others around and alone. */
export const reapIntervalMilliseconds = { inCompany: 1000, alone: 5000 };
// A piece whose handling broke is left alone this long, so that a lasting fault doesn't keep the process busy.
const backoffMilliseconds = 1000;

/** A worker of its own lease over the lanes. It sleeps until something is due, somebody wakes it, or it is time to look around. */
export function createWorker(context: EngineContext, lease: Lease, lanes: readonly WorkQueue[]): Worker {
  const { clock, log } = context;
  const alarm = createAlarm(clock);
  const inHand = new Map<WorkQueue, Map<string, Promise<void>>>(lanes.map((lane) => [lane, new Map()]));
  /** When pieces in hand that broke are tried again, by lane and id. */
  const resting = new Map<string, number>();
  let waiting: PromiseWithResolvers<number | null>[] = [];
  /** Counts the pieces that were let go of. */
  let done = 0;
  let stopping = new AbortController();
  let looping: Promise<void> | undefined;
  let beatAt = 0;
  let lookAt = 0;

  const backOff = async (signal: AbortSignal, until = clock.now() + backoffMilliseconds): Promise<void> => {
    const rest = createAlarm(clock);
    signal.addEventListener('abort', rest.ring, { once: true });
    if (!signal.aborted) await rest.sleepUntil(until);
    signal.removeEventListener('abort', rest.ring);
  };

  const letRest = async (key: string, signal: AbortSignal): Promise<void> => {
    const until = clock.now() + backoffMilliseconds;
    resting.set(key, until);
    alarm.ring();
    await backOff(signal, until);
    resting.delete(key);
  };

  const work = async (lane: WorkQueue, id: string, signal: AbortSignal): Promise<void> => {
    try {
      await lane.run(id, lease, signal);
    } catch (error) {
      if (!signal.aborted) {
        log.error({ err: error, lane: lane.name, id }, 'a piece of work broke; it will be tried again');
        await letRest(`${lane.name}/${id}`, signal);
      }
    } finally {
      inHand.get(lane)!.delete(id);
      done += 1;
      alarm.ring();
    }
  };

  const fill = async (lane: WorkQueue, signal: AbortSignal): Promise<void> => {
    const busy = inHand.get(lane)!;
    const free = lane.concurrency - busy.size;
    if (free <= 0) return;
    const ids = await lane.claimDue(lease, [...busy.keys()], free);
    for (const id of ids.slice(0, free)) busy.set(id, work(lane, id, signal));
  };

  const lookAround = async (now: number): Promise<void> => {
    if (now < lookAt) return;
    const others = await lease.reap();
    lookAt = now + (others > 0 ? reapIntervalMilliseconds.inCompany : reapIntervalMilliseconds.alone);
  };

  const beat = async (now: number): Promise<void> => {
    if (now < beatAt) return;
    const busy = [...inHand.values()].some((pieces) => pieces.size > 0);
    const held = busy || (await Promise.all(lanes.map((lane) => lane.hasClaims(lease)))).some(Boolean);
    beatAt = held ? now + heartbeatMilliseconds : 0;
    if (held) await lease.renew(context.db);
  };

  /** Tells those who wait that everything due is done, where it is. */
  const tellSettled = (due: readonly number[]): void => {
    const busy = [...inHand.values()].reduce((sum, pieces) => sum + pieces.size, 0) > resting.size;
    const next = Math.min(...due, ...resting.values());
    if (busy || next <= clock.now()) return;
    for (const one of waiting) one.resolve(next < blockedDueTime ? next : null);
    waiting = [];
  };

  const round = async (signal: AbortSignal): Promise<number> => {
    const now = clock.now();
    await lookAround(now);
    await beat(now);
    for (const lane of lanes) await fill(lane, signal);
    const open = lanes.filter((lane) => inHand.get(lane)!.size < lane.concurrency);
    const doneBefore = done;
    const due = await Promise.all(open.map((lane) => lane.nextDue(lease, [...inHand.get(lane)!.keys()])));
    const moments = due.filter((moment) => moment !== null);
    const seen = due.filter((moment, place) => moment !== null && (moment <= now || !open[place]!.isBackground)) as number[];
    // What was let go of meanwhile may be due again: the next round, which begins at once, sees it.
    if (done === doneBefore) tellSettled(seen);
    return Math.min(lookAt, beatAt || lookAt, ...moments);
  };

  const loop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await alarm.sleepUntil(await round(signal));
      } catch (error) {
        log.error({ err: error }, 'the worker could not look for work; it will try again');
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
      const one = Promise.withResolvers<number | null>();
      waiting.push(one);
      alarm.ring();
      return one.promise;
    },
    stop: async () => {
      stopping.abort();
      alarm.ring();
      await looping;
      await Promise.all([...inHand.values()].flatMap((pieces) => [...pieces.values()]));
      await lease.release();
      for (const one of waiting) one.reject(new Error('The worker stopped before everything due was carried out.'));
      waiting = [];
    },
  };
}
