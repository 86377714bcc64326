import type { Freeze } from './rules.ts';

/**
 * Freeze windows that begin at each time of a cron expression.
 * @param duration of each window, in milliseconds.
 * @throws Error if the expression or the time zone is invalid.
 */
export async function freezeWindows(expression: string, timezone: string, duration: number): Promise<Freeze['activeUntil']> {
  const { Cron } = await import('croner');
  const cron = new Cron(expression, { timezone, paused: true });
  const activeUntil: Freeze['activeUntil'] = (now) => {
    // Croner works in whole seconds, and previousRuns excludes the given time.
    const [latest] = cron.previousRuns(1, new Date((Math.floor(now / 1000) + 1) * 1000));
    const end = latest && latest.getTime() + duration;
    return end !== undefined && end > now ? end : undefined;
  };
  // Croner reports an invalid time zone only when it computes a time.
  activeUntil(0);
  return activeUntil;
}
