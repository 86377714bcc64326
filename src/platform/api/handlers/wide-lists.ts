import type { ServiceKind, ServiceType } from '../../../contract/index.ts';
import { defaultIcon } from '../../common/index.ts';
import { environmentOutlooks } from '../../engine/index.ts';
import type { Db } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { findById } from './find.ts';
import { withoutNulls } from './rows.ts';

/** The members of any kind of configuration that lists show. */
interface ShownSpec {
  readonly description?: string;
  readonly job_type?: string;
  readonly icon_uri?: string;
}

/** The services of an organization with their places, in the order of projects, environments and services. */
const placedServices = (db: Db, organizationId: string) =>
  db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .leftJoin('deployment', 'deployment.id', 'service.last_deployment_id')
    .select([
      'service.id',
      'service.name',
      'service.kind',
      'service.spec',
      'environment.id as environment_id',
      'environment.name as environment_name',
      'environment.cluster_id',
      'project.id as project_id',
      'project.name as project_name',
      'deployment.triggered_by',
    ])
    .where('project.organization_id', '=', organizationId)
    .orderBy('project.created_at')
    .orderBy('project.id')
    .orderBy('environment.created_at')
    .orderBy('environment.id')
    .orderBy('service.created_at')
    .orderBy('service.id');

/** The environments of projects, with the names of their projects and clusters. */
const placedEnvironments = (db: Db) =>
  db
    .selectFrom('environment')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select([
      'environment.id',
      'environment.name',
      'environment.mode',
      'environment.state',
      'environment.ends_at',
      'environment.end_reason',
      'environment.end_set_by',
      'project.id as project_id',
      'project.name as project_name',
      'project.organization_id',
      'cluster.id as cluster_id',
      'cluster.name as cluster_name',
    ])
    .orderBy('project.created_at')
    .orderBy('project.id')
    .orderBy('environment.created_at')
    .orderBy('environment.id');

/** The number of services in each environment of a project. */
async function serviceCounts(db: Db, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('list_total')
    .innerJoin('environment', 'environment.id', 'list_total.owner_id')
    .select(['owner_id', 'total'])
    .where('list', '=', 'service')
    .where('environment.project_id', '=', projectId)
    .execute();
  return new Map(rows.map(({ owner_id, total }) => [owner_id, total]));
}

const environmentIds = async (db: Db, projectId: string): Promise<string[]> => {
  await findById(db, 'project', projectId);
  return (
    await db
      .selectFrom('environment')
      .select('id')
      .where('project_id', '=', projectId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);
};

const matches = (wanted: string | undefined, id: string): boolean =>
  wanted === undefined || wanted.toLowerCase() === id;

export const wideListHandlers = {
  list_services_of_organization: async (
    { organization_id, project_id, environment_id, cluster_id },
    { db, engine },
  ) => {
    await findById(db, 'organization', organization_id);
    const all = await placedServices(db, organization_id).execute();
    const rows = all.filter(
      (row) =>
        matches(project_id, row.project_id) &&
        matches(environment_id, row.environment_id) &&
        matches(cluster_id, row.cluster_id),
    );
    const statuses = await engine.serviceStatuses(
      db,
      rows.map(({ id }) => id),
    );
    const results = rows.map(({ kind, spec, triggered_by, ...row }, index) => {
      const { description, job_type, icon_uri } = JSON.parse(spec) as ShownSpec;
      const type = kind.toUpperCase() as Uppercase<ServiceKind> & ServiceType;
      return {
        ...row,
        service_type: type,
        description,
        job_type,
        icon_uri: icon_uri ?? defaultIcon(kind),
        status: statuses[index]!,
        ...(triggered_by !== null && { last_deployment_by: triggered_by }),
      };
    });
    return { results };
  },
  list_environments_of_organization: async ({ organization_id }, { db, clock }) => {
    await findById(db, 'organization', organization_id);
    const rows = await placedEnvironments(db).where('project.organization_id', '=', organization_id).execute();
    const outlooks = await environmentOutlooks(db, rows, clock.now());
    return {
      results: rows.map(({ project_id, project_name, organization_id: organization, ...row }) => ({
        ...withoutNulls(row),
        ...outlooks.get(row.id),
        project: { id: project_id, name: project_name },
        organization: { id: organization },
      })),
    };
  },
  list_environment_overviews: async ({ project_id }, { db, engine, clock }) => {
    await findById(db, 'project', project_id);
    const rows = await placedEnvironments(db).where('project.id', '=', project_id).execute();
    const counts = await serviceCounts(db, project_id);
    const outlooks = await environmentOutlooks(db, rows, clock.now());
    const results = await Promise.all(
      rows.map(async ({ id, name, mode, cluster_id, cluster_name }) => ({
        id,
        name,
        mode,
        cluster: { id: cluster_id, name: cluster_name, is_demo: false },
        services_overview: { service_count: counts.get(id) ?? 0 },
        deployment_status: await engine.environmentStatus(db, id),
        ...outlooks.get(id),
      })),
    );
    return { results };
  },
  list_environment_statuses: async ({ project_id }, { db, engine }) => {
    const ids = await environmentIds(db, project_id);
    return { results: await Promise.all(ids.map((id) => engine.environmentStatus(db, id))) };
  },
} satisfies Partial<
  OperationHandlers<
    | 'list_services_of_organization'
    | 'list_environments_of_organization'
    | 'list_environment_overviews'
    | 'list_environment_statuses'
  >
>;
