import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { textOf, agree, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
  await platform.close();
});

async function call(name: string, args: Record<string, unknown>, options: RecordingProxyOptions = {}) {
  const proxy = await startRecordingProxy(platform.url, options);
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(proxy, connectors);
  const result = await (await connectors.modern(userAnswering(agree))).call(name, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return {
    answer: result.structuredContent as Record<string, unknown>,
    text: textOf(result),
    requests: proxy.requests,
  };
}

const lacking = (form: RegExp): RecordingProxyOptions => ({
  beforeRequest: async (_, request, response) => {
    if (form.test(request.url!)) response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
  },
});

const own = 'https://search.live.acme.example';

const linkOf = async (): Promise<string> =>
  (
    (await platform.must('get_container_links', { container_id: platform.seed['container_id'] }))['results'] as {
      url: string;
    }[]
  )[0]!.url;

test('a service is shown with its public addresses, and one without them says so', async () => {
  const url = await linkOf();
  expect(url).toMatch(/^https:\/\/p9200-[0-9a-f]{8}\.apps\.invalid$/);
  expect((await call('get_service', { service: 'shop/staging/search' })).answer['public_addresses']).toEqual([
    url,
    own,
  ]);
  const hidden = {
    name: 'worker',
    image_name: 'library/worker',
    tag: '2.0',
    registry_id: platform.seed['registry_id'],
    healthchecks: {},
    ports: [{ internal_port: 80, publicly_accessible: false }],
  };
  const changed = await startTestPlatform();
  opened.push(changed);
  await changed.must('update_container', { ...hidden, container_id: changed.seed['container_id'] });
  expect(
    (await changed.must('list_links_of_environment', { environment_id: changed.seed['environment_id'] }))['results'],
  ).not.toContainEqual(expect.objectContaining({ service_id: changed.seed['container_id'] }));
  const connectors = connectorsTo(changed.url, changed.token);
  opened.push(connectors);
  expect(
    (
      (await (await connectors.modern()).call('get_service', { service: 'shop/staging/worker' }))
        .structuredContent as Record<string, unknown>
    )['public_addresses'],
  ).toBe('none');
});

test('where a platform lists only those of an environment, they are taken from there; where it lists none, that is said', async () => {
  expect(
    (await call('get_service', { service: 'shop/staging/search' }, lacking(/\/container\/[^/]+\/link/))).answer[
      'public_addresses'
    ],
  ).toEqual([await linkOf(), own]);
  const none = await call('get_service', { service: 'shop/staging/checkout-api' }, lacking(/\/link|\/customDomain/));
  expect(none.answer).not.toHaveProperty('public_addresses');
  expect(none.text).toContain('Not read: list_links_of_environment, because this platform does not offer it.');
});

test('an overview of an environment and the end of a deployment tell them', async () => {
  const url = await linkOf();
  const { answer } = await call('get_environment_overview', { environment: 'shop/staging' });
  expect((answer['results'] as Record<string, unknown>[]).find(({ name }) => name === 'search')).toMatchObject({
    url,
    domains: own,
  });
  const deployed = await call('deploy_service', { service: 'shop/staging/search', wait: true });
  expect(deployed.answer).toMatchObject({ outcome: 'succeeded', public_addresses: [url, own] });
  expect(deployed.text).toContain(`Public addresses: ${url}, ${own}`);
});

test('the domains of what is deployed are told, however many other services of its environment are reached', async () => {
  const ids = Array.from({ length: 9 }, (_, index) => `5e9d0c1a-0000-4000-8000-00000000000${index}`);
  const many: RecordingProxyOptions = {
    alter: (_, path, body) => {
      if (!/^\/environment\/[^/]+\/link/.test(path)) return body;
      const { results } = body as { results: object[] };
      return {
        results: [...ids.map((service_id) => ({ ...results[0], service_id, service_type: 'CONTAINER' })), ...results],
      };
    },
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('/5e9d0c1a-'))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
    },
  };
  const { answer, text, requests } = await call(
    'deploy_service',
    { services: [{ service: 'shop/staging/search' }, { service: 'shop/staging/storefront' }], wait: true },
    many,
  );
  expect(answer['public_addresses']).toContain(own);
  expect(text).not.toContain('to spare requests');
  expect(requests.filter((line) => line.includes('/5e9d0c1a-'))).toEqual([]);
});

test('a domain that is not right at the name servers is told with that, and one of which nobody could look says so', async () => {
  const service = 'shop/production/search';
  for (const domain of ['find.acme.example', 'find.old.acme.example'])
    await call('create_custom_domain', { service, domain });
  const wrong = [
    'https://find.acme.example (not yet verified at the name server)',
    'https://find.old.acme.example (not yet verified at the name server: it points to another host)',
  ];
  expect((await call('get_service', { service })).answer['public_addresses']).toEqual(expect.arrayContaining(wrong));
  const { answer, text } = await call('get_environment_overview', { environment: 'shop/production' });
  expect((answer['results'] as Record<string, unknown>[]).find(({ name }) => name === 'search')!['domains']).toBe(
    wrong.join(', '),
  );
  expect(text).toContain(wrong[0]);
  expect(
    (await call('deploy_service', { environment: 'shop/production', wait: true })).answer['public_addresses'],
  ).toEqual(expect.arrayContaining(wrong));
  expect((await call('get_service', { service }, lacking(/checkCustomDomain/))).answer['public_addresses']).toContain(
    'https://find.acme.example (not known whether the name servers point here)',
  );
  const unread = await call('get_environment_overview', { environment: 'shop/production' }, lacking(/\/customDomain/));
  expect(unread.text).toContain('Not read: list_container_domains');
});

test('what was never deployed, or is not part of a deployment, is not among the addresses at its end', async () => {
  const hosts = async (service: string): Promise<readonly string[]> =>
    [(await call('get_service', { service })).answer['public_addresses']].flat() as string[];
  const registry = platform.seed['registry_id'];
  await call('create_container', {
    environment: 'shop/staging',
    name: 'never',
    image_name: 'library/worker',
    tag: '2.0',
    registry,
    ports: [{ name: 'web', internal_port: 80, external_port: 443, publicly_accessible: true, protocol: 'HTTP' }],
  });
  const [never] = await hosts('shop/staging/never');
  const [one, other] = [await hosts('shop/staging/search'), await hosts('shop/staging/checkout-api')];
  expect(never).toMatch(/^https:/);
  for (const wait of [true, false])
    expect(
      (await call('deploy_service', { services: [{ service: 'shop/staging/search' }], wait })).answer[
        'public_addresses'
      ],
    ).toEqual(one);
  const waited = (await call('wait_for_deployment', { environment: 'shop/staging' })).answer['public_addresses'];
  expect(waited).toEqual(expect.arrayContaining([...one, ...other]));
  expect(waited).not.toContain(never);
});
