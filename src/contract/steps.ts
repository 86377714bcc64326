/**
 * Work that can be interrupted: it stops where other work may run, and gives its result at the end. Whoever drives it
 * chooses whether other work does run there.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does work without interruption. */
export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
