import { describe, expect, test } from 'vitest';
import { meetingOf, neighbourNames } from '../../../../src/platform/common/index.ts';
import { caddyConfig } from '../../../../src/platform/runtime/docker/proxy/caddy-config.ts';
import {
  type HostHolders,
  type Route,
  addressOf,
  publicRoutes,
  routesOf,
  servedRoutesOf,
} from '../../../../src/platform/runtime/docker/proxy/routes.ts';
import { createProxy } from '../../../../src/platform/runtime/docker/proxy/proxy.ts';
import { refusedDomains } from '../../../../src/platform/runtime/docker/proxy/route-phase.ts';
import { hostPorts, proxySettings } from '../../../../src/platform/runtime/docker/proxy/settings.ts';
import { refusalOf } from '../../../../src/platform/runtime/docker/workload.ts';
import { specs } from '../../engine/engine-fixture.ts';
import { startFakeEngine } from './fake-engine.ts';

const id = '11b02e97-0a99-46c7-b27c-42121622141a';
type Ports = Parameters<typeof publicRoutes>[0]['ports'];
const port = (internal: number, more: object = {}): Ports[number] => ({
  id,
  name: `p${internal}`,
  internal_port: internal,
  publicly_accessible: true,
  protocol: 'HTTP',
  is_default: false,
  ...more,
});

const nobody: HostHolders = { isTaken: () => false, isOwn: () => false };

const hosts = (
  name: string,
  environmentName: string,
  ports: Ports,
  {
    domain = 'apps.example.com',
    certificates = true,
    holders = nobody,
    domains = [] as { domain: string; hasCertificate: boolean }[],
  } = {},
): readonly Route[] =>
  publicRoutes({ id, name, ports }, { environmentName, domains }, { domain, certificates }, holders);

