interface SharedRequest<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
  settled: boolean;
}

/** Lets concurrent identical reads share one request. */
export interface RequestCoalescer<Result> {
  /**
   * Joins the request in flight with this key, or starts one. A caller whose signal aborts leaves without affecting the
   * others; the request is aborted when the last caller has left.
   * @throws the reason of the caller's signal when it aborts.
   */
  join(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Later calls don't join the requests now in flight: something has changed, and they must see it. */
  forgetInFlight(): void;
}

/** Settles as the promise does, or rejects as soon as the signal aborts. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise: settled, resolve, reject } = Promise.withResolvers<Result>();
  const leave = () => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  return settled;
}

/**
 * Creates a coalescer. undici's deduplication aborts the request of all callers when the first one gives up; this
 * doesn't.
 */
export function createRequestCoalescer<Result>(): RequestCoalescer<Result> {
  const inFlight = new Map<string, SharedRequest<Result>>();

  const begin = (key: string, start: (signal: AbortSignal) => Promise<Result>): SharedRequest<Result> => {
    const stop = new AbortController();
    const request: SharedRequest<Result> = { result: start(stop.signal), stop, waiting: 0, settled: false };
    const settle = () => {
      request.settled = true;
      if (inFlight.get(key) === request) inFlight.delete(key);
    };
    request.result.then(settle, settle);
    inFlight.set(key, request);
    return request;
  };

  return {
    join: async (key, signal, start) => {
      const request = inFlight.get(key) ?? begin(key, start);
      request.waiting += 1;
      try {
        return await untilAborted(request.result, signal);
      } finally {
        request.waiting -= 1;
        if (request.waiting === 0 && !request.settled) {
          if (inFlight.get(key) === request) inFlight.delete(key);
          request.stop.abort();
        }
      }
    },
    forgetInFlight: () => inFlight.clear(),
  };
}
