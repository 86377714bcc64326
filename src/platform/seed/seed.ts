import type { Insertable } from 'kysely';
import { replayOrder, type HistoricalOrder } from './replay-history.ts';
import { builtInVariables } from '../api/index.ts';
import type { PlatformClock, Random } from '../common/index.ts';
import { addMissingDatabaseVariables } from '../engine/index.ts';
import { simulatedBackupRecord } from '../runtime/simulated/index.ts';
import {
  type Db,
  type DataStore,
  neverDeployed,
  readSetting,
  writeSetting,
  type Vault,
  type VariableTable,
  type EnvironmentTable,
  type ServiceTable,
} from '../store/index.ts';
import { seedAlertRules, seedOrganization } from './organization.ts';
import { seedStart, type SeedTime, seedTime } from './seed-time.ts';
import { organizationId, seedId, seedIds } from './ids.ts';
import { seedEnvironments, type SeedService, seedServices } from './services.ts';
import type { EnvironmentMode } from '../../contract/index.ts';

type Timestamps = Pick<EnvironmentTable, 'created_at' | 'updated_at'>;

/** An empty environment. @param path the project's name and its own, separated by a slash */
export const environmentRow = (
  { path, mode, cluster }: { readonly path: string; readonly mode: EnvironmentMode; readonly cluster: string },
  projectId: string,
  updatedBy: string,
  stamps: Timestamps,
): Insertable<EnvironmentTable> => ({
  id: seedId(`environment/${path}`),
  ...stamps,
  project_id: projectId,
  cluster_id: seedId(`cluster/${cluster}`),
  name: path.split('/')[1]!,
  mode,
  updated_by: updatedBy,
  state: 'READY',
});

/** Services that were never deployed. Each is created a second after the one before, so that lists keep their order. */
export const serviceRows = (
  services: readonly SeedService[],
  { created_at, updated_at }: Timestamps,
): Insertable<ServiceTable>[] =>
  services.map(({ environment, name, kind, spec }, index) => ({
    id: seedId(`service/${environment}/${name}`),
    created_at: new Date(Date.parse(created_at) + index * 1000).toISOString(),
    updated_at,
    environment_id: seedId(`environment/${environment}`),
    kind,
    name,
    spec: JSON.stringify(spec),
    ...neverDeployed,
  }));

/** The owner of a variable. Exactly one of the ids is set. */
type VariableHolder = Pick<VariableTable, 'project_id' | 'environment_id' | 'service_id'>;

/** A plain text variable. @param path the owner's path and the key, separated by a slash */
export const variableRow = (
  path: string,
  holder: VariableHolder,
  scope: VariableTable['scope'],
  value: string,
  stamps: Timestamps,
): Insertable<VariableTable> => ({
  id: seedId(`variable/${path}`),
  ...stamps,
  ...holder,
  key: path.split('/').at(-1)!,
  scope,
  variable_type: 'VALUE',
  value,
  sealed_value: null,
  mount_path: null,
  description: null,
  enable_interpolation_in_file: null,
  linked_variable_id: null,
  owned_by: null,
});

type SeedVariable = Insertable<VariableTable>;

const inProject = (project: string): VariableHolder => ({
  project_id: seedId(`project/${project}`),
  environment_id: null,
  service_id: null,
});
const inEnvironment = (environment: string): VariableHolder => ({
  project_id: null,
  environment_id: seedId(`environment/${environment}`),
  service_id: null,
});
const inService = (service: string): VariableHolder => ({
  project_id: null,
  environment_id: null,
  service_id: seedId(`service/${service}`),
});

