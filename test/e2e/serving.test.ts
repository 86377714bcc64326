import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['bad-image-tag', 'database-down', 'flaky-migration-job'] });
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const ask = async (tool: string, args: Json): Promise<{ data: Json; text: string }> => {
  const result = await client.call(tool, args);
  return { data: result.structuredContent as Json, text: textOf(result) };
};

const row = (rows: unknown, name: string): Json => (rows as Json[]).find((one) => one['name'] === name)!;

test('the overview says which version serves, on how many instances, since when', async () => {
  const { results } = (await ask('get_environment_overview', { environment: 'shop/staging' })).data;
  expect(row(results, 'search')['serves']).toMatch(/^2\.4\.1, configured for 1 to 5 instances, since \d{4}-/);
  expect(row(results, 'checkout-api')['serves']).toMatch(/^[0-9a-f]{7}, 1 instance, since \d{4}-/);
  expect(row(results, 'storefront')['serves']).toBe('nothing');
});

test('a job that ended does not run, and does not serve', async () => {
  const { results } = (await ask('get_environment_overview', { environment: 'shop/staging' })).data;
  expect(row(results, 'nightly-report')).toMatchObject({
    condition: 'overdue',
    reason: expect.stringMatching(/^a run was due .*, and an alert fires: report-late /) as string,
  });
  expect(row(results, 'nightly-report')).not.toHaveProperty('serves');
  expect(row(results, 'search')['reason']).toBe('it runs');
});

test('what failed leaves the version before it, which is not the one it is configured with', async () => {
  const before = /^3\.6\.4, 1 instance, since \d{4}-/;
  const overview = await ask('get_environment_overview', { environment: 'pricing/staging' });
  expect(row(overview.data['results'], 'pricing-engine')['serves']).toMatch(before);
  const status = await ask('get_environment_status', { environment_id: 'pricing/staging' });
  expect(row(status.data['containers'], 'pricing-engine')['serves']).toMatch(before);
  const diagnosis = await ask('diagnose_deployment', { service: 'pricing/staging/pricing-engine' });
  expect(diagnosis.data['serves']).toMatch(before);
  expect(diagnosis.text).toMatch(/^Serves now: 3\.6\.4, 1 instance, since /m);
});

test('a service says what serves, what it is configured with where that differs, and how many instances run', async () => {
  const show = async (service: string) => (await ask('get_service', { service })).data;
  const search = await show('shop/staging/search');
  expect(search).toMatchObject({
    serves: expect.stringMatching(/^2\.4\.1, since \d{4}-/) as string,
    running_instances: 'not known; configured: 1 to 5',
  });
  expect(search).not.toHaveProperty('configured_version');
  expect((await show('shop/staging/checkout-api'))['serves']).toMatch(/^[0-9a-f]{7}, since \d{4}-/);
  const { data, text } = await ask('get_service', { service: 'pricing/staging/pricing-engine' });
  expect(data['serves']).toMatch(/^3\.6\.4, since \d{4}-/);
  expect(data['configured_version']).toBe((data['configuration'] as Json)['tag']);
  expect(data['configured_version']).not.toBe('3.6.4');
  expect(text).toMatch(/^serves: 3\.6\.4, since .*\nconfigured_version: /m);
  expect(await show('shop/staging/storefront')).toMatchObject({ serves: 'nothing' });
  expect(await show('shop/staging/storefront')).not.toHaveProperty('running_instances');
  expect(await show('shop/staging/nightly-report')).toMatchObject({ deployed: '3.2.0' });
  expect((await show('shop/staging/assets-bucket'))['deployed']).toMatch(/^[0-9a-f]{7}$/);
});

test('a service whose history is not there says that its version is not known', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('/deploymentHistory'))
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":404,"message":"no such page"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.token);
  const call = async (service: string) =>
    (await (await others.modern()).call('get_service', { service })).structuredContent as Json;
  expect(await call('pricing/staging/pricing-engine')).toMatchObject({ serves: 'not known' });
  expect((await call('shop/staging/search'))['serves']).toMatch(/^2\.4\.1, /);
  await others.close();
  await proxy.close();
});

test('the status of an application says what serves of it', async () => {
  const { data, text } = await ask('get_application_status', { application_id: 'shop/staging/checkout-api' });
  expect(data['serves']).toMatch(/^[0-9a-f]{7}, 1 instance, since \d{4}-/);
  expect(text).toMatch(/^serves: [0-9a-f]{7}, 1 instance/m);
  expect((await ask('get_application_status', { application_id: 'shop/staging/storefront' })).data['serves']).toBe(
    'nothing',
  );
});

test('nothing serves of what is stopped, or was never deployed well', async () => {
  expect(
    row((await ask('get_environment_overview', { environment: 'data/development' })).data['results'], 'importer'),
  ).toMatchObject({ condition: 'failed', serves: 'nothing' });
  expect(
    row((await ask('get_environment_overview', { environment: 'ledger/staging' })).data['results'], 'ledger-db')[
      'serves'
    ],
  ).toBe('nothing');
});

test('the status of an environment names its services', async () => {
  const { data, text } = await ask('get_environment_status', { environment_id: 'billing/staging' });
  expect([data['containers'], data['jobs'], data['databases']].map((rows) => (rows as Json[])[0]!['name'])).toEqual([
    'billing-api',
    'billing-migrate',
    'billing-db',
  ]);
  expect(text).toMatch(/container \| billing-api \| DEPLOYMENT_ERROR/);
});

test('one state has one word, whichever tool is asked', async () => {
  const service = 'shop/staging/checkout-api';
  const states = [
    (await ask('get_application_status', { application_id: service })).data['state'],
    ((await ask('get_service', { service })).data['status'] as Json)['state'],
    row((await ask('get_environment_status', { environment_id: 'shop/staging' })).data['applications'], 'checkout-api')[
      'state'
    ],
    (await ask('wait_for_deployment', { service })).data['state'],
  ];
  expect(new Set(states)).toEqual(new Set(['DEPLOYED']));
});

test('what was deployed is said with its version and instances', async () => {
  const { data, text } = await ask('deploy_service', { service: 'shop/staging/search', wait: true });
  expect(data, text).toMatchObject({
    outcome: 'succeeded',
    serves: expect.stringMatching(/^2\.4\.1, configured for 1 to 5 instances, since \d{4}-/) as string,
  });
  expect(text).toContain('Serves: 2.4.1');
});

test('a whole environment that was deployed says each of its services with its version', async () => {
  const { data, text } = await ask('deploy_service', { environment: 'shop/production', wait: true });
  expect(data, text).toMatchObject({ outcome: 'succeeded' });
  expect((data['deploys'] as string[]).map((line) => line.replace(/: .*/, '')).toSorted()).toEqual([
    'checkout-api',
    'orders-db',
    'search',
  ]);
  const deployed = (await ask('get_service', { service: 'shop/production/checkout-api' })).data['serves'] as string;
  expect(data['deploys']).toContainEqual(
    expect.stringMatching(new RegExp(`^checkout-api: .*commit ${deployed.slice(0, 7)}\\b`)),
  );
  expect(data['deploys']).toContainEqual(expect.stringMatching(/^search: image acme\/search:2\.4\.0, /));
  expect(text).toMatch(/^deploys: .*checkout-api: /m);
});

test('that it succeeded is said once', async () => {
  const { text } = await ask('stop_environment', { environment_id: 'shop/production', wait: true });
  expect(text).toMatch(/STOPPED\. It succeeded\. Waited/);
});
