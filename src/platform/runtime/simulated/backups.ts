import { secondsBetween, type PlatformClock } from '../../common/index.ts';
import { onlyPostgres, type BackupTask, type DatabaseBackups } from '../index.ts';

/** How long a backup takes, in seconds. */
const takes = [4, 9] as const;

/** The machine that everything is said to be on: there are no others. */
const node = 'simulated';

const megabyte = 1_000_000;

/** Backups that hold no data: records of them, after the time that they would take. */
export function simulatedBackups({ clock, timeScale }: { readonly clock: PlatformClock; readonly timeScale: number }): DatabaseBackups {
  const endOf = ({ id, beganAt }: BackupTask): number => beganAt + Math.round(secondsBetween(takes, `backup/${id}`) * 1000 * timeScale);
  return {
    refusalOf: onlyPostgres,
    observe: async (task) => {
      if (clock.now() < endOf(task)) return { outcome: 'ongoing', nextPollAt: endOf(task) };
      return { outcome: 'succeeded', record: '{}', node, bytes: Math.round(secondsBetween([1, 40], `bytes/${task.id}`) * megabyte) };
    },
    remove: async () => ({ outcome: 'succeeded' }),
    plan: async ({ service }) => ({ node, to: { node, place: '' }, oldVolume: `volume-${service.id.slice(0, 8)}` }),
  };
}