describe('the host names of a service', () => {
  test('have its name and that of its environment, and those of further ports their names too', () => {
    const routes = hosts('web', 'production', [
      port(9000, { name: 'Admin UI' }),
      port(8080, { is_default: true }),
      port(7000, { publicly_accessible: false }),
      port(6000, { protocol: 'GRPC' }),
    ]);
    expect(routes.map(({ host, port: number, isDefault, protocol }) => [host, number, isDefault, protocol])).toEqual([
      ['web-production.apps.example.com', 8080, true, 'http'],
      ['admin-ui-web-production.apps.example.com', 9000, false, 'http'],
      ['p6000-web-production.apps.example.com', 6000, false, 'grpc'],
    ]);
  });

  test('have a part of its id where another service has them, and keep it', () => {
    const [taken] = hosts('web', 'production', [port(80)], {
      holders: { ...nobody, isTaken: (host) => host === 'web-production.apps.example.com' },
    });
    expect(taken!.host).toBe('web-production-11b02e97.apps.example.com');
    const [kept] = hosts('web', 'production', [port(80)], {
      holders: { ...nobody, isOwn: (host) => host === taken!.host },
    });
    expect(kept!.host).toBe(taken!.host);
  });

  test.each([
    ['Café & Söhne', 'Prod #1', 'caf-s-hne-prod-1'],
    ['日本', '環境', 'service-service'],
    ['a'.repeat(100), 'b'.repeat(100), `${'a'.repeat(40)}-${'b'.repeat(13)}-11b02e97`],
  ])('are labels of DNS whatever the names are: %s', (name, environment, label) => {
    const [{ host }] = hosts(name, environment, [port(80)]) as [Route];
    expect(host).toBe(`${label}.apps.example.com`);
    expect(label).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
  });

  test('are its own domains too, with a certificate where one can be had', () => {
    const domains = [
      { domain: 'shop.example.com', hasCertificate: true },
      { domain: 'cdn.example.com', hasCertificate: false },
      { domain: '*.shop.example.com', hasCertificate: true },
      { domain: 'theirs.example.com', hasCertificate: true },
    ];
    const holders = { ...nobody, isTaken: (host: string) => host === 'theirs.example.com' };
    const secure = (domain?: string) =>
      hosts('web', 'production', [port(80)], { domains, holders, ...(domain !== undefined && { domain }) }).map(
        ({ host, isSecure }) => [host, isSecure],
      );
    expect(secure()).toEqual([
      ['web-production.apps.example.com', true],
      ['shop.example.com', true],
      ['cdn.example.com', false],
      ['*.shop.example.com', false],
    ]);
    expect(secure('localhost')).toEqual([
      ['web-production.localhost', false],
      ['shop.example.com', false],
      ['cdn.example.com', false],
      ['*.shop.example.com', false],
    ]);
    expect(hosts('web', 'production', [port(80, { publicly_accessible: false })], { domains })).toEqual([]);
  });

  test('are none of the domains that meet the domain of the cluster, whoever recorded them', () => {
    const domains = [
      'shop.example.com',
      'apps.example.com',
      'Api-Production.apps.example.com',
      '*.apps.example.com',
      '*.example.com',
    ].map((domain) => ({ domain, hasCertificate: true }));
    expect(hosts('web', 'production', [port(80)], { domains }).map(({ host }) => host)).toEqual([
      'web-production.apps.example.com',
      'shop.example.com',
    ]);
    expect(refusedDomains({ domains }, 'apps.example.com')).toHaveLength(4);
    expect(refusedDomains({ domains }, 'localhost')).toEqual([]);
    expect(refusedDomains({ domains: domains.slice(1, 2) }, 'apps.example.com')).toMatchObject([
      {
        reason: 'DOMAIN_NOT_SERVED',
        details: {
          fault: expect.stringMatching(/^"apps\.example\.com" is apps\.example\.com, below which/) as unknown,
        },
      },
    ]);
  });

  test('are read from a label, and a label that somebody wrote is none', () => {
    const routes = hosts('web', 'production', [port(80, { public_path: '/api/', public_path_rewrite: '/v1' })]);
    expect(routes[0]).toMatchObject({ path: '/api', rewrite: '/v1' });
    expect(routesOf({ Labels: { 'io.infra-mcp.routes': JSON.stringify(routes) } })).toEqual(routes);
    for (const text of ['', '{}', '[{"host": 1}]', 'nonsense'])
      expect(routesOf({ Labels: { 'io.infra-mcp.routes': text } })).toEqual([]);
    expect(addressOf(routes[0]!, proxySettings())).toBe('https://web-production.apps.example.com/api');
    expect(addressOf(routes[0]!, { httpPort: 80, httpsPort: 8443 })).toBe(
      'https://web-production.apps.example.com:8443/api',
    );
  });
});

const serve = (host: string, path?: string) =>
  ({
    host,
    upstream: 'x',
    port: 80,
    protocol: 'http',
    isSecure: false,
    isCustom: true,
    isDefault: false,
    ...(path !== undefined && { path }),
  }) as const;

test('the order of routes does not matter, longer paths come first, and names with a star last', () => {
  const routes = [
    serve('*.a.example'),
    serve('b.a.example'),
    serve('b.a.example', '/api'),
    serve('b.a.example', '/api/v2'),
  ];
  const text = caddyConfig(routes, proxySettings());
  expect(caddyConfig(routes.toReversed(), proxySettings())).toBe(text);
  const { apps } = JSON.parse(text) as {
    apps: { http: { servers: { plain: { routes: { match?: { host: string[]; path?: string[] }[] }[] } } } };
  };
  expect(apps.http.servers.plain.routes.map(({ match }) => [match?.[0]?.host[0], match?.[0]?.path?.[0]])).toEqual([
    ['b.a.example', '/api/v2'],
    ['b.a.example', '/api'],
    ['b.a.example', undefined],
    ['*.a.example', undefined],
    [undefined, undefined],
  ]);
});

