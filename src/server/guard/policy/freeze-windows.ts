import type { Freeze } from './rules.ts';

/**
 * Windows that begin at each time of a cron expression and last for some milliseconds.
 * @throws Error when the expression or the time zone is none.
 */
export async function freezeWindows(expression: string, timezone: string, duration: number): Promise<Freeze['activeUntil']> {
  const { Cron } = await import('croner');
  const cron = new Cron(expression, { timezone, paused: true });
  const activeUntil: Freeze['activeUntil'] = (now) => {
    // Cron knows whole seconds, and looks for what lies before a moment.
    const [latest] = cron.previousRuns(1, new Date((Math.floor(now / 1000) + 1) * 1000));
    const end = latest && latest.getTime() + duration;
    return end !== undefined && end > now ? end : undefined;
  };
  // Faults of the time zone show only when a time is asked for.
  activeUntil(0);
  return activeUntil;
}
