import type { Insertable } from 'kysely';
import { VariableScope } from '../../../contract/index.ts';
import { addDays, type PlatformClock, type Random } from '../../common/index.ts';
import {
  clusterRow,
  environmentRow,
  organizationId,
  replayOrder,
  seedId,
  type SeedTime,
  seedTime,
  serviceRows,
  variableRow,
} from '../../seed/index.ts';
import { addMissingDatabaseVariables, markOutOfDate, markReadersOutOfDate, secretsBy } from '../../engine/index.ts';
import { builtInVariables, withRecordedChange } from '../../api/index.ts';
import { runtimesOf } from '../../runtime/index.ts';
import { referenceAgeDays } from '../../runtime/simulated/index.ts';
import type { Db, DataStore, VariableTable, Vault } from '../../store/index.ts';
import { simulationContextOf } from './platform-state.ts';
import type { HistoryEvent, Scenario, ScenarioEnvironment } from './scenario.ts';

const serviceId = (path: string): string => seedId(`service/${path}`);
const environmentId = (path: string): string => seedId(`environment/${path}`);
const environmentOf = (servicePath: string): string => servicePath.slice(0, servicePath.lastIndexOf('/'));

/** Everything in a scenario was created at the same time. */
const creationTimes = (time: SeedTime) => ({
  created_at: time.ago(referenceAgeDays),
  updated_at: time.ago(referenceAgeDays),
});

/** Finds or creates the project of that name. Returns its id. */
async function ensureProject(trx: Db, time: SeedTime, name: string): Promise<string> {
  const found = await trx
    .selectFrom('project')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (found) return found.id;
  const project = {
    id: seedId(`project/${name}`),
    organization_id: organizationId,
    ...creationTimes(time),
    name,
    description: null,
  };
  await trx.insertInto('project').values(project).execute();
  return project.id;
}

async function insertEnvironment(trx: Db, time: SeedTime, environment: ScenarioEnvironment): Promise<void> {
  const project = await ensureProject(trx, time, environment.path.split('/')[0]!);
  const row = await trx
    .insertInto('environment')
    .values(environmentRow(environment, project, 'Cleo Marchetti', creationTimes(time)))
    .returningAll()
    .executeTakeFirstOrThrow();
  await trx.insertInto('variable').values(builtInVariables(row)).execute();
}

/** The row of a service's or an environment's variable. */
function variableOf(
  time: SeedTime,
  { of, key, value }: NonNullable<Scenario['variables']>[number],
  services: Scenario['services'],
): Insertable<VariableTable> {
  const service = services.find(({ environment, name }) => `${environment}/${name}` === of);
  const holder = {
    project_id: null,
    environment_id: service ? null : environmentId(of),
    service_id: service ? serviceId(of) : null,
  };
  return variableRow(
    `${of}/${key}`,
    holder,
    service ? VariableScope.parse(service.kind.toUpperCase()) : 'ENVIRONMENT',
    value,
    creationTimes(time),
  );
}

/** Inserts a scenario's resources, in their state before its history. */
async function insertScenario(
  trx: Db,
  time: SeedTime,
  { environments, clusters = [], services, variables = [] }: Scenario,
): Promise<void> {
  for (const { name, description, lock } of clusters) {
    await trx
      .insertInto('cluster')
      .values(clusterRow(time, name, { description, created_at: time.ago(referenceAgeDays) }))
      .execute();
    await trx
      .insertInto('cluster_lock')
      .values({
        cluster_id: seedId(`cluster/${name}`),
        reason: lock.reason,
        locked_at: time.ago(lock.daysAgo),
        owner_name: lock.owner,
        ttl_in_days: lock.days,
      })
      .execute();
  }
  for (const environment of environments) await insertEnvironment(trx, time, environment);
  await trx
    .insertInto('service')
    .values(serviceRows(services, creationTimes(time)))
    .execute();
  if (variables.length > 0)
    await trx
      .insertInto('variable')
      .values(variables.map((variable) => variableOf(time, variable, services)))
      .execute();
}

/** The author of a past change. */
const inConsole = (name: string) => ({ name, origin: 'CONSOLE' }) as const;

