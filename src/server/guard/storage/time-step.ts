/** How far the clock may step back without consequence, in milliseconds: processes read it one after another, and small corrections happen. */
const tolerance = 5_000;

/** How far the stored time may fall behind the clock, in milliseconds, so that not every call writes. */
const resolution = 1_000;

/** The time to use, and what it means for the stored one. Times are milliseconds since 1970. */
export interface TimeStep {
  readonly now: number;
  /** `stay`: the stored time is good enough. `advance`: it moves on. `back`: the clock stepped back, and ages are unknown. */
  readonly kind: 'stay' | 'advance' | 'back';
}

/** The step from the latest time that any process used to what a clock says. @param latest undefined if none was used. */
export function timeStep(latest: number | undefined, clock: number): TimeStep {
  if (latest === undefined || clock >= latest + resolution) return { now: clock, kind: 'advance' };
  return clock >= latest - tolerance ? { now: Math.max(clock, latest), kind: 'stay' } : { now: clock, kind: 'back' };
}
