/** The time a call has. */
export interface Lifetime {
  /** Aborted when the caller gives up or the deadline is reached. */
  readonly signal: AbortSignal;
  /** Why it was aborted; undefined while it runs. */
  stopped(): 'canceled' | 'timeout' | undefined;
  /** Lets go of the caller's signal and of the timer. */
  end(): void;
}

// Timers hold no longer time, in milliseconds.
const longestTimer = 2 ** 31 - 1;

/** Starts the time of a call that may take `time` milliseconds and that `given` may end earlier. */
export function startLifetime(time: number, given: AbortSignal | undefined): Lifetime {
  const own = new AbortController();
  const stop = () => own.abort();
  const timer = time > 0 ? setTimeout(stop, Math.min(time, longestTimer)) : undefined;
  given?.addEventListener('abort', stop, { once: true });
  if (time <= 0 || given?.aborted) stop();
  return {
    signal: own.signal,
    stopped: () => (own.signal.aborted ? (given?.aborted ? 'canceled' : 'timeout') : undefined),
    end: () => {
      clearTimeout(timer);
      given?.removeEventListener('abort', stop);
    },
  };
}
