import { type DatabaseBackups, type Meter, RuntimeUnreachable } from '../index.ts';
import { isDockerAway } from './engine/index.ts';

/** Tells failures to reach the engine or its swarm, which pass, from others. One that has just started is no manager for a moment. @throws RuntimeUnreachable */
export const reaching = <Result>(work: Promise<Result>): Promise<Result> => work.catch((error: unknown) => {
  if (isDockerAway(error)) throw new RuntimeUnreachable(error.message, { cause: error });
  throw error;
});

/** Backups whose methods tell failures to reach the engine from others. */
export const reachableBackups = (backups: DatabaseBackups): DatabaseBackups =>
  ({ ...backups, observe: (task, call) => reaching(backups.observe(task, call)), remove: (task, signal) => reaching(backups.remove(task, signal)) });

/** A meter that tells failures to reach the engine from others. */
export const reachableMeter = (meter: Meter): Meter => ({
  interval: meter.interval,
  begin: () => {
    const measure = meter.begin();
    return (signal) => reaching(measure(signal));
  },
});
