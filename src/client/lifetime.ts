/** Cancellation and deadline of a call. */
export interface Lifetime {
  /** Aborts when the caller cancels or the time is up. */
  readonly signal: AbortSignal;
  /** Why the call was stopped; undefined while it runs. */
  stopped(): 'canceled' | 'timeout' | undefined;
  /** Clears the timer and stops listening to the caller's signal. */
  end(): void;
}

// Longest delay that a timer supports, in milliseconds.
const longestTimer = 2 ** 31 - 1;

/** Starts the lifetime of a call, which ends after `timeout` milliseconds, or earlier if `callerSignal` aborts. */
export function startLifetime(timeout: number, callerSignal: AbortSignal | undefined): Lifetime {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = timeout > 0 ? setTimeout(stop, Math.min(timeout, longestTimer)) : undefined;
  callerSignal?.addEventListener('abort', stop, { once: true });
  if (timeout <= 0 || callerSignal?.aborted) stop();
  return {
    signal: controller.signal,
    stopped: () => (controller.signal.aborted ? (callerSignal?.aborted ? 'canceled' : 'timeout') : undefined),
    end: () => {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', stop);
    },
  };
}
