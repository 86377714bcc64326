import type { RequestObserver, Trace } from '../client/index.ts';
import type { CallObserver } from '../server/call/index.ts';

/** Starts each observer in turn. Each gets the trace that the previous one returned, and the last trace is used. */
function beginAll<Observed extends { readonly trace?: Trace }>(
  given: Trace | undefined,
  begins: readonly ((trace: Trace | undefined) => Observed)[],
): { readonly all: readonly Observed[]; readonly trace: Trace | undefined } {
  let trace = given;
  const all = begins.map((begin) => {
    const observed = begin(trace);
    trace = observed.trace ?? trace;
    return observed;
  });
  return { all, trace };
}

/** Several observers of calls as one; undefined if there are none. */
export function combinedCallObserver(observers: readonly CallObserver[]): CallObserver | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (tool, given) => {
      const { all, trace } = beginAll(
        given,
        observers.map((one) => (current) => one.begin(tool, current)),
      );
      return {
        trace,
        stage: (name) => all.forEach((one) => one.stage?.(name)),
        end: (end) => all.forEach((one) => one.end(end)),
      };
    },
  };
}

/** Several observers of requests as one; undefined if there are none. */
export function combinedRequestObserver(observers: readonly RequestObserver[]): RequestObserver | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (request) => {
      const { all, trace } = beginAll(
        request.trace,
        observers.map((one) => (current) => one.begin({ ...request, trace: current })),
      );
      return { trace, end: (end) => all.forEach((one) => one.end(end)) };
    },
    watchBudget: (lowest) => observers.forEach((one) => one.watchBudget(lowest)),
  };
}
