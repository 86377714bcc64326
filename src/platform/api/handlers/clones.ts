import type { Insertable, Selectable } from 'kysely';
import {
  ApiProblem,
  configurationFault,
  invalid,
  isoNow,
  refused,
  taken,
  type ServiceSpecs,
} from '../../common/index.ts';
import { addDatabaseVariables, databaseVariableIds, requireUnlocked } from '../../engine/index.ts';
import {
  inBatches,
  neverDeployed,
  type ClusterTable,
  type Db,
  type EnvironmentTable,
  type ServiceTable,
  type VariableTable,
} from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { builtInVariables } from './variable-answers.ts';
import { findById, parseServiceRow } from './find.ts';
import { environmentAnswers } from './projects.ts';
import { requireWithinMaximums } from './service-config.ts';

type Environment = Selectable<EnvironmentTable>;
type Service = Selectable<ServiceTable>;
type Variable = Selectable<VariableTable>;

/** Old ids with the new ones that replace them. */
type NewIds = ReadonlyMap<string, string>;

/** A configuration whose ports, volumes and scalers have new ids. References to shared objects stay. */
function withNewIds(text: string, newId: () => string): string {
  const spec = JSON.parse(text) as Partial<Pick<ServiceSpecs['application'], 'autoscaling'>> & {
    ports?: unknown;
    storage?: unknown;
  };
  // The storage of a database is a size, not a list of volumes.
  const renewed = (items: unknown): unknown =>
    Array.isArray(items) ? items.map((item: object) => ({ ...item, id: newId() })) : items;
  const { autoscaling } = spec;
  return JSON.stringify({
    ...spec,
    ports: renewed(spec.ports),
    storage: renewed(spec.storage),
    autoscaling: autoscaling && {
      ...autoscaling,
      id: newId(),
      scalers: autoscaling.scalers.map((scaler) => ({
        ...scaler,
        id: newId(),
        ...(scaler.trigger_authentication && {
          trigger_authentication: { ...scaler.trigger_authentication, id: newId() },
        }),
      })),
    },
  });
}

/**
 * Refuses services that the cluster of the copy has no room for.
 * @throws ApiProblem 400 with the service and the member
 */
function requireRoom(services: readonly Service[], cluster: Selectable<ClusterTable>): void {
  for (const { name, spec } of services) {
    const { cpu = 0, memory = 0, gpu = 0 } = JSON.parse(spec) as { cpu?: number; memory?: number; gpu?: number };
    try {
      requireWithinMaximums({ cpu, memory, gpu }, cluster);
    } catch (error) {
      throw error instanceof ApiProblem
        ? invalid('cluster_id', `the service ${name} does not fit on the cluster ${cluster.name}: ${error.message}`)
        : error;
    }
  }
}

/**
 * Refuses services that no deployment could use: an earlier version of the platform may have accepted them.
 * @throws ApiProblem 400 with the service and the member
 */
function requireUsable(services: readonly Service[]): void {
  for (const service of services) {
    const { kind, name, spec } = parseServiceRow(service);
    const fault = configurationFault(kind, spec);
    if (fault !== undefined)
      throw refused(`The ${kind} ${name} can't be copied before it is updated: ${fault.field}: ${fault.why}.`);
  }
}

async function copyServices(
  services: readonly Service[],
  environmentId: string,
  { db, clock, random, vault }: RequestContext,
): Promise<NewIds> {
  const now = isoNow(clock);
  const copies = services.map((service): Insertable<ServiceTable> => ({
    id: random.uuid(),
    created_at: now,
    updated_at: now,
    environment_id: environmentId,
    kind: service.kind,
    name: service.name,
    spec: withNewIds(service.spec, () => random.uuid()),
    ...neverDeployed,
  }));
  for (const some of inBatches(copies)) await db.insertInto('service').values(some).execute();
  for (const copy of copies) if (copy.kind === 'database') await addDatabaseVariables(db, copy, vault);
  return new Map(services.map(({ id }, index) => [id, copies[index]!.id]));
}

/** The variables and secrets of an environment and its services, without the platform's built-in ones. */
const ownVariables = (db: Db, environmentId: string): Promise<Variable[]> =>
  db
    .selectFrom('variable')
    .selectAll()
    .where((where) =>
      where.or([
        where('environment_id', '=', environmentId),
        where('service_id', 'in', db.selectFrom('service').select('id').where('environment_id', '=', environmentId)),
      ]),
    )
    .where('variable_type', '!=', 'BUILT_IN')
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/**
 * The possible link targets outside the copied variables: built-in variables and those of the project. Maps each old id
 * to the id of the variable with the same key in the copy's place.
 */
async function sharedIds(db: Db, from: Environment, to: Environment): Promise<NewIds> {
  const shared = (environment: Environment) =>
    db
      .selectFrom('variable')
      .select(['id', 'key'])
      .where((where) =>
        where.or([
          where('project_id', '=', environment.project_id),
          where.and([where('environment_id', '=', environment.id), where('variable_type', '=', 'BUILT_IN')]),
        ]),
      )
      .execute();
  const there = new Map((await shared(to)).map(({ id, key }) => [key, id]));
  return new Map(
    (await shared(from)).flatMap(({ id, key }) => (there.has(key) ? [[id, there.get(key)!] as const] : [])),
  );
}

