import { start } from '../deployments.ts';
import { serviceHistory } from '../histories.ts';
import { serviceLog } from '../logs.ts';
import { historyPage, NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { either, Failure, filled, id, inQuery, open, Refusal, type Members, type Shape } from '../schema.ts';
import { LIMITS, serviceAnswer } from '../service-answers.ts';
import { serviceBodies } from '../service-bodies.ts';
import { serviceState, serviceStatus } from '../statuses.ts';
import { find, KINDS, remove, type Kind, type Service } from '../store.ts';
import { commitOf } from '../versions.ts';

/**
 * What an update of an application or a database keeps when it is left out: the rest falls back to what it is by
 * default.
 */
const KEPT = ['name', 'git_repository', 'type', 'mode', 'version'];

/** The services of each kind: making, reading, replacing, deleting and copying them, and what is told about one. */
export function serviceRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const bodies = serviceBodies(platform);
  const created = on('answerCodes') ? 202 : 201;

  const checkName = (environment: string, name: unknown, itself?: Service) => {
    const same = store.services.find(
      (row) =>
        row !== itself &&
        row.environment_id === environment &&
        String(row.spec.name).toLowerCase() === String(name).toLowerCase(),
    );
    if (same !== undefined) throw new Failure(on('conflicts') ? 409 : 400, `The service name ${String(name)} is taken`);
  };
  /** What a body names has to be there, and what it asks for within the limits of the cluster. */
  const check = (spec: Members) => {
    const source = (spec.source ?? {}) as { image?: Members; helm_repository?: Members };
    if (spec.registry_id !== undefined) find(store.registries, spec.registry_id, 'container registry');
    if (source.image !== undefined) find(store.registries, source.image.registry_id, 'container registry');
    if (typeof source.helm_repository?.repository === 'string')
      find(store.helmRepositories, source.helm_repository.repository, 'helm repository');
    for (const [name, groups] of [
      ['labels_groups', store.labelsGroups],
      ['annotations_groups', store.annotationsGroups],
    ] as const) {
      for (const group of (spec[name] ?? []) as { id: string }[]) find(groups, group.id, name);
    }
    for (const name of ['cpu', 'memory'] as const) {
      if (Number(spec[name] ?? 0) > LIMITS[`maximum_${name}`])
        throw new Refusal(`body member ${name}: more than maximum_${name}`);
    }
    if (
      Number(spec.min_running_instances ?? 1) > Number(spec.max_running_instances ?? 1) &&
      spec.max_running_instances !== -1
    ) {
      throw new Refusal('body member min_running_instances: more than max_running_instances');
    }
  };
  const add = (kind: Kind, environment: string, spec: Members, commit?: string) => {
    checkName(find(store.environments, environment, 'environment').id, spec.name);
    check(spec);
    const service: Service = {
      id: platform.newId(),
      kind,
      environment_id: environment,
      created_at: platform.date(),
      updated_at: platform.date(),
      spec,
      ...(commit === undefined ? {} : { commit }),
    };
    store.services.push(service);
    return serviceAnswer(platform, service);
  };

  const ofKind = (kind: Kind): Route[] => {
    const base = `/${kind}/{${kind}Id}`;
    const asked = (path: Record<string, string>) =>
      find(
        store.services.filter((service) => service.kind === kind),
        path[`${kind}Id`],
        kind,
      );
    const replace = kind !== 'application' && kind !== 'database';
    const routes = [
      route(
        'POST',
        `/environment/{environmentId}/${kind}`,
        ({ path, body }) => add(kind, path.environmentId ?? '', body),
        { body: bodies[kind].create, code: 201 },
      ),
      one(base, ({ path }) => serviceAnswer(platform, asked(path))),
      route(
        'PUT',
        base,
        ({ path, body }) => {
          const service = asked(path);
          const before = replace
            ? {}
            : on('unknownMembers')
              ? Object.fromEntries(KEPT.flatMap((name) => (name in service.spec ? [[name, service.spec[name]]] : [])))
              : service.spec;
          checkName(service.environment_id, body.name ?? service.spec.name, service);
          check(body);
          service.spec = { ...before, ...body };
          service.updated_at = platform.date();
          return serviceAnswer(platform, service);
        },
        { body: bodies[kind].update },
      ),
      route(
        'DELETE',
        base,
        ({ path }) => {
          const service = asked(path);
          start(platform, { environment: service.environment_id, services: [service], action: 'DELETE' });
          return NOTHING;
        },
        {
          query: {
            skipReconcile: inQuery.flag,
            ...(kind === 'terraform'
              ? { resources_only: inQuery.flag, force_terraform_action: either('SKIP_DESTROY').optional() }
              : {}),
          },
        },
      ),
      route(
        'POST',
        `${base}/clone`,
        ({ path, body }) => {
          const service = asked(path);
          return add(
            kind,
            String(body.environment_id),
            { ...structuredClone(service.spec), name: body.name },
            service.commit,
          );
        },
        { body: { name: filled, environment_id: id }, code: created },
      ),
      one(
        `${base}/deploymentHistoryV2`,
        ({ path, query }) => historyPage(serviceHistory(platform, asked(path)), query),
        on('historiesWithoutPage') ? { pageSize: inQuery.number } : { pageSize: inQuery.number, page: inQuery.whole },
      ),
    ];
    if (kind !== 'terraform' || !on('noTerraformStatus')) {
      routes.push(
        one(`${base}/status`, ({ path }) => {
          const status = serviceStatus(platform, asked(path));
          return kind === 'application' && status.state === 'DEPLOYED' && !on('words')
            ? { ...status, state: 'RUNNING' }
            : status;
        }),
      );
    }
    if (kind === 'application' || kind === 'container' || !on('logsOfTwoKinds')) {
      routes.push(
        one(
          `${base}/log`,
          ({ path, query }) => ({ results: serviceLog(platform, asked(path), query.tail as number | undefined) }),
          on('noTail') ? {} : { tail: inQuery.whole },
        ),
      );
    }
    if (kind !== 'database') {
      routes.push(
        one(
          `${base}/advancedSettings`,
          ({ path }) =>
            store.settings.get(asked(path).id) ?? {
              'build.timeout_max_sec': 1800,
              'deployment.termination_grace_period_seconds': 60,
            },
        ),
        route(
          'PUT',
          `${base}/advancedSettings`,
          ({ path, body }) => {
            store.settings.set(asked(path).id, body);
            return body;
          },
          { body: open, code: on('answerCodes') ? 201 : 200 },
        ),
      );
    }
    if (kind !== 'database' && kind !== 'container') {
      const query: Shape =
        kind === 'helm'
          ? { of: either('chart', 'values').optional() }
          : kind === 'terraform'
            ? {}
            : { startId: inQuery.id, gitCommitId: inQuery.text };
      routes.push(
        rows(
          `${base}/commit`,
          ({ path }) => [
            commitOf(asked(path)),
            { ...commitOf(asked(path)), git_commit_id: 'ffee00112233445566778899aabbccddeeff0011' },
          ],
          query,
        ),
      );
    }
    return routes;
  };

  return [
    ...KINDS.flatMap(ofKind),
    rows('/database/{databaseId}/version', ({ path }) =>
      [find(store.services, path.databaseId, 'database').spec.version, '17'].map((name) => ({ name })),
    ),
    one('/database/{databaseId}/masterCredentials', ({ path }) => {
      const { id: database } = find(store.services, path.databaseId, 'database');
      return {
        host: `${database.slice(0, 8)}.db.example.com`,
        port: 5432,
        login: 'postgres',
        password: 'database-password',
      };
    }),
    one(
      '/database/{databaseId}/backup',
      ({ path }) =>
        historyPage(
          store.backups.filter((row) => row.database_id === path.databaseId),
          {},
        ),
      { startId: inQuery.id },
    ),
    route(
      'POST',
      '/database/{databaseId}/backup',
      ({ path, body }) => {
        const database = find(store.services, path.databaseId, 'database');
        const row = {
          id: platform.newId(),
          created_at: platform.date(),
          database_id: database.id,
          status: { id: database.id, state: serviceState(platform, database) },
          ...body,
        };
        store.backups.unshift(row);
        return row;
      },
      { body: { name: filled, message: filled }, code: 201 },
    ),
    route('DELETE', '/database/{databaseId}/backup/{backupId}', ({ path }) => {
      remove(
        store.backups,
        find(
          store.backups.filter((row) => row.database_id === path.databaseId),
          path.backupId,
          'backup',
        ).id,
        'backup',
      );
      return NOTHING;
    }),
    rows('/terraform/{terraformId}/terraformResources', ({ path }) => {
      const { updated_at: at } = find(store.services, path.terraformId, 'terraform');
      return [
        {
          resource_type: 'net_zone',
          name: 'main',
          address: 'net_zone.main',
          provider: 'net',
          mode: 'managed',
          attributes: { cidr: '10.0.0.0/16', token: 'resource-secret' },
          extracted_at: at,
        },
      ];
    }),
  ];
}
