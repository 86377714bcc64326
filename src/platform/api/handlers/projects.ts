import type { Selectable } from 'kysely';
import { isProduction } from '../../../contract/index.ts';
import { invalid, isoNow, refused } from '../../common/index.ts';
import { environmentOutlooks, requireUnlocked } from '../../engine/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { compiled, type Db, type EnvironmentTable, type ProjectTable } from '../../store/index.ts';
import { findUnlockedCluster, requireUnlockedProject } from './environment-changes.ts';
import { builtInVariables } from './variable-answers.ts';
import { findById, parseServiceRow } from './find.ts';
import { pageOf, totalOf } from './page.ts';
import { ownedBy, requireFreeName, withoutNulls } from './rows.ts';
import { clusterOf, serviceAnswer } from './service-answers.ts';

type Ids = { readonly ids: readonly string[] };

const environmentCounts = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('list_total')
    .select(['owner_id', 'total'])
    .where('list', '=', 'environment')
    .where('owner_id', 'in', ids),
);

const clusterNames = compiled((db, { ids }: Ids) =>
  db.selectFrom('cluster').select(['id', 'name', 'organization_id']).where('id', 'in', ids),
);

const projectNames = compiled((db, { ids }: Ids) =>
  db.selectFrom('project').select(['id', 'name']).where('id', 'in', ids),
);

const projectAnswers = async (db: Db, rows: readonly Selectable<ProjectTable>[]) => {
  const counts = await environmentCounts(db, { ids: rows.map(({ id }) => id) });
  const countOf = new Map(counts.map((count) => [count.owner_id, count.total]));
  return rows.map((row) => ({
    ...withoutNulls(row),
    organization: { id: row.organization_id },
    associated_environments_count: countOf.get(row.id) ?? 0,
  }));
};

/** Environments in responses. */
export const environmentAnswers = async (
  { db, clock }: Pick<RequestContext, 'db' | 'clock'>,
  rows: readonly Selectable<EnvironmentTable>[],
) => {
  const ids = [...new Set(rows.map((row) => row.cluster_id))];
  const [found, projectsFound, outlooks] = await Promise.all([
    clusterNames(db, { ids }),
    projectNames(db, { ids: [...new Set(rows.map((row) => row.project_id))] }),
    environmentOutlooks(db, rows, clock.now()),
  ]);
  const clusters = new Map(found.map((cluster) => [cluster.id, cluster]));
  const projects = new Map(projectsFound.map((project) => [project.id, project]));
  return rows.map((row) => ({
    ...withoutNulls(row),
    ...outlooks.get(row.id),
    cluster_name: clusters.get(row.cluster_id)!.name,
    organization: { id: clusters.get(row.cluster_id)!.organization_id },
    project: projects.get(row.project_id)!,
    last_updated_by: row.updated_by,
  }));
};

/** The number of environments that a refusal to delete their project names. */
const namedInRefusal = 5;

/**
 * Gives an environment's built-in variables the values of its new row, and marks the services that read them as out of
 * date.
 */
async function updateBuiltInVariables(
  environment: Selectable<EnvironmentTable>,
  { db, engine }: Pick<RequestContext, 'db' | 'engine'>,
): Promise<void> {
  for (const { id, value = null } of builtInVariables(environment))
    await db
      .updateTable('variable')
      .set({ value, updated_at: environment.updated_at })
      .where('id', '=', id)
      .where('value', 'is distinct from', value)
      .execute();
  const services = await db
    .selectFrom('service')
    .select('id')
    .where('environment_id', '=', environment.id)
    .orderBy('id')
    .execute();
  await engine.variableChanged(
    db,
    services.map(({ id }) => id),
  );
}