describe('the address of a service', () => {
  type Handled = { match?: { host: string[]; path?: string[] }[]; handle: { handler: string }[] };
  const answered = (routes: Parameters<typeof caddyConfig>[0], stopped: readonly string[] = []) => {
    const { apps } = JSON.parse(caddyConfig(routes, proxySettings(), stopped)) as {
      apps: { http: { servers: { plain: { routes: Handled[] } } } };
    };
    return apps.http.servers.plain.routes.map(({ match, handle }) => [
      match?.[0]?.host.join(' '),
      match?.[0]?.path?.[0],
      handle[0]!.handler,
    ]);
  };
  const end = [undefined, undefined, 'static_response'];

  test('stays its own while it is stopped, also where another one has a name with a star for it', () => {
    expect(answered([serve('*.a.example')], ['c.a.example', 'b.a.example'])).toEqual([
      ['b.a.example c.a.example', undefined, 'static_response'],
      ['*.a.example', undefined, 'reverse_proxy'],
      end,
    ]);
    expect(answered([serve('*.a.example'), serve('b.a.example')], ['b.a.example', '*.b.example'])).toEqual([
      ['b.a.example', undefined, 'reverse_proxy'],
      ['*.a.example', undefined, 'reverse_proxy'],
      end,
    ]);
    expect(answered([serve('b.a.example')], ['c.a.example'])).toEqual([
      ['b.a.example', undefined, 'reverse_proxy'],
      end,
    ]);
  });

  test('is not given to a service of the same name while it is stopped, and is still its own when it is deployed again', async () => {
    const [first, second] = [
      { id, name: 'web', ports: [port(80)] },
      { id: '22b02e97-0a99-46c7-b27c-42121622141a', name: 'web', ports: [port(80)] },
    ] as const;
    const stopped = {
      ID: 'one',
      Version: { Index: 1 },
      Spec: {
        Name: `infra-${id}`,
        Labels: {
          'io.infra-mcp.platform': 'p',
          'io.infra-mcp.stopped': 'true',
          'io.infra-mcp.routes': JSON.stringify(hosts('web', 'production', [port(80)], { domain: 'localhost' })),
        },
      },
    };
    const { docker } = await startFakeEngine((response) => response.end(JSON.stringify([stopped])));
    const proxy = createProxy({
      docker,
      platformId: 'p',
      settings: proxySettings(),
      credentialsFor: () => undefined,
      now: () => 0,
    });
    const chosen = async (service: typeof first | typeof second) =>
      (
        await proxy.routesFor(
          service as unknown as Parameters<typeof proxy.routesFor>[0],
          { environmentName: 'production' },
          new AbortController().signal,
        )
      ).map(({ host }) => host);
    expect(await chosen(second)).toEqual(['web-production-22b02e97.localhost']);
    expect(await chosen(first)).toEqual(['web-production.localhost']);
  });

  test('is not that of a service whose label has it as a domain of its own, from before these were refused', async () => {
    const label = [serve('web-production.localhost'), serve('shop.example.com')];
    const holder = {
      ID: 'one',
      Version: { Index: 1 },
      Spec: {
        Name: 'infra-22b02e97-0a99-46c7-b27c-42121622141a',
        Labels: { 'io.infra-mcp.platform': 'p', 'io.infra-mcp.routes': JSON.stringify(label) },
      },
    };
    expect(routesOf(holder.Spec).map(({ host }) => host)).toEqual(label.map(({ host }) => host));
    expect(servedRoutesOf(holder.Spec, proxySettings()).map(({ host }) => host)).toEqual(['shop.example.com']);
    const { docker } = await startFakeEngine((response) => response.end(JSON.stringify([holder])));
    const proxy = createProxy({
      docker,
      platformId: 'p',
      settings: proxySettings(),
      credentialsFor: () => undefined,
      now: () => 0,
    });
    const routes = await proxy.routesFor(
      { id, name: 'web', ports: [port(80)] } as unknown as Parameters<typeof proxy.routesFor>[0],
      { environmentName: 'production' },
      new AbortController().signal,
    );
    expect(routes.map(({ host }) => host)).toEqual(['web-production.localhost']);
  });

  test('is its own for every path, though only one leads to it', () => {
    expect(answered([serve('*.a.example'), serve('b.a.example', '/api')])).toEqual([
      ['b.a.example', '/api', 'reverse_proxy'],
      ['b.a.example', undefined, 'static_response'],
      ['*.a.example', undefined, 'reverse_proxy'],
      end,
    ]);
  });

  test.each([
    ['apps.example.com', 'same'],
    ['web.apps.example.com', 'below'],
    ['*.apps.example.com', 'below'],
    ['*.x.apps.example.com', 'below'],
    ['*.example.com', 'star'],
    ['example.com', undefined],
    ['shop.example.com', undefined],
    ['myapps.example.com', undefined],
    ['*.com', undefined],
    ['*.shop.example.com', undefined],
  ])('is given below the domain of a cluster, which %s meets: %s', (domain, meeting) => {
    expect(meetingOf(domain, 'apps.example.com')).toBe(meeting);
  });
});

