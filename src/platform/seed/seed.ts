import { carryOutInThePast, type PastOrder } from '../engine/past.ts';
import type { PlatformParts } from '../api/handler.ts';
import { builtInVariables } from '../api/handlers/built-in-variables.ts';
import { putScenario } from '../testing/scenarios/put.ts';
import type { Scenario } from '../testing/scenarios/scenario.ts';
import type { Db, Store } from '../store/database.ts';
import { readSetting, writeSetting } from '../store/settings.ts';
import type { Vault } from '../store/vault.ts';
import { seedAlertRules } from './alert-rules.ts';
import { organizationId, seedId } from './ids.ts';
import { seedOrganization, seedStart, type SeedTime, seedTime } from './organization.ts';
import { environmentRow, serviceRows } from './rows.ts';
import { seedEnvironments, type SeedService, seedServices } from './services.ts';
import { seedVariables } from './variables.ts';

const day = 86_400_000;
const daysOfHistory = 3;

const projectOf = (path: string) => path.split('/')[0]!;

const insertTree = async (db: Db, time: SeedTime, services: readonly SeedService[], vault: Vault): Promise<void> => {
  const projects = [...new Set(seedEnvironments.map(({ path }) => projectOf(path)))];
  await db.insertInto('project').values(projects.map((name) => ({
    id: seedId(`project/${name}`), organization_id: organizationId, created_at: time.ago(name === 'shop' ? 90 : 85), updated_at: time.ago(60), name,
    description: name === 'shop' ? 'The shop.' : 'What we learn from the shop.',
  }))).execute();
  const environments = await db.insertInto('environment').values(seedEnvironments.map((environment) =>
    environmentRow(environment, seedId(`project/${projectOf(environment.path)}`), 'Ada Okafor', { created_at: time.ago(environment.age), updated_at: time.ago(10) }),
  )).returningAll().execute();
  await db.insertInto('service').values(serviceRows(services, { created_at: time.ago(70), updated_at: time.ago(10) })).execute();
  await db.insertInto('variable').values([...environments.flatMap(builtInVariables), ...seedVariables(time, vault)]).execute();
  await db.insertInto('alert_rule').values(seedAlertRules(time)).execute();
};

/** One order for each environment that has some of these services. */
const ordersOf = (at: number, services: readonly SeedService[]): PastOrder[] =>
  seedEnvironments.flatMap(({ path }) => {
    const serviceIds = services.filter(({ environment }) => environment === path).map(({ name }) => seedId(`service/${path}/${name}`));
    if (serviceIds.length === 0) return [];
    return [{ at, action: 'DEPLOY', environmentId: seedId(`environment/${path}`), serviceIds, origin: 'GIT', triggeredBy: 'Cleo Marchetti' }];
  });

/** The deployments of the last days: everything at first, then each day the job and one application. */
const pastOrders = (time: SeedTime, deployed: readonly SeedService[]): PastOrder[] => {
  const daily = deployed.filter(({ environment, kind, name }) => environment === 'shop/staging' && (kind === 'job' || name === 'checkout-api'));
  const laterDays = Array.from({ length: daysOfHistory - 1 }, (_, index) => daysOfHistory - 1 - index);
  return [...ordersOf(time.start - daysOfHistory * day, deployed), ...laterDays.flatMap((ago) => ordersOf(time.start - ago * day, daily))];
};

type SeedParts = Pick<PlatformParts, 'vault' | 'clock' | 'random'>;

const seedOnce = async (db: Store, { vault, clock, random }: SeedParts): Promise<void> => {
  const organization = await db.selectFrom('organization').select('created_at').limit(1).executeTakeFirst();
  const time = seedTime(organization ? seedStart(organization.created_at) : clock.now());
  const services = seedServices(time, vault);
  if (!organization) {
    await db.write(async (trx) => {
      await seedOrganization(trx, time, vault);
      await insertTree(trx, time, services, vault);
    });
  }
  const { done } = await db.selectFrom('deployment').select((select) => select.fn.countAll<number>().as('done')).executeTakeFirstOrThrow();
  for (const order of pastOrders(time, services.filter(({ deployed }) => deployed)).slice(done)) await carryOutInThePast(db, random, order);
};

/**
 * Fills an empty store with an organization that has some of everything. The deployments of the days before are carried
 * out by the engine itself, so that states, histories and logs are what it writes. Whoever was cut off here goes on where
 * they were; a store that was once filled is left alone, also by a program that would fill it otherwise.
 * @param scenarios put onto it, where they are not there yet
 */
export async function seedPlatform(db: Store, parts: SeedParts, scenarios: readonly Scenario[] = []): Promise<void> {
  if ((await readSetting(db, 'seeded')) === undefined) {
    await seedOnce(db, parts);
    await writeSetting(db, 'seeded', 'yes');
  }
  for (const scenario of scenarios) await putScenario(db, parts, scenario);
}
