import type { Clock } from '../../context/index.ts';

/**
 * A clock for lifetimes: it starts at the given clock's time and never steps back. If that clock steps back, it goes on
 * by the time that really passed, so that what expired stays expired and nothing lives too long. If that clock jumps
 * ahead, it follows.
 * @param uptime a monotonic counter of milliseconds, from any start.
 */
export function monotonicClock(clock: Clock, uptime: () => number = () => performance.now()): Clock {
  let time: number | undefined;
  let [lastTime, lastUptime] = [0, 0];
  return {
    now: () => {
      const [clockTime, currentUptime] = [clock.now(), uptime()];
      time = time === undefined ? clockTime : time + Math.max(clockTime - lastTime, currentUptime - lastUptime, 0);
      [lastTime, lastUptime] = [clockTime, currentUptime];
      return time;
    },
  };
}
