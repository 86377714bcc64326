interface SharedRequest<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
  settled: boolean;
}

/** Lets identical reads that run at the same time share one request. */
export interface RequestCoalescer<Result> {
  /**
   * Joins the request under way with this key, or starts one. Whoever leaves by their own signal leaves alone; the
   * request is stopped when the last has left.
   * @throws the signal's reason when it aborts.
   */
  join(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Nobody joins what is under way now: something has changed, and later reads must see it. */
  forgetInFlight(): void;
}

/** Settles as the promise does, or rejects as soon as the signal aborts. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise: first, resolve, reject } = Promise.withResolvers<Result>();
  const leave = () => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  return first;
}

/** undici's own deduplication ends every caller's request when the first caller gives up; this doesn't. */
export function createRequestCoalescer<Result>(): RequestCoalescer<Result> {
  const flights = new Map<string, SharedRequest<Result>>();

  const depart = (key: string, start: (signal: AbortSignal) => Promise<Result>): SharedRequest<Result> => {
    const stop = new AbortController();
    const flight: SharedRequest<Result> = { result: start(stop.signal), stop, waiting: 0, settled: false };
    const land = () => {
      flight.settled = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  };

  return {
    join: async (key, signal, start) => {
      const flight = flights.get(key) ?? depart(key, start);
      flight.waiting += 1;
      try {
        return await untilAborted(flight.result, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0 && !flight.settled) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.stop.abort();
        }
      }
    },
    forgetInFlight: () => flights.clear(),
  };
}
