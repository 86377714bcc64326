import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { Failure, filled, flag, inQuery, text, whole, type Members } from '../schema.ts';
import { serviceType } from '../service-answers.ts';
import { find, type Row } from '../store.ts';

/** Clusters: their state, their locks, what runs on them, and what is done with them. */
export function clusterRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const of = (organization: unknown) =>
    store.clusters.filter((row) => row.organization_id === find(store.organizations, organization, 'organization').id);
  const asked = (path: Record<string, string>) => find(store.clusters, path.clusterId, 'cluster');

  const answer = (row: Row): Members => {
    const { lock, organization_id: organization, ...others } = row;
    return {
      ...others,
      organization: { id: organization },
      ...(on('unlikeMembers') ? {} : { is_locked: lock !== undefined }),
    };
  };
  const state = (row: Row): string =>
    typeof row.upgraded_at === 'number' && platform.now() < row.upgraded_at + platform.deploymentMs
      ? 'DEPLOYING'
      : String(row.status);
  const status = (row: Row): Members => ({
    cluster_id: row.id,
    status: state(row),
    is_deployed: row.status === 'DEPLOYED',
    next_k8s_available_version: row.next_version,
    last_execution_id: `${row.id}-1`,
    cluster_lock: row.lock ?? null,
    last_deployment_date: '2025-12-01T09:00:00.123456Z',
    ...(on('words') ? { reason: 'UNSPECIFIED' } : {}),
  });
  const unlocked = (row: Row) => {
    if (row.lock !== undefined) throw new Failure(on('conflicts') ? 409 : 400, 'The cluster is locked');
  };
  const environmentsOn = (row: Row) => store.environments.filter((environment) => environment.cluster_id === row.id);

  const range = { start: inQuery.text, end: inQuery.text, step: inQuery.text, time: inQuery.text };
  return [
    rows('/organization/{organizationId}/cluster', ({ path }) => of(path.organizationId).map(answer)),
    rows('/organization/{organizationId}/cluster/status', ({ path }) => of(path.organizationId).map(status)),
    one('/organization/{organizationId}/cluster/{clusterId}/status', ({ path }) =>
      status(find(of(path.organizationId), path.clusterId, 'cluster')),
    ),
    rows(
      on('lockPath') ? '/organization/{organizationId}/lock' : '/organization/{organizationId}/cluster/lock',
      ({ path }) => of(path.organizationId).flatMap(({ lock }) => (lock === undefined ? [] : [lock])),
    ),
    route(
      'POST',
      '/cluster/{clusterId}/lock',
      ({ path, body }) => {
        const row = asked(path);
        unlocked(row);
        row.lock = {
          reason: body.reason,
          cluster_id: row.id,
          locked_at: platform.date(),
          owner_name: 'token of the tests',
          ttl_in_days: body.ttl_in_days ?? null,
        };
        return row.lock;
      },
      {
        body: { reason: filled, ttl_in_days: on('lockPath') ? whole.optional() : whole },
        code: on('answerCodes') ? 200 : 201,
      },
    ),
    route('DELETE', '/cluster/{clusterId}/lock', ({ path }) => {
      const row = asked(path);
      if (row.lock === undefined) throw new Failure(404, 'The cluster is not locked');
      delete row.lock;
      return NOTHING;
    }),
    route(
      'POST',
      '/cluster/{clusterId}/upgrade',
      ({ path }) => {
        const row = asked(path);
        unlocked(row);
        if (row.next_version === null) throw new Failure(400, 'There is no newer version');
        Object.assign(row, { version: row.next_version, next_version: null, upgraded_at: platform.now() });
        return status(row);
      },
      { code: on('answerCodes') ? 201 : 200 },
    ),
    route(
      'POST',
      '/organization/{organizationId}/cluster/{clusterId}/deploy',
      ({ path }) => status(find(of(path.organizationId), path.clusterId, 'cluster')),
      { body: { dry_run: flag.optional() }, bodyOptional: true, code: 201 },
    ),
    route(
      'POST',
      '/organization/{organizationId}/cluster/{clusterId}/stop',
      ({ path }) => {
        const row = find(of(path.organizationId), path.clusterId, 'cluster');
        unlocked(row);
        return status(Object.assign(row, { status: 'STOPPED' }));
      },
      { code: on('answerCodes') ? 202 : 200 },
    ),
    rows('/cluster/{clusterId}/environments', ({ path }) =>
      environmentsOn(asked(path)).map((environment) => ({
        environment_id: environment.id,
        environment_name: environment.name,
        project_id: environment.project_id,
        project_name: find(store.projects, environment.project_id, 'project').name,
        services: store.services
          .filter((service) => service.environment_id === environment.id)
          .map((service) => ({ id: service.id, name: service.spec.name, type: serviceType(platform, service) })),
      })),
    ),
    rows('/organization/{organizationId}/cluster/{clusterId}/logs', ({ path }) => [
      {
        type: 'INFO',
        timestamp: platform.date(platform.now() - 60_000),
        step: 'Create',
        message: { safe_message: `cluster ${String(asked(path).name)}: nodes are ready` },
        error: null,
        details: {},
      },
    ]),
    rows(
      '/cluster/{clusterId}/events',
      ({ path }) => [
        {
          created_at: platform.date(platform.now() - 60_000),
          kind: 'Pod',
          namespace: 'shop',
          name: `ledger-${asked(path).id.slice(0, 4)}`,
          reason: 'BackOff',
          message: 'Back-off restarting failed container',
          type: 'Warning',
          count: 4,
          first_occurrence: platform.date(platform.now() - 600_000),
          last_occurrence: platform.date(platform.now() - 60_000),
        },
      ],
      {
        from_date_time: filled,
        to_date_time: filled,
        node_name: inQuery.text,
        pod_name: inQuery.text,
        reporting_component: inQuery.text,
      },
    ),
    one(
      '/cluster/{clusterId}/logs',
      ({ path }) => ({
        response: JSON.stringify({ status: 'success', data: { cluster: asked(path).id, result: [] } }),
      }),
      {
        endpoint: text,
        query: text,
        ...range,
        limit: inQuery.text,
        since: inQuery.text,
        interval: inQuery.text,
        direction: inQuery.text,
      },
    ),
    one(
      '/cluster/{clusterId}/metrics',
      ({ path }) => ({ metrics: JSON.stringify({ status: 'success', data: { cluster: asked(path).id, result: [] } }) }),
      { endpoint: text, query: text, ...range, timeout: inQuery.text },
    ),
  ];
}
