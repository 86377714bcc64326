import { start } from '../deployments.ts';
import { environmentHistory } from '../histories.ts';
import { environmentLog } from '../logs.ts';
import { historyPage, NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { asText, either, Failure, filled, flag, id, inQuery } from '../schema.ts';
import { serviceAnswer } from '../service-answers.ts';
import { environmentStatus, serviceRow, serviceStatus, statusesByKind } from '../statuses.ts';
import { find, KINDS, type Environment } from '../store.ts';
import { environmentAnswer } from './organizations.ts';

/** Environments: reading them and their services, making, changing, copying and deleting them. */
export function environmentRoutes(platform: Platform): Route[] {
  const { store, on, words } = platform;
  const known = (wanted: unknown) => find(store.environments, wanted, 'environment');
  const servicesOf = (environment: Environment) =>
    store.services.filter((service) => service.environment_id === environment.id);
  const asked = (path: Record<string, string>) => known(path.environmentId);
  const writable = ['DEVELOPMENT', 'STAGING', 'PRODUCTION'];

  const checkName = (project: string, name: unknown, itself?: Environment) => {
    const same = store.environments.find(
      (row) => row !== itself && row.project_id === project && row.name.toLowerCase() === String(name).toLowerCase(),
    );
    if (same !== undefined)
      throw new Failure(on('conflicts') ? 409 : 400, `The environment name ${String(name)} is taken`);
  };
  const add = (project: string, name: unknown, mode: unknown, cluster: unknown): Environment => {
    checkName(project, name);
    const owner = find(store.projects, project, 'project').organization_id;
    const place =
      cluster === undefined
        ? store.clusters.find((row) => row.organization_id === owner)
        : find(store.clusters, cluster, 'cluster');
    const row: Environment = {
      id: platform.newId(),
      created_at: platform.date(),
      updated_at: platform.date(),
      project_id: project,
      cluster_id: String(place?.id),
      name: String(name),
      mode: asText(mode ?? 'DEVELOPMENT'),
    };
    store.environments.push(row);
    return row;
  };

  return [
    rows('/project/{projectId}/environment', ({ path }) =>
      store.environments
        .filter((row) => row.project_id === find(store.projects, path.projectId, 'project').id)
        .map((row) => environmentAnswer(platform, row)),
    ),
    // A cluster_id is not refused where the member is called cluster: nothing forbids members that aren't known, they
    // are just not looked at.
    route(
      'POST',
      '/project/{projectId}/environment',
      ({ path, body }) =>
        environmentAnswer(
          platform,
          add(
            path.projectId ?? '',
            body.name,
            body.mode,
            on('clusterMember') || on('strictBodies') ? body.cluster : body.cluster_id,
          ),
        ),
      {
        body: on('strictBodies')
          ? { name: filled, cluster: id, mode: either(...writable).optional() }
          : on('clusterMember')
            ? { name: filled, cluster: id.optional(), cluster_id: id.optional(), mode: either(...writable).optional() }
            : { name: filled, mode: either(...writable), cluster_id: id, cluster: id.optional() },
        code: 201,
      },
    ),
    one('/environment/{environmentId}', ({ path }) => environmentAnswer(platform, asked(path))),
    route(
      'PUT',
      '/environment/{environmentId}',
      ({ path, body }) => {
        const row = asked(path);
        if (body.name !== undefined) checkName(row.project_id, body.name, row);
        return environmentAnswer(platform, Object.assign(row, body, { updated_at: platform.date() }));
      },
      { body: { name: filled.optional(), mode: either(...writable).optional() } },
    ),
    route(
      'DELETE',
      '/environment/{environmentId}',
      ({ path }) => {
        const row = asked(path);
        start(platform, { environment: row.id, services: servicesOf(row), action: 'DELETE' }).takesEnvironment = true;
        return NOTHING;
      },
      { query: { skipReconcile: inQuery.flag } },
    ),
    route(
      'POST',
      '/environment/{environmentId}/clone',
      ({ path, body }) => {
        const from = asked(path);
        const copy = add(
          asText(body.project_id ?? from.project_id),
          body.name,
          body.mode ?? from.mode,
          body.cluster_id ?? from.cluster_id,
        );
        const copies = new Map([[from.id, copy.id]]);
        for (const service of servicesOf(from)) {
          const copyId = platform.newId();
          copies.set(service.id, copyId);
          store.services.push({
            ...service,
            id: copyId,
            environment_id: copy.id,
            spec: structuredClone(service.spec),
            created_at: platform.date(),
            updated_at: platform.date(),
          });
        }
        const owned = store.variables.filter((row) => copies.has(row.parent_id));
        store.variables.push(
          ...owned.map((row) => ({ ...row, id: platform.newId(), parent_id: copies.get(row.parent_id) ?? copy.id })),
        );
        return environmentAnswer(platform, copy);
      },
      {
        body: {
          name: filled,
          cluster_id: id.optional(),
          mode: either(...words.modes).optional(),
          project_id: id.optional(),
          apply_deployment_rule: flag.optional(),
        },
        code: on('answerCodes') ? 202 : 201,
      },
    ),
    one('/environment/{environmentId}/status', ({ path }) => environmentStatus(platform, asked(path))),
    one('/environment/{environmentId}/statuses', ({ path }) => {
      const row = asked(path);
      return { environment: environmentStatus(platform, row), ...statusesByKind(platform, servicesOf(row)) };
    }),
    one('/environment/{environmentId}/statusesWithStages', ({ path }) => {
      const row = asked(path);
      const services = servicesOf(row);
      const stages = store.stages
        .filter((stage) => stage.environment_id === row.id)
        .map((stage) => ({
          stage: { id: stage.id, name: stage.name, steps: { total_duration_sec: null, details: [] } },
          status: 'DONE',
          description: stage.description,
          ...statusesByKind(
            platform,
            services.filter((service) => (stage.services as string[]).includes(service.id)),
          ),
        }));
      return {
        environment: environmentStatus(platform, row),
        stages,
        pre_check_stage: { status: 'DONE', total_duration_sec: 1 },
      };
    }),
    rows('/environment/{environmentId}/services', ({ path }) =>
      servicesOf(asked(path)).map((service) => serviceRow(platform, service)),
    ),
    ...KINDS.map((kind) =>
      rows(
        `/environment/{environmentId}/${kind}`,
        ({ path, query }) =>
          servicesOf(asked(path))
            .filter((service) => service.kind === kind)
            .filter(
              (service) =>
                query.toUpdate !== true || serviceStatus(platform, service).service_deployment_status === 'OUT_OF_DATE',
            )
            .map((service) => serviceAnswer(platform, service)),
        ['application', 'helm', 'job'].includes(kind) ? { toUpdate: inQuery.flag } : {},
      ),
    ),
    // The statuses of one kind alone.
    ...KINDS.map((kind) =>
      rows(`/environment/{environmentId}/${kind}/status`, ({ path }) =>
        servicesOf(asked(path))
          .filter((service) => service.kind === kind)
          .map((service) => serviceStatus(platform, service)),
      ),
    ),
    on('environmentLogRows')
      ? one('/environment/{environmentId}/logs', ({ path }) => environmentLog(platform, asked(path)), {
          version: inQuery.text,
        })
      : one('/environment/{environmentId}/logs', ({ path }) => ({ results: environmentLog(platform, asked(path)) })),
    // An older form of the same.
    one('/environment/{environmentId}/log', ({ path }) => ({
      results: environmentLog(platform, asked(path), 'older'),
    })),
    one(
      '/environment/{environmentId}/deploymentHistoryV2',
      ({ path, query }) => historyPage(environmentHistory(platform, asked(path)), query),
      on('historiesWithoutPage') ? { pageSize: inQuery.number } : { pageSize: inQuery.number, page: inQuery.whole },
    ),
  ];
}
