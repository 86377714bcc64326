import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { Failure, filled, inQuery, text } from '../schema.ts';
import { environmentStatus, serviceRow } from '../statuses.ts';
import { find, remove, type Environment, type Row } from '../store.ts';
import { withoutOwner } from './collection.ts';

/** An environment as reading it answers. */
export function environmentAnswer(platform: Platform, environment: Environment) {
  const project = platform.store.projects.find(({ id }) => id === environment.project_id);
  const cluster = platform.store.clusters.find(({ id }) => id === environment.cluster_id);
  return {
    id: environment.id,
    created_at: environment.created_at,
    updated_at: environment.updated_at,
    name: environment.name,
    mode: environment.mode,
    cluster_id: environment.cluster_id,
    cluster_name: cluster?.name,
    organization: { id: project?.organization_id },
    project: { id: environment.project_id },
  };
}

/** Organizations, and the projects in them. */
export function organizationRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const projectsOf = (organization: unknown) => store.projects.filter((row) => row.organization_id === organization);
  const environmentsOf = (project: unknown) => store.environments.filter((row) => row.project_id === project);
  const servicesOf = (environments: readonly Environment[]) =>
    store.services.filter((service) => environments.some(({ id }) => id === service.environment_id));
  const known = (organization: unknown) => find(store.organizations, organization, 'organization');
  const environmentsIn = (organization: unknown) =>
    projectsOf(known(organization).id).flatMap(({ id }) => environmentsOf(id));

  const checkName = (organization: unknown, name: unknown, itself?: Row) => {
    const same = projectsOf(organization).find(
      (row) => row !== itself && String(row.name).toLowerCase() === String(name).toLowerCase(),
    );
    if (same !== undefined) throw new Failure(on('conflicts') ? 409 : 400, `The project name ${String(name)} is taken`);
  };

  return [
    on('severalOrganizations')
      ? rows('/organization', () => store.organizations)
      : one('/organization', () => store.organizations[0]),
    one('/organization/{organizationId}', ({ path }) => known(path.organizationId)),
    rows('/organization/{organizationId}/project', ({ path }) =>
      projectsOf(known(path.organizationId).id).map(withoutOwner),
    ),
    route(
      'POST',
      '/organization/{organizationId}/project',
      ({ path, body }) => {
        checkName(known(path.organizationId).id, body.name);
        const row = {
          id: platform.newId(),
          created_at: platform.date(),
          updated_at: platform.date(),
          organization_id: path.organizationId,
          ...body,
        };
        store.projects.push(row);
        return withoutOwner(row);
      },
      { body: { name: filled, description: text.optional() }, code: on('answerCodes') ? 200 : 201 },
    ),
    one('/project/{projectId}', ({ path }) => withoutOwner(find(store.projects, path.projectId, 'project'))),
    route(
      'PUT',
      '/project/{projectId}',
      ({ path, body }) => {
        const row = find(store.projects, path.projectId, 'project');
        checkName(row.organization_id, body.name, row);
        return withoutOwner(Object.assign(row, { description: '', ...body, updated_at: platform.date() }));
      },
      { body: { name: filled, description: text.optional() } },
    ),
    route('DELETE', '/project/{projectId}', ({ path }) => {
      if (environmentsOf(path.projectId).length > 0)
        throw new Failure(on('conflicts') ? 409 : 400, 'The project still has environments');
      remove(store.projects, path.projectId, 'project');
      return NOTHING;
    }),
    rows(
      '/organization/{organizationId}/services',
      ({ path, query }) =>
        servicesOf(environmentsIn(path.organizationId))
          .map((service) => serviceRow(platform, service))
          .filter((row) =>
            ['project_id', 'environment_id', 'cluster_id'].every(
              (name) => query[name] === undefined || row[name] === query[name],
            ),
          ),
      { project_id: inQuery.id, environment_id: inQuery.id, cluster_id: inQuery.id },
    ),
    rows('/organization/{organizationId}/environments', ({ path }) =>
      environmentsIn(path.organizationId).map(({ id, name, mode, project_id: project }) => ({
        id,
        name,
        mode,
        project: { id: project },
        organization: { id: path.organizationId },
      })),
    ),
    rows('/organization/{organizationId}/project/stats', ({ path }) =>
      projectsOf(known(path.organizationId).id).map(({ id }) => ({
        id,
        service_total_number: servicesOf(environmentsOf(id)).length,
        environment_total_number: environmentsOf(id).length,
      })),
    ),
    rows('/project/{projectId}/environment/overview', ({ path }) =>
      environmentsOf(path.projectId).map((environment) => ({
        id: environment.id,
        name: environment.name,
        mode: environment.mode,
        cluster: {
          id: environment.cluster_id,
          name: find(store.clusters, environment.cluster_id, 'cluster').name,
          is_demo: false,
        },
        services_overview: { service_count: servicesOf([environment]).length },
        deployment_status: environmentStatus(platform, environment),
      })),
    ),
    rows('/project/{projectId}/environment/status', ({ path }) =>
      environmentsOf(path.projectId).map((environment) => environmentStatus(platform, environment)),
    ),
    rows('/project/{projectId}/environment/stats', ({ path }) =>
      environmentsOf(path.projectId).map((environment) => ({
        id: environment.id,
        service_total_number: servicesOf([environment]).length,
      })),
    ),
  ];
}
