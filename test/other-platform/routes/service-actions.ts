import { start } from '../deployments.ts';
import { NOTHING, route, type Platform, type Route } from '../platform.ts';
import { either, filled, inQuery, Refusal, strict, text, type Members, type Shape } from '../schema.ts';
import { serviceStatus } from '../statuses.ts';
import { find, KINDS, type Deployment, type Kind, type Service } from '../store.ts';
import { imageOf } from '../versions.ts';
import { applyVersion } from './environment-actions.ts';

const REDEPLOY_QUERY: Partial<Record<Kind, Shape>> = {
  database: { applyImmediately: inQuery.flag },
  job: { forceEvent: either('START', 'STOP', 'DELETE', 'CRON').optional() },
  helm: { forceEvent: either('DIFF').optional() },
};

/** Which members name the version to deploy; one of those that are together is enough. */
const VERSIONS: Record<Kind, readonly string[]> = {
  application: ['git_commit_id'],
  container: ['image_tag'],
  database: [],
  job: ['image_tag', 'git_commit_id'],
  helm: ['chart_version', 'git_commit_id'],
  terraform: ['git_commit_id'],
};

/** What is done with one service: deploy, redeploy, restart, stop, take away what runs. */
export function serviceActions(platform: Platform): Route[] {
  const { store, on } = platform;
  const accepted = on('answerCodes') ? 202 : 200;

  const act = (service: Service, action: Deployment['action'], subAction?: string) => {
    const deployment = start(platform, {
      environment: service.environment_id,
      services: [service],
      action,
      ...(subAction === undefined ? {} : { subAction }),
    });
    return { deployment, status: serviceStatus(platform, service) };
  };

  function deployRoute(kind: Kind, base: string, asked: (path: Record<string, string>) => Service): Route {
    const names = VERSIONS[kind];
    const shape: Shape = Object.fromEntries(names.map((name) => [name, text.min(1).optional()]));
    if (kind === 'helm') shape.values_override_git_commit_id = text.optional();
    if (kind === 'terraform') shape.action = either('PLAN', 'FORCE_UNLOCK', 'MIGRATE_STATE').nullable().optional();
    const needed = on('versionToDeploy') && kind !== 'terraform' && kind !== 'database';
    const body = strict(shape);
    return route(
      'POST',
      `${base}/deploy`,
      ({ path, body: wanted }) => {
        if (needed && names.every((name) => wanted[name] === undefined))
          throw new Refusal(`body member ${names.join(' or ')}: is required`);
        if (needed && wanted.image_tag !== undefined && wanted.git_commit_id !== undefined)
          throw new Refusal('body member image_tag: not beside git_commit_id');
        const service = asked(path);
        applyVersion(service, wanted);
        const subAction =
          kind === 'terraform' && wanted.action === 'PLAN' && on('words') ? 'TERRAFORM_PLAN_ONLY' : undefined;
        const { deployment, status } = act(service, 'DEPLOY', subAction);
        if (on('statusOfActions')) return status;
        return {
          id: deployment.request_id,
          status: 'QUEUED',
          [`${kind}_id`]: service.id,
          created_at: platform.date(deployment.created_at),
        };
      },
      {
        code: accepted,
        query: REDEPLOY_QUERY[kind] ?? {},
        ...(kind === 'database' ? {} : { body, bodyOptional: !needed }),
      },
    );
  }

  const ofKind = (kind: Kind): Route[] => {
    const base = `/${kind}/{${kind}Id}`;
    const asked = (path: Record<string, string>) =>
      find(
        store.services.filter((service) => service.kind === kind),
        path[`${kind}Id`],
        kind,
      );
    const simple = (word: string, action: Deployment['action'], query: Shape = {}) =>
      route('POST', `${base}/${word}`, ({ path }) => act(asked(path), action).status, { code: accepted, query });
    return [
      deployRoute(kind, base, asked),
      simple('redeploy', 'DEPLOY', REDEPLOY_QUERY[kind]),
      ...(kind === 'terraform' ? [] : [simple('stop', 'STOP')]),
      ...(['application', 'container', 'database'].includes(kind) ? [simple('restart-service', 'RESTART')] : []),
      kind === 'terraform'
        ? route(
            'POST',
            `${base}/uninstall`,
            ({ path }) => {
              const { status } = act(asked(path), 'UNINSTALL');
              return on('answerCodes') ? NOTHING : status;
            },
            {
              code: on('answerCodes') ? 204 : 200,
              query: { force_terraform_action: either('SKIP_DESTROY').optional() },
            },
          )
        : simple('uninstall', 'UNINSTALL'),
    ];
  };

  const everywhere = (kind: 'container' | 'job') =>
    route(
      'POST',
      `/organization/{organizationId}/${kind}/deploy`,
      ({ body }) => {
        const wanted = store.services.filter((service) => service.kind === kind && service.spec.auto_deploy === true);
        const others = wanted.filter(
          (service) => imageOf(service)?.image_name === body.image_name && imageOf(service)?.tag !== body.tag,
        );
        const statuses = others.map((service): Members => {
          applyVersion(service, { image_tag: body.tag });
          return act(service, 'DEPLOY').status;
        });
        return statuses[0] ?? {};
      },
      { body: { image_name: filled, tag: filled }, code: accepted },
    );

  return [...KINDS.flatMap(ofKind), everywhere('container'), everywhere('job')];
}