/** The variables that databases give their neighbours, with those of their copies. */
const ofDatabases = (services: NewIds): (readonly [string, string])[] =>
  [...services].flatMap(([from, to]) =>
    databaseVariableIds(from).map((id, index) => [id, databaseVariableIds(to)[index]!] as const),
  );

/** Copies variables and secrets. One whose link has no target in the copy keeps its current value. */
async function copyVariables(
  from: Environment,
  to: Environment,
  services: NewIds,
  { db, clock, random }: RequestContext,
): Promise<void> {
  const now = isoNow(clock);
  const originals = await ownVariables(db, from.id);
  const newIds = new Map([
    ...(await sharedIds(db, from, to)),
    ...ofDatabases(services),
    ...originals.map(({ id }) => [id, random.uuid()] as const),
  ]);
  const links = originals.flatMap(({ linked_variable_id: linked }) => linked ?? []);
  const targets = (
    await Promise.all(
      inBatches(links).map((some) => db.selectFrom('variable').selectAll().where('id', 'in', some).execute()),
    )
  ).flat();
  const copyOf = (row: Variable): Insertable<VariableTable> => {
    const copy = {
      ...row,
      id: newIds.get(row.id)!,
      created_at: now,
      updated_at: now,
      environment_id: row.environment_id === null ? null : to.id,
      service_id: row.service_id === null ? null : services.get(row.service_id)!,
    };
    if (row.linked_variable_id === null) return copy;
    const linked = newIds.get(row.linked_variable_id);
    if (linked !== undefined) return { ...copy, linked_variable_id: linked };
    const target = row.variable_type === 'ALIAS' ? targets.find(({ id }) => id === row.linked_variable_id) : undefined;
    return {
      ...copy,
      linked_variable_id: null,
      variable_type: row.mount_path === null ? 'VALUE' : 'FILE',
      ...(target && { value: target.value, sealed_value: target.sealed_value }),
    };
  };
  const copies = originals.map(copyOf);
  // A variable that links to another is inserted after it.
  for (const linking of [false, true]) {
    const rows = copies.filter(
      ({ linked_variable_id: linked }) =>
        (linked !== null && originals.some(({ id }) => newIds.get(id) === linked)) === linking,
    );
    for (const some of inBatches(rows)) await db.insertInto('variable').values(some).execute();
  }
}

/** The cluster of the copy. @throws ApiProblem 400 if it is locked, or the organization doesn't have it */
async function clusterFor(
  clusterId: string,
  organizationId: string,
  { db, clock }: RequestContext,
): Promise<Selectable<ClusterTable>> {
  const cluster = await db
    .selectFrom('cluster')
    .selectAll()
    .where('id', '=', clusterId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (!cluster) throw invalid('cluster_id', `no cluster has the id ${clusterId}`);
  await requireUnlocked(db, cluster.id, clock.now());
  return cluster;
}

async function projectFor(projectId: string, from: Environment, { db }: RequestContext) {
  const own = await findById(db, 'project', from.project_id);
  const project = await db
    .selectFrom('project')
    .selectAll()
    .where('id', '=', projectId)
    .where('organization_id', '=', own.organization_id)
    .executeTakeFirst();
  if (!project) throw invalid('project_id', `no project has the id ${projectId}`);
  return project;
}

export const cloneHandlers = {
  clone_environment: async ({ environment_id, name, mode, cluster_id, project_id }, context) => {
    const { db, clock, random, principal } = context;
    const from = await findById(db, 'environment', environment_id);
    const project = await projectFor(project_id ?? from.project_id, from, context);
    const cluster = await clusterFor(cluster_id ?? from.cluster_id, project.organization_id, context);
    const holder = await db
      .selectFrom('environment')
      .select(['id', 'name'])
      .where('project_id', '=', project.id)
      .where(db.sql.sameIgnoringCase('name', name))
      .executeTakeFirst();
    if (holder) throw taken('name', `the environment "${holder.name}" (${holder.id}) has that name already`);
    const services = await db
      .selectFrom('service')
      .selectAll()
      .where('environment_id', '=', from.id)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    requireUsable(services);
    requireRoom(services, cluster);
    const now = isoNow(clock);
    const to = await db
      .insertInto('environment')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        project_id: project.id,
        cluster_id: cluster.id,
        name,
        mode: mode ?? from.mode,
        updated_by: principal.name,
        state: 'READY',
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    // Without ids, the copies count as new services. The originals keep their resources.
    await context.engine.requireRunnable(
      db,
      to.id,
      services.map((service) => ({ ...parseServiceRow(service), id: undefined })),
    );
    await db.insertInto('variable').values(builtInVariables(to)).execute();
    await copyVariables(from, to, await copyServices(services, to.id, context), context);
    return (await environmentAnswers(context, [to]))[0]!;
  },
} satisfies Partial<OperationHandlers<'clone_environment'>>;