/** What services are compared with what was deployed by. Everything of a scenario runs on simulated clusters. */
const comparing = (vault: Vault) => ({ runtimes: runtimesOf({}), ...secretsBy(vault) });

async function changeService(
  db: DataStore,
  vault: Vault,
  at: string,
  by: string,
  path: string,
  to: object,
): Promise<void> {
  const id = serviceId(path);
  await db.write(async (trx) => {
    const { spec, kind } = await trx
      .selectFrom('service')
      .select(['spec', 'kind'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await withRecordedChange(trx, { kind, id }, inConsole(by), at, async () => {
      await trx
        .updateTable('service')
        .set({ spec: JSON.stringify({ ...JSON.parse(spec), ...to }), updated_at: at })
        .where('id', '=', id)
        .execute();
    });
    await trx
      .updateTable('environment')
      .set({ updated_at: at, updated_by: by })
      .where('id', '=', environmentId(environmentOf(path)))
      .execute();
    await markOutOfDate(comparing(vault), trx, [id]);
  });
}

/** Edits a variable that all services of an environment use. */
async function editVariable(
  db: DataStore,
  vault: Vault,
  at: string,
  by: string,
  environment: string,
  key: string,
  value: string,
): Promise<void> {
  await db.write(async (trx) => {
    const variable = seedId(`variable/${environment}/${key}`);
    await withRecordedChange(trx, { kind: 'environment_variable', id: variable }, inConsole(by), at, async () => {
      await trx.updateTable('variable').set({ value, updated_at: at }).where('id', '=', variable).execute();
    });
    await trx
      .updateTable('environment')
      .set({ updated_at: at, updated_by: by })
      .where('id', '=', environmentId(environment))
      .execute();
    const services = await trx
      .selectFrom('service')
      .select('id')
      .where('environment_id', '=', environmentId(environment))
      .execute();
    await markReadersOutOfDate(
      comparing(vault),
      trx,
      services.map(({ id }) => id),
    );
  });
}

interface ScenarioDependencies {
  readonly clock: PlatformClock;
  readonly random: Random;
  readonly vault: Vault;
}

async function replayEvent(
  db: DataStore,
  { random, vault }: Pick<ScenarioDependencies, 'random' | 'vault'>,
  at: number,
  event: HistoryEvent,
): Promise<void> {
  if ('change' in event) return changeService(db, vault, new Date(at).toISOString(), event.by, event.change, event.to);
  if ('edit' in event)
    return editVariable(db, vault, new Date(at).toISOString(), event.by, event.edit, event.key, event.value);
  const paths = 'deploy' in event ? event.deploy : event.stop;
  await replayOrder(
    db,
    { random, vault },
    {
      at,
      simulation: simulationContextOf(db),
      action: 'deploy' in event ? 'DEPLOY' : 'STOP',
      environmentId: environmentId(environmentOf(paths[0]!)),
      serviceIds: paths.map(serviceId),
      origin: 'CONSOLE',
      triggeredBy: event.by,
    },
  );
}

/**
 * Applies a scenario to the seeded organization: inserts its resources and replays its history through the engine. Does
 * nothing if the scenario is already there. An interrupted run resumes where it stopped.
 */
export async function applyScenario(
  db: DataStore,
  { clock, random, vault }: ScenarioDependencies,
  scenario: Scenario,
): Promise<void> {
  const ids = scenario.environments.map(({ path }) => environmentId(path));
  const existing = await db.selectFrom('environment').select('created_at').where('id', '=', ids[0]!).executeTakeFirst();
  const start = existing ? addDays(Date.parse(existing.created_at), referenceAgeDays) : clock.now();
  if (!existing)
    await db.write(async (trx) => {
      await insertScenario(trx, seedTime(start), scenario);
      await addMissingDatabaseVariables(trx, vault);
    });
  const { newest } = await db
    .selectFrom('deployment')
    .select(({ fn }) => fn.max('created_at').as('newest'))
    .where('environment_id', 'in', ids)
    .executeTakeFirstOrThrow();
  const replayedUntil = newest === null ? Number.NEGATIVE_INFINITY : Date.parse(newest);
  for (const event of scenario.history) {
    const at = Math.round(addDays(start, -event.daysAgo));
    if (at > replayedUntil) await replayEvent(db, { random, vault }, at, event);
  }
}
