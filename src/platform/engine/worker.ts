import { type EngineContext, notYet } from './context.ts';
import { createAlarm } from './alarm.ts';
import { heartbeatMilliseconds, type Lease } from './lease.ts';

/** A kind of work: what is due, and how one piece of it is done. */
export interface Lane {
  readonly name: string;
  /** Whether what it does shows nowhere, so that nobody waits for what is due in it later. */
  readonly isUnseen?: boolean;
  /** Pieces worked on at once. */
  readonly width: number;
  /** Claims up to `limit` pieces that are due, other than those in hand, and names all it holds that are due. */
  take(lease: Lease, inHand: readonly string[], limit: number): Promise<string[]>;
  /** Does one piece; safe to do again where a former attempt was cut off. The signal says that the worker stops. */
  carryOut(id: string, lease: Lease, signal: AbortSignal): Promise<void>;
  /** When the next piece that is not in hand is due, in milliseconds since the epoch; null while there is none. */
  nextDue(lease: Lease, inHand: readonly string[]): Promise<number | null>;
  /** Whether the worker holds pieces of this lane that are not in hand. */
  holds(lease: Lease): Promise<boolean>;
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
export const lookAroundMilliseconds = { inCompany: 1000, alone: 5000 };
// A piece whose handling broke is left alone this long, so that a lasting fault doesn't keep the process busy.
const backoffMilliseconds = 1000;

/** A worker of its own lease over the lanes. It sleeps until something is due, somebody wakes it, or it is time to look around. */
export function createWorker(context: EngineContext, lease: Lease, lanes: readonly Lane[]): Worker {
  const { clock, log } = context;
  const alarm = createAlarm(clock);
  const inHand = new Map<Lane, Map<string, Promise<void>>>(lanes.map((lane) => [lane, new Map()]));
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

  const work = async (lane: Lane, id: string, signal: AbortSignal): Promise<void> => {
    try {
      await lane.carryOut(id, lease, signal);
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

  const fill = async (lane: Lane, signal: AbortSignal): Promise<void> => {
    const busy = inHand.get(lane)!;
    const free = lane.width - busy.size;
    if (free <= 0) return;
    const ids = await lane.take(lease, [...busy.keys()], free);
    for (const id of ids.slice(0, free)) busy.set(id, work(lane, id, signal));
  };

  const lookAround = async (now: number): Promise<void> => {
    if (now < lookAt) return;
    const others = await lease.reap();
    lookAt = now + (others > 0 ? lookAroundMilliseconds.inCompany : lookAroundMilliseconds.alone);
  };

  const beat = async (now: number): Promise<void> => {
    if (now < beatAt) return;
    const busy = [...inHand.values()].some((pieces) => pieces.size > 0);
    const held = busy || (await Promise.all(lanes.map((lane) => lane.holds(lease)))).some(Boolean);
    beatAt = held ? now + heartbeatMilliseconds : 0;
    if (held) await lease.renew(context.db);
  };

  /** Tells those who wait that everything due is done, where it is. */
  const tellSettled = (due: readonly number[]): void => {
    const busy = [...inHand.values()].reduce((sum, pieces) => sum + pieces.size, 0) > resting.size;
    const next = Math.min(...due, ...resting.values());
    if (busy || next <= clock.now()) return;
    for (const one of waiting) one.resolve(next < notYet ? next : null);
    waiting = [];
  };

  const round = async (signal: AbortSignal): Promise<number> => {
    const now = clock.now();
    await lookAround(now);
    await beat(now);
    for (const lane of lanes) await fill(lane, signal);
    const open = lanes.filter((lane) => inHand.get(lane)!.size < lane.width);
    const doneBefore = done;
    const due = await Promise.all(open.map((lane) => lane.nextDue(lease, [...inHand.get(lane)!.keys()])));
    const moments = due.filter((moment) => moment !== null);
    const seen = due.filter((moment, place) => moment !== null && (moment <= now || !open[place]!.isUnseen)) as number[];
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
