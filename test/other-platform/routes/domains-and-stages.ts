import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { either, Failure, filled, flag, text, type Members, type Shape } from '../schema.ts';
import { serviceType } from '../service-answers.ts';
import { find, remove, type Environment, type Row, type Service } from '../store.ts';

/** Where services are reached, and the order in which they are deployed. */
export function domainAndStageRoutes(platform: Platform): Route[] {
  return [...domainRoutes(platform), ...stageRoutes(platform)];
}

const shown = (row: Members): Members => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'owner'));

function domainRoutes(platform: Platform): Route[] {
  const { store, on, words } = platform;
  const link = (service: Service): Members[] =>
    ((service.spec.ports ?? []) as Members[])
      .filter((port) => port.publicly_accessible === true)
      .map((port) => ({
        service_id: service.id,
        service_type: service.kind.toUpperCase(),
        url: `https://p${String(port.internal_port)}-${service.id.slice(0, 8)}.apps.example.com`,
        internal_port: port.internal_port,
        external_port: port.external_port ?? 443,
        is_default: port.is_default ?? false,
        [words.domainFlag]: true,
      }));
  const body: Shape = {
    domain: text.regex(/^[\w*.-]+\.[a-z]+$/i, 'a domain'),
    generate_certificate: flag,
    use_cdn: flag.optional(),
  };

  const ofKind = (kind: 'application' | 'container' | 'helm'): Route[] => {
    const base = `/${kind}/{${kind}Id}`;
    const asked = (path: Record<string, string>) =>
      find(
        store.services.filter((service) => service.kind === kind),
        path[`${kind}Id`],
        kind,
      );
    const domainsOf = (path: Record<string, string>) => store.domains.filter((row) => row.owner === asked(path).id);
    const known = (path: Record<string, string>) => find(domainsOf(path), path.customDomainId, 'domain');
    return [
      rows(`${base}/link`, ({ path }) => link(asked(path))),
      rows(`${base}/customDomain`, ({ path }) => domainsOf(path).map(shown)),
      route(
        'POST',
        `${base}/customDomain`,
        ({ path, body: wanted }) => {
          if (store.domains.some((row) => row.domain === wanted.domain))
            throw new Failure(on('conflicts') ? 409 : 400, `The domain ${String(wanted.domain)} is taken`);
          const row: Row = {
            id: platform.newId(),
            owner: asked(path).id,
            use_cdn: false,
            ...wanted,
            validation_domain: `${asked(path).id.slice(0, 8)}.lb.example.com`,
            status: 'VALIDATION_PENDING',
          };
          store.domains.push(row);
          return shown(row);
        },
        { body, code: 201 },
      ),
      one(
        kind === 'helm' ? `${base}/customDomain/{customDomainId}` : `${base}/customDomain/{customDomainId}/status`,
        ({ path }) => shown(known(path)),
      ),
      route(
        'PUT',
        `${base}/customDomain/{customDomainId}`,
        ({ path, body: wanted }) => shown(Object.assign(known(path), { use_cdn: false }, wanted)),
        { body },
      ),
      route('DELETE', `${base}/customDomain/{customDomainId}`, ({ path }) => {
        remove(store.domains, known(path).id, 'domain');
        return NOTHING;
      }),
      rows(`${base}/checkCustomDomain`, ({ path }) =>
        domainsOf(path).map((row) => ({
          domain_name: row.domain,
          status: 'MATCHES_LOAD_BALANCER_HOST',
          error_details: null,
        })),
      ),
    ];
  };

  const restrictions = (kind: 'application' | 'job' | 'helm' | 'terraform'): Route[] => {
    const base = `/${kind}/{${kind}Id}/deploymentRestriction`;
    const of = (path: Record<string, string>) =>
      store.restrictions.filter((row) => row.owner === find(store.services, path[`${kind}Id`], kind).id);
    const rule: Shape = {
      mode: either('MATCH', 'EXCLUDE'),
      type: either('PATH'),
      value: text.regex(/^[^/]/, 'without a leading /'),
    };
    return [
      rows(base, ({ path }) => of(path).map(shown)),
      route(
        'POST',
        base,
        ({ path, body: wanted }) => {
          const row: Row = { id: platform.newId(), owner: path[`${kind}Id`], ...wanted };
          store.restrictions.push(row);
          return shown(row);
        },
        { body: rule, code: 201 },
      ),
      route(
        'PUT',
        `${base}/{deploymentRestrictionId}`,
        ({ path, body: wanted }) =>
          shown(Object.assign(find(of(path), path.deploymentRestrictionId, 'restriction'), wanted)),
        { body: rule },
      ),
      route('DELETE', `${base}/{deploymentRestrictionId}`, ({ path }) => {
        remove(store.restrictions, find(of(path), path.deploymentRestrictionId, 'restriction').id, 'restriction');
        return NOTHING;
      }),
    ];
  };

  return [
    ...(['application', 'container', 'helm'] as const).flatMap(ofKind),
    ...(['application', 'job', 'helm', 'terraform'] as const).flatMap(restrictions),
    rows('/environment/{environmentId}/link', ({ path }) =>
      store.services.filter((service) => service.environment_id === path.environmentId).flatMap(link),
    ),
  ];
}

