import { cancel, isOver, phaseOf, start } from '../deployments.ts';
import { stagesOf } from '../histories.ts';
import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { asText, either, Failure, flag, id, inQuery, list, strict, text, type Members, type Shape } from '../schema.ts';
import { serviceType } from '../service-answers.ts';
import { environmentStatus, serviceStatus, statusDetails } from '../statuses.ts';
import { find, KINDS, type Deployment, type Environment, type Service } from '../store.ts';

const SIX_LISTS: Shape = Object.fromEntries(KINDS.map((kind) => [`${kind}_ids`, list(id).optional()]));

/** What is done with a whole environment or with several of its services at once, and what it is busy with. */
export function environmentActions(platform: Platform): Route[] {
  const { store, on } = platform;
  const accepted = on('answerCodes') ? 202 : 200;
  const asked = (path: Record<string, string>) => find(store.environments, path.environmentId, 'environment');
  const servicesOf = (environment: Environment) =>
    store.services.filter(
      (service) => service.environment_id === environment.id && service.kind !== 'synced' && service.kind !== 'agentic',
    );
  const chosen = (environment: Environment, body: Members): Service[] =>
    KINDS.flatMap((kind) =>
      ((body[`${kind}_ids`] ?? []) as string[]).map((wanted) =>
        find(
          servicesOf(environment).filter((service) => service.kind === kind),
          wanted,
          kind,
        ),
      ),
    );
  const orEmpty = (answer: () => unknown) => (on('answerCodes') ? NOTHING : answer());
  const deploymentsIn = (environment: string) =>
    store.deployments.filter(
      (deployment) => deployment.environment_id === environment && !isOver(phaseOf(deployment, platform.now())),
    );

  const act = (path: Record<string, string>, action: Deployment['action'], services?: Service[]) => {
    const environment = asked(path);
    if (services?.length === 0) throw new Failure(400, 'No service is named');
    start(platform, { environment: environment.id, services: services ?? servicesOf(environment), action });
    return environmentStatus(platform, environment);
  };
  const whole = (word: string, action: Deployment['action']) =>
    route('POST', `/environment/{environmentId}/${word}`, ({ path }) => act(path, action), { code: accepted });
  const several = (word: string, action: Deployment['action'], query: Shape = {}) =>
    route(
      'POST',
      `/environment/{environmentId}/service/${word}`,
      ({ path, body }) => {
        const answer = act(path, action, chosen(asked(path), body));
        return orEmpty(() => answer);
      },
      { body: SIX_LISTS, query },
    );

  const version: Shape = { image_tag: text.optional(), git_commit_id: text.optional() };
  const chart: Shape = {
    chart_version: text.optional(),
    git_commit_id: text.optional(),
    values_override_git_commit_id: text.optional(),
  };

  return [
    route(
      'POST',
      '/environment/{environmentId}/deploy',
      ({ path }) => {
        const answer = act(path, 'DEPLOY');
        if (!on('environmentDeployStatus')) return answer;
        return {
          id: answer.id,
          state: answer.state,
          service_deployment_status: 'OUT_OF_DATE',
          is_part_last_deployment: true,
          deployment_request_id: answer.deployment_request_id,
          deployment_requests_count: 1,
          status_details: statusDetails(platform, deploymentsIn(String(answer.id)).at(-1)),
        };
      },
      { code: accepted },
    ),
    whole('redeploy', 'DEPLOY'),
    whole('stop', 'STOP'),
    whole('restart', 'RESTART'),
    whole('uninstall', 'UNINSTALL'),
    route(
      'POST',
      '/environment/{environmentId}/cancelDeployment',
      ({ path }) => {
        const environment = asked(path);
        const running = deploymentsIn(environment.id);
        if (running.length === 0) throw new Failure(on('conflicts') ? 409 : 400, 'There is nothing to cancel');
        for (const deployment of running) cancel(platform, deployment);
        return environmentStatus(platform, environment);
      },
      { code: accepted, ...(on('cancelBody') ? { body: { force_cancel: flag.optional() } } : {}) },
    ),
    ...(on('oneAtATime') ? [] : [several('stop', 'STOP')]),
    several('delete', 'DELETE', { skipReconcile: inQuery.flag }),
    several('uninstall', 'UNINSTALL'),
    route(
      'POST',
      '/environment/{environmentId}/service/restart-service',
      ({ path, body }) => {
        const services = chosen(asked(path), body);
        act(path, 'RESTART', services);
        const all = services.map((service) => serviceStatus(platform, service));
        return on('statusOfActions') ? all[0] : { ...all[0], results: all };
      },
      {
        body: {
          application_ids: list(id).optional(),
          container_ids: list(id).optional(),
          database_ids: list(id).optional(),
        },
        code: accepted,
      },
    ),
    ...(on('oneAtATime')
      ? []
      : [
          route(
            'POST',
            '/environment/{environmentId}/service/deploy',
            ({ path, body }) => {
              const environment = asked(path);
              const services = KINDS.flatMap((kind) =>
                ((body[`${kind}s`] ?? []) as (Members | string)[]).map((row) => {
                  const wanted = typeof row === 'string' ? row : (row.id ?? row.application_id);
                  const service = find(servicesOf(environment), wanted, kind);
                  if (typeof row !== 'string') applyVersion(service, row);
                  return service;
                }),
              );
              return act(path, 'DEPLOY', services);
            },
            {
              body: {
                applications: list(strict({ application_id: id, git_commit_id: text.optional() })).optional(),
                containers: list(strict({ id, image_tag: text.optional() })).optional(),
                jobs: list(strict({ id, ...version })).optional(),
                helms: list(strict({ id, ...chart })).optional(),
                terraforms: list(
                  strict({
                    id,
                    git_commit_id: text.optional(),
                    action: either('PLAN', 'FORCE_UNLOCK', 'MIGRATE_STATE').optional(),
                  }),
                ).optional(),
                databases: list(id).optional(),
              },
              code: accepted,
            },
          ),
        ]),
    one(
      '/environment/deploymentStatus',
      ({ query }) => {
        const deployment = store.deployments.find((row) => row.request_id === query.deploymentRequestId);
        if (deployment === undefined) throw new Failure(404, 'There is no such deployment request');
        const status = environmentStatus(platform, find(store.environments, deployment.environment_id, 'environment'));
        const phase = phaseOf(deployment, platform.now());
        const word = {
          queued: 'QUEUED',
          running: 'ONGOING',
          canceling: 'ONGOING',
          canceled: 'CANCELED',
          succeeded: 'DONE',
          failed: 'ERROR',
        }[phase];
        return { deployment_request_id: deployment.request_id, environment_id: status.id, status: word };
      },
      { deploymentRequestId: id },
    ),
    rows('/environment/{environmentId}/deploymentQueue', ({ path }) =>
      deploymentsIn(asked(path).id)
        .filter((deployment) => phaseOf(deployment, platform.now()) === 'queued')
        .map((deployment) => ({
          identifier: { deployment_request_id: deployment.request_id, environment_id: deployment.environment_id },
          auditing_data: {
            created_at: platform.date(deployment.created_at),
            updated_at: platform.date(deployment.created_at),
            triggered_by: deployment.triggered_by,
            origin: deployment.origin,
          },
          trigger_action: deployment.action,
          stages: stagesOf(platform, deployment),
        })),
    ),
    rows('/service/{serviceId}/deploymentQueue', ({ path }) => {
      const service = find(store.services, path.serviceId, 'service');
      return deploymentsIn(service.environment_id)
        .filter((deployment) => deployment.services.some((part) => part.service.id === service.id))
        .map((deployment) => ({
          identifier: {
            deployment_request_id: deployment.request_id,
            service_id: service.id,
            service_type: serviceType(platform, service),
            name: service.spec.name,
          },
          auditing_data: {
            created_at: platform.date(deployment.created_at),
            triggered_by: deployment.triggered_by,
            origin: deployment.origin,
          },
          status_details: statusDetails(platform, deployment, service),
        }));
    }),
    route(
      'POST',
      '/deploymentQueue/{deploymentRequestId}/cancelDeployment',
      ({ path }) => {
        const deployment = store.deployments.find((row) => row.request_id === path.deploymentRequestId);
        if (deployment === undefined) throw new Failure(404, 'There is no such deployment request');
        cancel(platform, deployment);
        return NOTHING;
      },
      { code: accepted },
    ),
  ];
}

/** Makes a service run the version a deployment names. */
export function applyVersion(service: Service, wanted: Members): void {
  const { spec } = service;
  const source = (spec.source ?? {}) as { image?: Members; helm_repository?: Members };
  if (wanted.git_commit_id !== undefined) service.commit = asText(wanted.git_commit_id);
  if (wanted.image_tag !== undefined && service.kind === 'container') spec.tag = wanted.image_tag;
  if (wanted.image_tag !== undefined && source.image !== undefined) source.image.tag = wanted.image_tag;
  if (wanted.chart_version !== undefined && source.helm_repository !== undefined)
    source.helm_repository.chart_version = wanted.chart_version;
}