test('below localhost only this machine is served, without certificates', () => {
  expect(proxySettings()).toMatchObject({ domain: 'localhost', bind: '127.0.0.1' });
  expect(hostPorts(proxySettings())).toEqual({ http: 80 });
  expect(proxySettings({ domain: 'Apps.Example.com' })).toMatchObject({ domain: 'apps.example.com', bind: '0.0.0.0' });
  expect(hostPorts(proxySettings({ domain: 'apps.example.com' }))).toEqual({ http: 80, https: 443 });
  expect(hostPorts(proxySettings({ domain: 'apps.example.com', certificates: false }))).toEqual({ http: 80 });
  expect(
    hosts('web', 'live', [port(80)], {
      certificates: false,
      domains: [{ domain: 'shop.example.com', hasCertificate: true }],
    }).map(({ isSecure }) => isSecure),
  ).toEqual([false, false]);
});

const refusal = (protocol: string, publicly_accessible: boolean) =>
  refusalOf({
    kind: 'container',
    spec: {
      ...specs['container'],
      autoscaling: undefined,
      min_running_instances: 1,
      max_running_instances: 1,
      gpu: 0,
      storage: [],
      healthchecks: {},
      ports: [port(53, { protocol, publicly_accessible })],
    },
  } as unknown as Parameters<typeof refusalOf>[0]);

test('ports that the proxy does not speak are refused, if they are to be public', () => {
  expect(refusal('UDP', true)).toContain('HTTP or GRPC');
  expect(refusal('TCP', true)).toContain('HTTP or GRPC');
  for (const [protocol, isPublic] of [
    ['UDP', false],
    ['HTTP', true],
    ['GRPC', true],
  ] as const)
    expect(refusal(protocol, isPublic)).toBeUndefined();
});

test('a path that somebody has chosen is nothing but a path to the proxy, which would read files of its own for the name in braces', () => {
  const named = {
    host: 'a.localhost',
    port: 80,
    protocol: 'http' as const,
    isSecure: false,
    isCustom: false,
    isDefault: true,
    upstream: 'infra-x',
    path: '/{http.request.uri.query}',
    rewrite: '/{file./data/caddy/key}\\',
  };
  const text = caddyConfig([named], proxySettings());
  expect([...text.matchAll(/\{[a-z][\w./]*\}/g)].map(([each]) => each)).toEqual(['{http.request.uri}']);
  expect(text).toContain('"uri":"/%7Bfile./data/caddy/key%7D%5C{http.request.uri}"');
});

const names = (name: string): readonly string[] => neighbourNames({ id, name });

test('no service has a name for its neighbours that another service has on the engine', () => {
  const other = '0c0ffee0-0a99-46c7-b27c-42121622141a';
  for (const name of [`infra-${other}`, `INFRA-${other}`, `infra-restore-${other}`, `infra-registry-${other}`])
    expect(names(name).filter((each) => each.toLowerCase() === name.toLowerCase())).toEqual([]);
  expect(names('infra-web')[0]).toBe('infra-web');
});