export const projectHandlers = {
  list_projects: async (input, context) =>
    pageOf(await ownedBy(context, 'project', input.organization_id), input, (rows) => projectAnswers(context.db, rows)),
  create_project: async ({ organization_id, name, description }, { db, clock, random }) => {
    await findById(db, 'organization', organization_id);
    await requireFreeName(db, 'project', organization_id, name);
    const now = isoNow(clock);
    const row = await db
      .insertInto('project')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id,
        name,
        description: description ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return (await projectAnswers(db, [row]))[0]!;
  },
  get_project: async ({ project_id }, { db }) =>
    (await projectAnswers(db, [await findById(db, 'project', project_id)]))[0]!,
  update_project: async ({ project_id, name, description }, context) => {
    const { db, clock } = context;
    const project = await findById(db, 'project', project_id);
    await requireUnlockedProject(project_id, context);
    await requireFreeName(db, 'project', project.organization_id, name, project_id);
    const row = await db
      .updateTable('project')
      .set({ name, description: description ?? null, updated_at: isoNow(clock) })
      .where('id', '=', project_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return (await projectAnswers(db, [row]))[0]!;
  },
  delete_project: async ({ project_id }, { db }) => {
    const { name } = await findById(db, 'project', project_id);
    const environments = await db
      .selectFrom('environment')
      .select('name')
      .where('project_id', '=', project_id)
      .orderBy('name')
      .execute();
    if (environments.length > 0) {
      const names = environments.slice(0, namedInRefusal).map((environment) => environment.name);
      const more = environments.length - names.length;
      throw refused(
        `The project ${name} can't be deleted: it has ${environments.length} environment${environments.length === 1 ? '' : 's'} (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}). Delete these first.`,
      );
    }
    await db.deleteFrom('variable').where('project_id', '=', project_id).execute();
    await db.deleteFrom('project').where('id', '=', project_id).execute();
    return undefined;
  },
  list_environments: async (input, context) => {
    const { db } = context;
    await findById(db, 'project', input.project_id);
    const rows = db
      .selectFrom('environment')
      .selectAll()
      .where('project_id', '=', input.project_id)
      .orderBy('created_at')
      .orderBy('id');
    return pageOf({ rows, total: () => totalOf(db, 'environment', [input.project_id]) }, input, (shown) =>
      environmentAnswers(context, shown),
    );
  },
  create_environment: async ({ project_id, name, mode, cluster_id }, context) => {
    const { db, clock, random, principal } = context;
    const project = await findById(db, 'project', project_id);
    const cluster = await db
      .selectFrom('cluster')
      .select('id')
      .where('id', '=', cluster_id)
      .where('organization_id', '=', project.organization_id)
      .executeTakeFirst();
    if (!cluster) throw invalid('cluster_id', `no cluster has the id ${cluster_id}`);
    await requireUnlocked(db, cluster_id, clock.now());
    await requireFreeName(db, 'environment', project_id, name);
    const now = isoNow(clock);
    const row = await db
      .insertInto('environment')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        project_id,
        cluster_id,
        name,
        mode,
        updated_by: principal.name,
        state: 'READY',
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await db.insertInto('variable').values(builtInVariables(row)).execute();
    return (await environmentAnswers(context, [row]))[0]!;
  },
  get_environment: async ({ environment_id }, context) =>
    (await environmentAnswers(context, [await findById(context.db, 'environment', environment_id)]))[0]!,
  update_environment: async ({ environment_id, name, mode }, context) => {
    const { db, clock, principal } = context;
    await findUnlockedCluster(environment_id, context);
    const environment = await findById(db, 'environment', environment_id);
    await requireFreeName(db, 'environment', environment.project_id, name, environment_id);
    if (isProduction(mode) && environment.ends_at !== null)
      throw refused(
        `The environment ${environment.name} (${environment_id}) ends at ${environment.ends_at}, and ${mode} never ends by itself. Remove its end first.`,
      );
    const row = await db
      .updateTable('environment')
      .set({ name, mode, updated_at: isoNow(clock), updated_by: principal.name })
      .where('id', '=', environment_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (mode !== environment.mode) await updateBuiltInVariables(row, context);
    return (await environmentAnswers(context, [row]))[0]!;
  },
  list_services: async (input, { db }) => {
    await findById(db, 'environment', input.environment_id);
    const cluster = await clusterOf(db, input.environment_id);
    const rows = db
      .selectFrom('service')
      .selectAll()
      .where('environment_id', '=', input.environment_id)
      .orderBy('created_at')
      .orderBy('id');
    const total = () => totalOf(db, 'service', [input.environment_id]);
    return pageOf({ rows, total }, input, (shown) =>
      Promise.all(shown.map((row) => serviceAnswer(db, parseServiceRow(row), cluster))),
    );
  },
} satisfies Partial<
  OperationHandlers<
    | 'list_projects'
    | 'create_project'
    | 'get_project'
    | 'update_project'
    | 'delete_project'
    | 'list_environments'
    | 'create_environment'
    | 'get_environment'
    | 'update_environment'
    | 'list_services'
  >
>;