/** Variables of every scope and type (together with the built-in ones), and one secret. */
function seedVariables(time: SeedTime, vault: Vault): SeedVariable[] {
  const variable = (
    path: string,
    holder: VariableHolder,
    scope: SeedVariable['scope'],
    value: string,
    more: Partial<SeedVariable> = {},
  ): SeedVariable => ({
    ...variableRow(path, holder, scope, value, { created_at: time.ago(60), updated_at: time.ago(60) }),
    ...more,
  });
  const staging = 'shop/staging';
  const own = (
    service: string,
    key: string,
    scope: SeedVariable['scope'],
    value: string,
    more: Partial<SeedVariable> = {},
  ) => variable(`${staging}/${service}/${key}`, inService(`${staging}/${service}`), scope, value, more);
  const region = variable('shop/REGION', inProject('shop'), 'PROJECT', 'eu-west-3', {
    description: 'Where the shop runs.',
  });
  const logLevel = {
    ...variable('shop/staging/LOG_LEVEL', inEnvironment(staging), 'ENVIRONMENT', 'info'),
    id: seedIds.environment_variable_id,
  };
  return [
    region,
    variable('shop/LICENCE_TOKEN', inProject('shop'), 'PROJECT', '', {
      value: null,
      sealed_value: vault.seal('never-shown-in-any-environment'),
    }),
    logLevel,
    variable('shop/production/LOG_LEVEL', inEnvironment('shop/production'), 'ENVIRONMENT', 'warn'),
    own('checkout-api', 'PAYMENT_PROVIDER', 'APPLICATION', 'sandbox'),
    own('checkout-api', 'AWS_REGION', 'APPLICATION', 'eu-west-3', {
      variable_type: 'ALIAS',
      linked_variable_id: region.id,
    }),
    own('checkout-api', 'FEATURES_FILE', 'APPLICATION', '{"new_basket": true}', {
      variable_type: 'FILE',
      mount_path: '/etc/shop/features.json',
      enable_interpolation_in_file: 0,
    }),
    own('checkout-api', 'MAIL_API_URL', 'APPLICATION', 'vault:shop/mail#url', {
      variable_type: 'EXTERNAL_SECRET',
      owned_by: 'external-secrets',
    }),
    own('checkout-api', 'PAYMENT_API_KEY', 'APPLICATION', '', { value: null, sealed_value: vault.seal('never-shown') }),
    own('search', 'SEARCH_TOKEN', 'CONTAINER', '', { value: null, sealed_value: vault.seal('never-shown-either') }),
    own('nightly-report', 'REPORT_TOKEN', 'JOB', '', { value: null, sealed_value: vault.seal('never-shown-as-well') }),
    variable('shop/staging/SHARED_TOKEN', inEnvironment(staging), 'ENVIRONMENT', '', {
      value: null,
      sealed_value: vault.seal('never-shown-to-anybody'),
    }),
    own('search', 'REGION', 'CONTAINER', 'eu-central-1', { variable_type: 'OVERRIDE', linked_variable_id: region.id }),
    own('nightly-report', 'REPORT_FORMAT', 'JOB', 'csv'),
    own('session-cache', 'CACHE_TTL', 'HELM', '3600'),
    own('assets-bucket', 'TF_LOG', 'TERRAFORM', 'WARN'),
  ];
}

/** A domain of one service of each kind that can have domains. */
const seedDomains = (time: SeedTime) =>
  [
    ['checkout-api', 'checkout'],
    ['search', 'search'],
    ['session-cache', 'sessions'],
  ].map(([service, label]) => ({
    id: seedId(`domain/shop/staging/${service}`),
    created_at: time.ago(60),
    updated_at: time.ago(60),
    service_id: seedId(`service/shop/staging/${service}`),
    domain: `${label}.live.acme.example`,
    generate_certificate: 1 as const,
    use_cdn: 0 as const,
  }));

const backupBytes = 18_400_000;

/** The backups of a database, by name and age in days. */
const seedBackups = (time: SeedTime) =>
  (
    [
      ['nightly', 1, 'Every night.'],
      ['before-migration', 2, 'Before the orders table is split.'],
    ] as const
  ).map(([name, age, message]) => ({
    id: seedId(`backup/shop/staging/orders-db/${name}`),
    service_id: seedId('service/shop/staging/orders-db'),
    name,
    message,
    state: 'complete' as const,
    is_scheduled: 0 as const,
    created_at: time.ago(age),
    ended_at: time.ago(age),
    record: simulatedBackupRecord(backupBytes),
    node: 'simulated',
    bytes: backupBytes,
  }));

/** A freeze of production in most of a year: it is never in force while somebody tries the platform out. */
const seedWindow = (time: SeedTime) => ({
  id: seedId('deployment-window/year-end-freeze'),
  organization_id: organizationId,
  created_at: time.ago(5),
  updated_at: time.ago(5),
  name: 'year-end-freeze',
  reason: 'The busiest days of the year.',
  cluster_id: null,
  project_id: null,
  environment_id: seedId('environment/shop/production'),
  production_only: 0 as const,
  begins: `${time.ago(-300).slice(0, 10)} 18:00`,
  ends: `${time.ago(-309).slice(0, 10)} 08:00`,
  time_zone: 'Europe/Paris',
  owner_name: 'Ada Okafor',
});

const day = 86_400_000;
const daysOfHistory = 3;

const projectOf = (path: string) => path.split('/')[0]!;

