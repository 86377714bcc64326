import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
});

beforeEach(async () => {
  await connectors?.close();
  platform = await platform.restart();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const storefront = 'shop/staging/storefront';

async function calling(tool: string, args: Json, user = userAnswering(agree)) {
  const result = await (await connectors.modern(user)).call(tool, args);
  return {
    text: textOf(result),
    isError: result.isError === true,
    failure: failureIn(result),
    answer: (result.structuredContent ?? {}) as Json,
    questions: user.questions.map(({ message }) => message),
  };
}

const domainsOf = async (service: string): Promise<Json[]> =>
  ((await calling('get_service', { service })).answer['domains'] ?? []) as Json[];

const inNetwork = (what: string) => expect.objectContaining({ kind: 'network', what }) as unknown;

test('environments are compared by whether services have domains, and by how these are served, not by their names', async () => {
  const compare = async () => {
    const { answer, text } = await calling('compare_environments', {
      first: 'shop/staging',
      second: 'shop/production',
    });
    return { text, rows: rowsOf(answer).filter(({ service }) => service === 'checkout-api') };
  };
  const { rows, text } = await compare();
  expect(rows.find(({ what }) => what === 'custom domains')).toMatchObject({ first: 'there', second: 'none' });
  expect(rows).not.toContainEqual(inNetwork('how its domains are served'));
  expect(text).toContain('Of custom domains, only whether there are any');
  const made = await calling('create_custom_domain', {
    service: 'shop/production/checkout-api',
    domain: 'pay.acme.example',
    generate_certificate: false,
  });
  expect(made.isError, made.text).toBe(false);
  const both = (await compare()).rows;
  expect(both).not.toContainEqual(inNetwork('custom domains'));
  expect(both.find(({ what }) => what === 'how its domains are served')).toMatchObject({
    first: 'generated certificate',
    second: 'own certificate',
  });
  const removed = await calling('delete_custom_domain', {
    service: 'shop/production/checkout-api',
    domain: 'pay.acme.example',
  });
  expect(removed.isError, removed.text).toBe(false);
});

test('a domain is made with the record to enter, survives a restart, and is shown with its service', async () => {
  const { answer, text, questions } = await calling('create_custom_domain', {
    service: storefront,
    domain: 'Shop.Acme.example',
  });
  const record = answer['record'] as Json;
  expect(questions).toEqual([]);
  expect(answer).toMatchObject({
    domain: 'shop.acme.example',
    entered: 'no',
    check: 'DOMAIN_NOT_CONFIGURED',
    generate_certificate: true,
  });
  expect(record).toEqual({
    type: 'CNAME',
    name: 'shop.acme.example',
    value: expect.stringMatching(/^[0-9a-f]{8}\.lb\./),
  });
  expect(text).toContain(`CNAME shop.acme.example → ${String(record['value'])}`);
  expect(text).toContain('Entered: no');
  await connectors.close();
  platform = await platform.restart();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  expect(await domainsOf(storefront)).toEqual([
    expect.objectContaining({ domain: 'shop.acme.example', record, entered: 'no' }),
  ]);
});

test('what the name servers hold is told apart: the right record, another host, nothing', async () => {
  for (const domain of ['right.live.acme.example', 'moved.old.acme.example'])
    expect((await calling('create_custom_domain', { service: 'shop/production/search', domain })).isError).toBe(false);
  expect((await domainsOf('shop/production/search')).map(({ domain, entered }) => [domain, entered])).toEqual([
    ['right.live.acme.example', 'yes'],
    ['moved.old.acme.example', 'no, it points to another host'],
  ]);
});

test.each(['apps.invalid', 'P8080-e8543bb8.Apps.invalid', '*.apps.invalid', 'a.b.apps.invalid'])(
  'a domain where a cluster gives services their addresses is refused, and nothing changes: %s',
  async (domain) => {
    const before = platform.dump();
    const { isError, text } = await calling('create_custom_domain', { service: storefront, domain });
    expect(isError).toBe(true);
    expect(text).toMatch(/(?:is|lies below) apps\.invalid, below which a cluster gives services their addresses/);
    const { status, body } = await platform.call('create_application_domain', {
      application_id: platform.seed['application_id'],
      domain,
      generate_certificate: true,
    });
    expect([status, body['message']]).toEqual([400, expect.stringMatching(/^domain: /)]);
    for (const table of ['custom_domain', 'service', 'audit_event'])
      expect(platform.dump()[table]).toEqual(before[table]);
  },
);

test('a domain that moves to another service is not said to be entered while its record leads to the one before', async () => {
  const [domain, staging, production] = [
    'checkout.live.acme.example',
    'shop/staging/checkout-api',
    'shop/production/checkout-api',
  ];
  const [former] = await domainsOf(staging);
  expect(former).toMatchObject({ domain, entered: 'yes' });
  const removed = await calling('delete_custom_domain', { service: staging, domain });
  expect(removed.questions[0]).toContain('unless the domain moves to another service');
  expect(removed.text).toMatch(
    /Take its record out at the name servers, or, if the domain moves to another service, set it to the value that is told when it is added there/,
  );
  const { answer, text } = await calling('create_custom_domain', { service: production, domain });
  const [now, before] = [answer['record'] as Json, former!['record'] as Json];
  expect(now['value']).not.toBe(before['value']);
  expect(answer).toMatchObject({ entered: 'no, it points to another host', check: 'DOMAIN_LINKED_TO_WRONG_HOST' });
  expect(text).toContain(`To enter at the name servers: CNAME ${domain} → ${String(now['value'])}`);
  expect(text).toContain(String(before['value']));
  expect(await domainsOf(production)).toEqual([
    expect.objectContaining({ domain, entered: 'no, it points to another host' }),
  ]);
  await calling('delete_custom_domain', { service: production, domain });
  expect((await calling('create_custom_domain', { service: staging, domain })).answer['entered']).toBe('yes');
});

test('a record that is there already is not said to be still to enter, and a deployment is named for where it is needed', async () => {
  const { text } = await calling('create_custom_domain', {
    service: 'shop/production/search',
    domain: 'new.live.acme.example',
  });
  expect(text).not.toContain('To enter');
  expect(text).toMatch(
    /Record at the name servers: CNAME new\.live\.acme\.example → \S+\nEntered: yes, by the platform's check \(MATCHES_LOAD_BALANCER_HOST\)\. If the domain led to another service before, see that the record holds this value\./,
  );
  expect(text).toMatch(
    /Next: deploy_service \{"service":"[^"]+"\} \(if the domain does not answer: some platforms need a deployment for it\)/,
  );
});

test('a domain is taken once on the whole platform, however it is written', async () => {
  const before = platform.dump()['custom_domain'];
  const { failure } = await calling('create_custom_domain', {
    service: storefront,
    domain: 'CHECKOUT.live.acme.example',
  });
  expect(failure).toMatchObject({ kind: 'api', why: 'conflict', status: 409 });
  expect(platform.dump()['custom_domain']).toEqual(before);
  const { status, body } = await platform.call('create_application_domain', {
    application_id: platform.seed['application_id'],
    domain: 'search.live.acme.example',
    generate_certificate: true,
  });
  expect([status, body['error']]).toEqual([409, 'Conflict']);
});

test('a service that answers no requests from outside has none', async () => {
  const { failure, text } = await calling('create_custom_domain', {
    service: 'shop/staging/orders-db',
    domain: 'db.acme.example',
  });
  expect([failure?.kind, text]).toEqual(['not_possible', expect.stringContaining('a database')]);
});

test('taking a domain away is asked about by name, and takes only that one', async () => {
  const own = { service: 'shop/staging/search', domain: 'search.live.acme.example' };
  const declined = await calling(
    'delete_custom_domain',
    own,
    userAnswering(() => ({ action: 'decline' })),
  );
  expect(declined.questions[0]).toContain('search.live.acme.example no longer leads to the service');
  expect(await domainsOf(own.service)).toHaveLength(1);
  const rest = (platform.dump()['custom_domain'] as Json[]).filter(({ domain }) => domain !== own.domain);
  expect((await calling('delete_custom_domain', own)).answer).toMatchObject({
    service: own.service,
    deleted: own.domain,
  });
  expect(platform.dump()['custom_domain']).toEqual(rest);
  const again = await calling('delete_custom_domain', own);
  expect(again.isError).toBe(true);
  expect(again.questions).toEqual([]);
});

test('a locked cluster refuses both, and a domain of another service is not found', async () => {
  const application = { application_id: platform.seed['application_id'] };
  const [domain] = rowsOf(await platform.must('list_application_domains', application));
  expect(
    (
      await platform.call('delete_container_domain', {
        container_id: platform.seed['container_id'],
        custom_domain_id: domain!['id'],
      })
    ).status,
  ).toBe(404);
  await platform.must('lock_cluster', { cluster_id: platform.seed['cluster_id'], reason: 'incident' });
  expect(
    (
      await platform.call('create_application_domain', {
        ...application,
        domain: 'late.acme.example',
        generate_certificate: true,
      })
    ).status,
  ).toBe(400);
  expect(
    (await platform.call('delete_application_domain', { ...application, custom_domain_id: domain!['id'] })).status,
  ).toBe(400);
  expect(rowsOf(await platform.must('list_application_domains', application))).toEqual([domain]);
});
