import type { Clock } from '../../context/call-context.ts';

/**
 * A clock for how long something lasts: it begins as the given one and never steps back. Where that one does, it goes on
 * by the time that really passed, so that what expired stays expired and nothing lasts longer than it was to. Where that
 * one goes ahead, it follows.
 * @param passing milliseconds that only ever grow, from any beginning.
 */
export function monotonicClock(clock: Clock, passing: () => number = () => performance.now()): Clock {
  let time: number | undefined;
  let [last, passed] = [0, 0];
  return {
    now: () => {
      const [told, passes] = [clock.now(), passing()];
      time = time === undefined ? told : time + Math.max(told - last, passes - passed, 0);
      [last, passed] = [told, passes];
      return time;
    },
  };
}