const insertTree = async (db: Db, time: SeedTime, services: readonly SeedService[], vault: Vault): Promise<void> => {
  const projects = [...new Set(seedEnvironments.map(({ path }) => projectOf(path)))];
  await db
    .insertInto('project')
    .values(
      projects.map((name) => ({
        id: seedId(`project/${name}`),
        organization_id: organizationId,
        created_at: time.ago(name === 'shop' ? 90 : 85),
        updated_at: time.ago(60),
        name,
        description: name === 'shop' ? 'The shop.' : 'What we learn from the shop.',
      })),
    )
    .execute();
  const environments = await db
    .insertInto('environment')
    .values(
      seedEnvironments.map((environment) =>
        environmentRow(environment, seedId(`project/${projectOf(environment.path)}`), 'Ada Okafor', {
          created_at: time.ago(environment.age),
          updated_at: time.ago(10),
        }),
      ),
    )
    .returningAll()
    .execute();
  await db
    .insertInto('service')
    .values(serviceRows(services, { created_at: time.ago(70), updated_at: time.ago(10) }))
    .execute();
  await db
    .insertInto('variable')
    .values([...environments.flatMap(builtInVariables), ...seedVariables(time, vault)])
    .execute();
  await db.insertInto('custom_domain').values(seedDomains(time)).execute();
  await db.insertInto('backup').values(seedBackups(time)).execute();
  await db.insertInto('alert_rule').values(seedAlertRules(time)).execute();
  await db.insertInto('deployment_window').values(seedWindow(time)).execute();
};

/** One deployment for each environment that has any of these services. */
const ordersOf = (at: number, services: readonly SeedService[]): HistoricalOrder[] =>
  seedEnvironments.flatMap(({ path }) => {
    const serviceIds = services
      .filter(({ environment }) => environment === path)
      .map(({ name }) => seedId(`service/${path}/${name}`));
    if (serviceIds.length === 0) return [];
    return [
      {
        at,
        action: 'DEPLOY',
        environmentId: seedId(`environment/${path}`),
        serviceIds,
        origin: 'GIT',
        triggeredBy: 'Cleo Marchetti',
      },
    ];
  });

/** The deployments of the last days: all services first, then the job and one application each day. */
const historicalOrders = (time: SeedTime, deployed: readonly SeedService[]): HistoricalOrder[] => {
  const daily = deployed.filter(
    ({ environment, kind, name }) => environment === 'shop/staging' && (kind === 'job' || name === 'checkout-api'),
  );
  const laterDays = Array.from({ length: daysOfHistory - 1 }, (_, index) => daysOfHistory - 1 - index);
  return [
    ...ordersOf(time.start - daysOfHistory * day, deployed),
    ...laterDays.flatMap((ago) => ordersOf(time.start - ago * day, daily)),
  ];
};

interface SeedDependencies {
  readonly vault: Vault;
  readonly clock: PlatformClock;
  readonly random: Random;
}

const seedOnce = async (db: DataStore, { vault, clock, random }: SeedDependencies): Promise<void> => {
  const organization = await db.selectFrom('organization').select('created_at').limit(1).executeTakeFirst();
  const time = seedTime(organization ? seedStart(organization.created_at) : clock.now());
  const services = seedServices(time, vault);
  if (!organization) {
    await db.write(async (trx) => {
      await seedOrganization(trx, time, vault);
      await insertTree(trx, time, services, vault);
      await addMissingDatabaseVariables(trx, vault);
    });
  }
  const { done } = await db
    .selectFrom('deployment')
    .select((select) => select.fn.countAll<number>().as('done'))
    .executeTakeFirstOrThrow();
  for (const order of historicalOrders(
    time,
    services.filter(({ deployed }) => deployed),
  ).slice(done))
    await replayOrder(db, { random, vault }, order);
};

/**
 * Seeds an empty store with an organization that has some of everything. The engine itself carries out the deployments
 * of the past days, so states, histories and logs are what it writes. An interrupted seed resumes where it stopped. A
 * store that is already seeded is left alone, even if this version would seed it differently.
 */
export async function seedPlatform(db: DataStore, dependencies: SeedDependencies): Promise<void> {
  if ((await readSetting(db, 'seeded')) !== undefined) return;
  await seedOnce(db, dependencies);
  await writeSetting(db, 'seeded', 'yes');
}

/** Whether the store was seeded with examples. Some of them may have been deleted since; projects stay. */
export const hasExamples = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('project').select('id').where('id', '=', seedIds.project_id).executeTakeFirst()) !== undefined;