function stageRoutes(platform: Platform): Route[] {
  const { store, on } = platform;
  const asked = (path: Record<string, string>): Environment =>
    find(store.environments, path.environmentId, 'environment');
  const known = (path: Record<string, string>) => find(store.stages, path.deploymentStageId, 'stage');
  const show = (stage: Row): Members => ({
    id: stage.id,
    created_at: stage.created_at,
    environment: { id: stage.environment_id },
    name: stage.name,
    description: stage.description,
    deployment_order: stage.deployment_order,
    services: (stage.services as string[])
      .flatMap((id) => store.services.filter((service) => service.id === id))
      .map((service) => ({
        service_id: service.id,
        service_type: serviceType(platform, service),
        is_skipped: (stage.skipped as string[]).includes(service.id),
      })),
  });
  const all = (environment: unknown) =>
    store.stages
      .filter((stage) => stage.environment_id === environment)
      .toSorted((a, b) => Number(a.deployment_order) - Number(b.deployment_order))
      .map(show);
  const body: Shape = { name: filled, description: text.nullable().optional() };
  const move =
    (shift: number) =>
    ({ path }: { path: Record<string, string> }) => {
      const stage = known(path);
      stage.deployment_order = Number(find(store.stages, path.stageId, 'stage').deployment_order) + shift;
      return { results: all(stage.environment_id) };
    };
  return [
    rows('/environment/{environmentId}/deploymentStage', ({ path }) => all(asked(path).id)),
    route(
      'POST',
      '/environment/{environmentId}/deploymentStage',
      ({ path, body: wanted }) => {
        const row: Row = {
          id: platform.newId(),
          created_at: platform.date(),
          environment_id: asked(path).id,
          description: '',
          deployment_order: store.stages.length + 1,
          services: [],
          skipped: [],
          ...wanted,
        };
        store.stages.push(row);
        return show(row);
      },
      { body, code: on('answerCodes') ? 200 : 201 },
    ),
    one('/deploymentStage/{deploymentStageId}', ({ path }) => show(known(path))),
    route(
      'PUT',
      '/deploymentStage/{deploymentStageId}',
      ({ path, body: wanted }) => show(Object.assign(known(path), { description: '' }, wanted)),
      { body },
    ),
    route('DELETE', '/deploymentStage/{deploymentStageId}', ({ path }) => {
      remove(store.stages, known(path).id, 'stage');
      return NOTHING;
    }),
    route(
      'PUT',
      '/deploymentStage/{deploymentStageId}/service/{serviceId}',
      ({ path, body: wanted }) => {
        const stage = known(path);
        for (const other of store.stages) {
          other.services = (other.services as string[]).filter((id) => id !== path.serviceId);
          other.skipped = (other.skipped as string[]).filter((id) => id !== path.serviceId);
        }
        (stage.services as unknown[]).push(find(store.services, path.serviceId, 'service').id);
        if (wanted.is_skipped === true) (stage.skipped as unknown[]).push(path.serviceId);
        return { results: all(stage.environment_id) };
      },
      { body: { is_skipped: flag.optional() }, bodyOptional: true },
    ),
    route('PUT', '/deploymentStage/{deploymentStageId}/moveBefore/{stageId}', move(-0.5)),
    route('PUT', '/deploymentStage/{deploymentStageId}/moveAfter/{stageId}', move(0.5)),
    one('/service/{serviceId}/deploymentStage', ({ path }) =>
      show(
        find(
          store.stages,
          store.stages.find((stage) => (stage.services as unknown[]).includes(path.serviceId))?.id,
          'stage',
        ),
      ),
    ),
  ];
}
