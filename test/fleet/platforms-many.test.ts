import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/platform/common/index.ts';
import { examineLoad } from './examined-load.ts';
import { faultsOf } from './faults.ts';
import { type FleetHome, openFleetHome } from './platform-fleet.ts';

/**
 * How many deployments there are, and what decides what is asked for and what fails when: the same seed draws the same.
 */
const deployments = Number(process.env['FLEET_DEPLOYMENTS'] ?? 2000);
const seed = process.env['SEED'] ?? String(Date.now());

/** In milliseconds: beside other suites on two cores it took ten minutes. */
const patience = 3_600_000;

let home: FleetHome;
beforeAll(async () => {
  home = await openFleetHome();
});
afterAll(() => home.close());

test(
  `${deployments} deployments over three platforms that fail in every way: none lost, stuck or carried out twice, every webhook delivered`,
  async () => {
    const random = seededRandom(seed);
    const fleet = await home.startFleet();
    const faults = faultsOf(fleet, home.server)
      .map((fault) => ({ ...fault, order: random.number() }))
      .toSorted((one, other) => one.order - other.order);
    const began = performance.now();
    const { record, made } = await examineLoad(fleet, {
      environments: 40,
      deployments,
      concurrency: 24,
      random: () => random.number(),
      faults,
    });
    const told = `${record.acknowledged.size} acknowledged, ${record.refused} requests refused, ${record.unknown.length} with an unknown outcome`;
    process.stdout.write(
      `SEED=${seed}: ${told}, ${made.length} faults, ${Math.round((performance.now() - began) / 1000)} s\n`,
    );
    expect(made).toHaveLength(faults.length);
  },
  patience,
);
