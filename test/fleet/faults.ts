import { setTimeout } from 'node:timers/promises';
import { leaseMilliseconds } from '../../src/platform/engine/index.ts';
import type { PostgresServer } from '../support/postgres/server.ts';
import type { Fleet, FleetPlatform } from './platform-fleet.ts';

/** Long enough for others to take over what a process holds, in milliseconds. */
export const beyondLease = leaseMilliseconds * 1.5;

/** What is done to one platform, and undone again. */
export const platformFaults = {
  killed: async (platform: FleetPlatform) => {
    await platform.kill();
    await platform.start();
  },
  'stopped until its lease is gone, then continued': async (platform: FleetPlatform) => {
    platform.signal('SIGSTOP');
    await setTimeout(beyondLease);
    platform.signal('SIGCONT');
  },
  'cut off, with all its connections': async ({ proxy }: FleetPlatform) => proxy.cut(),
  'refused by the database for a while': async ({ proxy }: FleetPlatform) => {
    proxy.refuse();
    await setTimeout(1000);
    proxy.open();
  },
  'left with connections that stall for a while': async ({ proxy }: FleetPlatform) => {
    proxy.stall();
    await setTimeout(beyondLease);
    proxy.open();
  },
  'left with connections that stall and are then cut': async ({ proxy }: FleetPlatform) => {
    proxy.stall();
    await setTimeout(beyondLease);
    proxy.cut();
    proxy.open();
  },
} as const satisfies Readonly<Record<string, (platform: FleetPlatform) => Promise<void> | void>>;

/** Ends the database as a crash does, and starts it again. */
export async function crashDatabase(server: PostgresServer): Promise<void> {
  await server.crash();
  await server.recover();
}

/** One fault, to be made in its turn. */
export interface Fault {
  readonly name: string;
  readonly make: () => Promise<void> | void;
}

/** Every fault at every platform of a fleet, and crashes of their database. */
export const faultsOf = ({ platforms }: Fleet, server: PostgresServer): Fault[] => [
  ...Object.entries(platformFaults).flatMap(([name, make]) =>
    platforms.map((platform) => ({ name: `platform ${platform.place} ${name}`, make: () => make(platform) })),
  ),
  ...[1, 2].map(() => ({ name: 'database crashed', make: () => crashDatabase(server) })),
];

/**
 * Makes faults one after the other, spread evenly over the progress of a load, from 0 to 1.
 * @returns those that were made before the load ended
 */
export async function failInTurn(
  faults: readonly Fault[],
  progress: () => number,
  load: Promise<unknown>,
): Promise<readonly Fault[]> {
  const over = new AbortController();
  const ended = load.catch(() => {}).finally(() => over.abort());
  let made = 0;
  while (made < faults.length && !over.signal.aborted) {
    if (progress() < made / faults.length) await Promise.race([setTimeout(50), ended]);
    else await faults[made++]!.make();
  }
  return faults.slice(0, made);
}
