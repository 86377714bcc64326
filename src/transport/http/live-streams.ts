import type { Clock } from '../../server/context/index.ts';
import type { HttpCall } from './caller.ts';

/** The longest delay that a timer can have, in milliseconds. */
const longestDelay = 2_147_483_647;

/**
 * Calls a function at a time, in milliseconds since 1970. The timer doesn't keep the process alive.
 * @returns a function that cancels the call.
 */
export function runAt(time: number, clock: Clock, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = time - clock.now();
    timer = setTimeout(left > longestDelay ? wait : run, Math.min(Math.max(0, left), longestDelay)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** A stream that stays open. */
export interface LiveStream {
  /** Aborts when its caller no longer has the rights that it was opened with. */
  readonly ended: AbortSignal;
  /** Must be called when the stream has ended. */
  readonly release: () => void;
}

/** The streams that stay open, each with the rights of its caller. */
export interface LiveStreams {
  /** The number of checks so far. Read before a caller is identified, it shows whether there was a check since. */
  readonly round: () => number;
  /** Registers a stream. @param round the number of checks when its caller was identified */
  open(call: HttpCall, round: number): LiveStream;
  /** Ends the streams of callers whose rights have changed. */
  recheck(): Promise<void>;
}

const endUnlessSame = async (end: AbortController, { hasSameRights }: HttpCall): Promise<void> => {
  if (!(await hasSameRights())) end.abort();
};

/** Creates an empty set of streams. Each ends when the access token with which it was opened expires. */
export function createLiveStreams(clock: Clock): LiveStreams {
  const streams = new Map<AbortController, HttpCall>();
  let rounds = 0;
  return {
    round: () => rounds,
    open(call, round) {
      const end = new AbortController();
      const { validUntil } = call.caller;
      const cancel = validUntil === undefined ? undefined : runAt(validUntil, clock, () => end.abort());
      streams.set(end, call);
      if (round !== rounds) void endUnlessSame(end, call);
      return {
        ended: end.signal,
        release: () => {
          cancel?.();
          streams.delete(end);
        },
      };
    },
    async recheck() {
      rounds += 1;
      await Promise.all([...streams].map(([end, call]) => endUnlessSame(end, call)));
    },
  };
}
