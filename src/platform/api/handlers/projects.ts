import type { Selectable } from 'kysely';
import { invalid, isoNow } from '../../common/index.ts';
import { requireUnlocked } from '../../engine/index.ts';
import type { OperationHandlers } from '../handler.ts';
import type { Db, EnvironmentTable, ProjectTable } from '../../store/index.ts';
import { builtInVariables } from './variable-answers.ts';
import { findById, parseServiceRow } from './find.ts';
import { pageOf, totalOf } from './page.ts';
import { ownedBy, requireFreeName, withoutNulls } from './rows.ts';
import { clusterOf, serviceAnswer } from './service-answers.ts';

const projectAnswers = async (db: Db, rows: readonly Selectable<ProjectTable>[]) => {
  const counts = await db
    .selectFrom('list_total')
    .select(['owner_id', 'total'])
    .where('list', '=', 'environment')
    .where(
      'owner_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  const countOf = new Map(counts.map((count) => [count.owner_id, count.total]));
  return rows.map((row) => ({
    ...withoutNulls(row),
    organization: { id: row.organization_id },
    associated_environments_count: countOf.get(row.id) ?? 0,
  }));
};

/** Environments in responses. */
export const environmentAnswers = async (db: Db, rows: readonly Selectable<EnvironmentTable>[]) => {
  const ids = [...new Set(rows.map((row) => row.cluster_id))];
  const found = await db
    .selectFrom('cluster')
    .select(['id', 'name', 'organization_id'])
    .where('id', 'in', ids)
    .execute();
  const clusters = new Map(found.map((cluster) => [cluster.id, cluster]));
  return rows.map((row) => ({
    ...row,
    cluster_name: clusters.get(row.cluster_id)!.name,
    organization: { id: clusters.get(row.cluster_id)!.organization_id },
    project: { id: row.project_id },
    last_updated_by: row.updated_by,
  }));
};

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
  list_environments: async (input, { db }) => {
    await findById(db, 'project', input.project_id);
    const rows = db
      .selectFrom('environment')
      .selectAll()
      .where('project_id', '=', input.project_id)
      .orderBy('created_at')
      .orderBy('id');
    return pageOf({ rows, total: () => totalOf(db, 'environment', [input.project_id]) }, input, (shown) =>
      environmentAnswers(db, shown),
    );
  },
  create_environment: async ({ project_id, name, mode, cluster_id }, { db, clock, random, principal }) => {
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
    return (await environmentAnswers(db, [row]))[0]!;
  },
  get_environment: async ({ environment_id }, { db }) =>
    (await environmentAnswers(db, [await findById(db, 'environment', environment_id)]))[0]!,
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
    | 'list_environments'
    | 'create_environment'
    | 'get_environment'
    | 'list_services'
  >
>;
