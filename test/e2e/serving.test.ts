import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
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
  expect(row(results, 'search')['serves']).toMatch(/^2\.4\.1, 1 to 5 instances, since \d{4}-/);
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
    serves: expect.stringMatching(/^2\.4\.1, 1 to 5 instances, since \d{4}-/) as string,
  });
  expect(text).toContain('Serves: 2.4.1');
});

test('that it succeeded is said once', async () => {
  const { text } = await ask('stop_environment', { environment_id: 'shop/production', wait: true });
  expect(text).toMatch(/STOPPED\. It succeeded\. Waited/);
});
