import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationName } from '../../../src/contract/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, unknownId } from '../../support/test-platform.ts';
import {
  controlled,
  type ControlledPlatform,
  startControlledPlatform,
} from '../testing/control/controlled-platform.ts';

// The platform starts on a Sunday at noon, UTC.
let platform: ControlledPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startControlledPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const succeeded = succeeding((tool, args) => client.call(tool, args));
const advance = (to: string) => platform.mustControl('POST', '/time/advance', { to });
const organization = () => ({ organization_id: platform.organizationId });
const newestEvent = (): Promise<Json> => newestEventOf(platform);

const production = seedId('environment/shop/production');
const staging = seedId('environment/shop/staging');
const deploy = (environment_id: string) => platform.call('deploy_environment', { environment_id });

test('nobody deploys to production on Friday after four, until somebody agrees to the end of that', async () => {
  const created = await succeeded('create_deployment_window', {
    project_id: 'shop',
    name: 'friday evening',
    begins: 'FRIDAY 16:00',
    ends: 'SATURDAY 00:00',
    time_zone: 'Europe/Paris',
    reason: 'Nobody is there to mend it.',
    production_only: true,
  });
  expect(created).toMatchObject({ in_force: false, target_type: 'PROJECT', target_name: 'shop' });
  expect(user.questions.at(-1)!.message).toContain('whoever asks');
  expect(user.questions.at(-1)!.message).toMatch(
    /(?:Next from|In force since) FRIDAY \S+ 16:00 Europe\/Paris .* to SATURDAY \S+ 00:00 Europe\/Paris .*, and the same each week\./,
  );
  expect(await newestEvent()).toMatchObject({ event_type: 'CREATE', sub_target_type: 'DEPLOYMENT_WINDOW' });

  await advance('2026-03-06T14:59:59Z');
  expect((await deploy(production)).status).toBe(200);
  await advance('2026-03-06T15:00:00Z');
  const refused = await deploy(production);
  expect(refused.status).toBe(400);
  expect(refused.body['message']).toMatch(
    /before 2026-03-06T23:00:00.000Z: the deployment window "friday evening" of .* is in force \("Nobody is there/,
  );
  expect((await deploy(staging)).status).toBe(200);

  await connectors.close();
  platform = controlled(await platform.restart());
  await connect();
  const windowed: [OperationName, Json][] = [
    ['restart_services', { container_ids: [seedId('service/shop/production/search')] }],
    ['stop_environment', {}],
    ['delete_environment', {}],
  ];
  for (const [name, more] of windowed) {
    const { status, body } = await platform.call(name, { environment_id: production, ...more });
    expect([name, status, body['message']]).toEqual([name, 400, expect.stringContaining('deployment window')]);
  }
  const configured = await platform.call('create_environment_variable', {
    application_id: seedId('service/shop/production/checkout-api'),
    key: 'LATER',
    value: 'yes',
  });
  expect(configured.status).toBe(201);

  expect(await platform.must('get_environment', { environment_id: production })).toMatchObject({
    refused_until: '2026-03-06T23:00:00.000Z',
    refused_by: 'friday evening',
    refused_because: 'Nobody is there to mend it.',
  });
  for (const [tool, args] of [
    ['get_environment_overview', { environment: 'shop/production' }],
    ['get_environment_status', { environment_id: 'shop/production' }],
  ] as const)
    expect(textOf(await client.call(tool, args))).toMatch(
      /Deployments are refused until 2026-03-06T23:00:00.000Z .*by the deployment window friday evening of the platform/,
    );
  expect(textOf(await client.call('get_organization_overview', {}))).toContain(
    'locked: the deployment window friday evening refuses deployments until 2026-03',
  );

  user.questions.splice(0);
  const stopped = await client.call('stop_environment', { environment_id: 'shop/production' });
  expect(user.questions).toEqual([]);
  expect(failureIn(stopped)?.kind).toBe('not_possible');
  expect(textOf(stopped)).toMatch(/deployment window is in force, and the platform refuses.*delete_deployment_window/s);

  await succeeded('delete_deployment_window', { deployment_window: 'friday evening' });
  expect(user.questions.at(-1)!.message).toContain('Deployments are accepted there from now on');
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'DEPLOYMENT_WINDOW' });
  expect((await deploy(production)).status).toBe(200);
});

test('a window is about a cluster or an environment too, once, and goes with its environment', async () => {
  const place = { ...organization(), begins: '2026-04-01 10:00', ends: '2026-04-01 12:00', time_zone: 'UTC' };
  const cluster = String(platform.seed['cluster_id']);
  for (const target of [
    { name: 'of a cluster', target_type: 'CLUSTER', target_id: cluster },
    { name: 'of staging', target_type: 'ENVIRONMENT', target_id: staging, ends: '2026-04-01 13:00' },
  ])
    await platform.must('create_deployment_window', { ...place, ...target });
  await advance('2026-04-01T11:00:00Z');
  expect((await platform.must('get_environment', { environment_id: staging }))['refused_by']).toBe('of staging');
  expect((await platform.call('upgrade_cluster', { cluster_id: cluster })).body['message']).toContain('of a cluster');
  await advance('2026-04-01T12:30:00Z');
  const of = async (id: string) => (await platform.must('get_environment', { environment_id: id }))['refused_by'];
  expect([await of(production), await of(staging)]).toEqual([undefined, 'of staging']);
  await advance('2026-04-01T13:00:00Z');
  await platform.must('delete_environment', { environment_id: staging });
  await platform.mustControl('GET', '/time');
  const names = rowsOf(await platform.must('list_deployment_windows', organization())).map(({ name }) => name);
  expect(names).toEqual(['year-end-freeze', 'of a cluster']);
});

const request = (): Json => ({
  ...organization(),
  name: 'x',
  target_type: 'ENVIRONMENT',
  target_id: production,
  begins: 'FRIDAY 16:00',
  ends: 'MONDAY 08:00',
  time_zone: 'UTC',
});

test.each([
  ['begins', { begins: 'FRIDAY' }],
  ['ends', { ends: 'FRIDAY 16:00' }],
  ['ends', { ends: '2026-12-24 10:00' }],
  ['ends', { begins: '2026-01-01 10:00', ends: '2026-01-02 10:00' }],
  ['time_zone', { time_zone: 'Mars/Base' }],
  ['target_id', { target_id: unknownId }],
  ['target_id', { target_type: 'PROJECT' }],
  ['name', { name: 'year-end-freeze' }],
])('%s must be right: %j', async (member, change) => {
  const { status, body } = await platform.call('create_deployment_window', { ...request(), ...change });
  expect([status, body['message']]).toEqual([400, expect.stringMatching(new RegExp(`^${member}:`))]);
});

test('only an administrator creates or deletes one', async () => {
  const { write } = platform.tokens;
  const authorization = `Token ${write}`;
  expect((await platform.call('create_deployment_window', request(), { authorization })).status).toBe(403);
  const year = { ...organization(), deployment_window_id: seedId('deployment-window/year-end-freeze') };
  expect((await platform.call('delete_deployment_window', year, { authorization })).status).toBe(403);
});
