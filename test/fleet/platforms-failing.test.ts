import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/platform/common/index.ts';
import { examineLoad } from './examined-load.ts';
import { crashDatabase, type Fault, platformFaults } from './faults.ts';
import { type Fleet, type FleetHome, openFleetHome } from './platform-fleet.ts';

let home: FleetHome;
beforeAll(async () => {
  home = await openFleetHome();
});
afterAll(() => home.close());

/** Each way to fail alone. What ends a process is done to each of them in turn, the rest to one. */
const cases: readonly { readonly name: string; readonly faultsOf: (fleet: Fleet) => Fault[] }[] = [
  ...Object.entries(platformFaults).map(([name, make]) => ({
    name: `a platform is ${name}`,
    faultsOf: ({ platforms }: Fleet) =>
      (name === 'killed' ? platforms : platforms.slice(1, 2)).map((platform) => ({ name, make: () => make(platform) })),
  })),
  {
    name: 'the database crashes, twice',
    faultsOf: () => [1, 2].map(() => ({ name: 'crash', make: () => crashDatabase(home.server) })),
  },
];

test.each(cases)('$name, under load: nothing is lost, stuck or carried out twice', async ({ name, faultsOf }) => {
  const fleet = await home.startFleet();
  const random = seededRandom(name);
  const faults = faultsOf(fleet);
  const { made } = await examineLoad(fleet, {
    environments: 9,
    deployments: 40,
    concurrency: 12,
    random: () => random.number(),
    faults,
  });
  expect(made).toHaveLength(faults.length);
});
