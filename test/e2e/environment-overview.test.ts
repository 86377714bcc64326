import { afterAll, beforeAll, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import type { NextCall } from '../../src/server/tool/index.ts';
import { connectorsTo } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['cluster-locked'] });
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
  await platform.close();
});

/** Calls a tool over a platform that fails or refuses some paths. */
async function call(tool: string, args: Record<string, unknown>, unreadable?: RegExp, status = 403) {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (unreadable?.test(request.url!))
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end('{"status":403,"error":"Forbidden","message":"no"}');
    },
  });
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(proxy, connectors);
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return {
    answer: result.structuredContent as Record<string, unknown>,
    text: textOf(result),
    next: (result._meta?.[metaKeys.next] ?? []) as readonly NextCall[],
  };
}

const overview = (environment: string, ...unreadable: [RegExp?, number?]) =>
  call('get_environment_overview', { environment }, ...unreadable);

test('an overview says that its cluster is locked: by whom, why, since and until when', async () => {
  const { answer, text } = await overview('warehouse/production');
  expect(answer['cluster_lock']).toMatch(
    /^Cluster warehouse is locked by Bo Lindqvist since \d{4}-\S+ until \d{4}-\S+: Incident 2291: nodes out of disk\./,
  );
  expect(text).toContain('Bo Lindqvist');
  expect(text).toContain('grown. While it is locked, nothing in this environment can be deployed or changed.');
});

test('an overview says that no alert rule watches an environment only where that is known', async () => {
  const line = 'No alert rule watches this environment or a service in it.';
  const { answer, text } = await overview('shop/production');
  expect([answer['alert_rules'], text]).toEqual(['none', expect.stringContaining(line)]);
  for (const { text: other } of [
    await overview('shop/staging'),
    await overview('shop/production', /\/alert-rules(\?|$)/),
  ])
    expect(other).not.toContain(line);
});

test('what only runs, and has no health check, is told from what was checked', async () => {
  const { environment_id, registry_id } = platform.seed;
  const { id } = await platform.must('create_container', {
    environment_id,
    registry_id,
    name: 'unchecked',
    image_name: 'acme/search',
    tag: '2.4.0',
    healthchecks: {},
  });
  await call('deploy_service', { service: String(id), wait: true });
  const { answer, text } = await overview('shop/staging');
  expect(answer['unchecked']).toBe(1);
  expect(text).toMatch(/^.*shop\/staging: .*healthy \(1 without a health check\)/m);
  const rows = answer['results'] as { name: string; condition: string; reason: string }[];
  expect(rows.find(({ name }) => name === 'unchecked')).toMatchObject({
    condition: 'healthy',
    reason: 'it runs; no health check',
  });
  expect(rows.find(({ name }) => name === 'search')?.reason).not.toContain('health check');
  await platform.must('delete_container', { container_id: id });
});

test('a lock whose days are over is told by no overview, and is no cause', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) =>
      path.endsWith('/cluster/lock')
        ? {
            results: (body as { results: object[] }).results.map((lock) => ({
              ...lock,
              locked_at: '2020-01-01T00:00:00Z',
            })),
          }
        : body,
  });
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(proxy, connectors);
  const client = await connectors.modern();
  for (const [tool, args] of [
    ['get_environment_overview', { environment: 'warehouse/production' }],
    ['get_organization_overview', {}],
  ] as const) {
    expect(textOf(await client.call(tool, args)), tool).not.toMatch(/locked by|Locked: |Incident 2291/i);
  }
  expect(
    (await client.call('diagnose_deployment', { service: 'warehouse/production/stock-sync' })).structuredContent,
  ).not.toHaveProperty('blocked');
});

test('an alert of what runs well is in the first line', async () => {
  const { text } = await overview('shop/staging');
  expect(text).toMatch(/shop\/staging: 5 healthy, 1 overdue, 1 never deployed; 2 alerts fire, 1 about its cluster\n/);
  expect((await overview('warehouse/production')).text).not.toMatch(/alerts? fire/);
});

test('an overview tells the alerts about its cluster, and about no other', async () => {
  expect((await overview('data/development')).answer['alerts']).toContainEqual(
    expect.objectContaining({ name: 'importer-down', state: 'NOTIFIED', told: 'on-call' }),
  );
  const silenced = await overview('shop/staging');
  expect(silenced.answer['alerts']).toContainEqual(expect.objectContaining({ name: 'report-late', told: 'nobody' }));
  expect(silenced.text).toContain('what silences report-late, and until when.');
  const unread = await overview('data/development', /\/alert-receivers(\?|$)/);
  expect(unread.text).toContain('Not read: list_alert_receivers');
  expect(unread.answer['alerts']).toContainEqual(
    expect.objectContaining({ name: 'importer-down', told: platform.seed['alert_receiver_id'] }),
  );
  const alert = expect.objectContaining({ name: 'disk-filling', cluster: 'main', told: 'nobody' }) as unknown;
  expect((await overview('data/development')).answer['alerts']).toContainEqual(alert);
  expect((await overview('shop/staging')).answer['alerts']).toContainEqual(alert);
  expect((await overview('warehouse/production')).answer).not.toHaveProperty('alerts');
  const ofProject = await call('get_organization_overview', { project: 'warehouse' });
  expect(ofProject.text).toMatch(/Acme, project warehouse: 1 environment: /);
  expect(ofProject.answer).not.toHaveProperty('cluster_alerts');
  expect(ofProject.answer['locks']).toHaveLength(1);
});

test('an overview says that its cluster can not be used, or that it could not look', async () => {
  const { answer: made } = await call('create_environment', {
    project: 'shop',
    name: 'lab',
    mode: 'DEVELOPMENT',
    cluster: 'edge-lab',
  });
  const { answer, text } = await overview('shop/lab');
  expect(answer['unusable_cluster']).toContain('INVALID_CREDENTIALS');
  expect(text).toMatch(/shop\/lab: no services; unusable cluster\nNothing can run on cluster "edge-lab": /);
  for (const environment of ['shop/staging', 'warehouse/production'])
    expect((await overview(environment)).answer).not.toHaveProperty('unusable_cluster');
  const unread = await overview(String(made['id']), /\/environment(?:\/[\da-f-]+|s)?(?:\?|$)/);
  expect(unread.answer).not.toHaveProperty('unusable_cluster');
  expect(unread.text).toContain('Which cluster it is on could not be read');
});

test('a diagnosis says of an environment that it is empty, or that nothing was ever deployed', async () => {
  const environment = 'data/new';
  await call('create_environment', { project: 'data', name: 'new', mode: 'DEVELOPMENT', cluster: 'main' });
  const diagnosed = async () => (await call('diagnose_deployment', { environment })).answer;
  expect(await diagnosed()).toMatchObject({ outcome: 'no_services', cause: { code: 'none' } });
  await call('create_database', { environment, name: 'cache', type: 'REDIS', version: '7', mode: 'CONTAINER' });
  expect(await diagnosed()).toMatchObject({
    outcome: 'never_deployed',
    cause: { sentence: expect.stringContaining('cache') as string },
  });
  await call('deploy_service', { service: `${environment}/cache`, wait: true });
  expect(await diagnosed()).toMatchObject({ outcome: 'nothing failed' });
});

test('it says nothing of a lock where there is none', async () => {
  const { answer, text } = await overview('shop/staging');
  expect(answer).not.toHaveProperty('cluster_lock');
  expect(text).not.toMatch(/locked/);
});

test.each([
  ['refuses', 403],
  ['fails at', 500],
])('where the platform %s telling it, an overview says that it could not look', async (_, status) => {
  const { answer, text } = await overview(
    'warehouse/production',
    /\/(?:lock|clusterLock|status)s?\b(?<!statuses)/i,
    status,
  );
  expect(answer).not.toHaveProperty('cluster_lock');
  expect(text).toMatch(/Whether its cluster .*not be read/);
  expect(answer['results']).toHaveLength(1);
});

test('what is stopped can be started by the call that an overview and a diagnosis propose', async () => {
  await call('stop_services', { services: ['shop/staging/search'], wait: true });
  const told = (await overview('shop/staging')).next.find(({ tool }) => tool === 'start_services');
  expect(told!.arguments['services']).toContain(platform.seed['container_id']);
  const environment = (await call('diagnose_deployment', { environment: 'shop/staging' })).next.find(
    ({ tool }) => tool === 'start_services',
  );
  expect(environment!.arguments['services']).toContain(platform.seed['container_id']);
  const [start] = (await call('diagnose_deployment', { service: 'shop/staging/search' })).next;
  expect(start).toMatchObject({ tool: 'start_services', arguments: { services: [platform.seed['container_id']] } });
  await call('start_services', { ...start!.arguments, wait: true });
  expect((await call('get_service', { service: 'shop/staging/search' })).answer['status']).toMatchObject({
    state: 'DEPLOYED',
  });
});

test('a stop does not hide that no deployment of a service ever succeeded, and it is not proposed to start it', async () => {
  const environment = 'data/development';
  await call('stop_services', { environment, wait: true });
  await call('start_services', { environment, wait: true });
  const { answer, text, next } = await overview(environment);
  const row = (answer['results'] as Record<string, unknown>[]).find(({ name }) => name === 'importer')!;
  expect(row).toMatchObject({ condition: 'never succeeded', state: 'STOPPED', serves: 'nothing' });
  expect(row['reason']).toMatch(
    /^it is stopped, and no deployment of it has succeeded; its last deployment, at \d{4}-\S+, ended as DEPLOYMENT_ERROR/,
  );
  expect(answer['counts']).toMatchObject({ 'never succeeded': 1 });
  expect(text).toContain('1 never succeeded');
  expect(next.map(({ tool }) => tool)).not.toContain('start_services');
  expect(next).toContainEqual(
    expect.objectContaining({ tool: 'diagnose_deployment', arguments: { service: row['id'] } }),
  );
  const everything = await call('get_organization_overview', {});
  const rows = everything.answer['results'] as { environment: string; what: string }[];
  expect(rows.find((one) => one.environment === environment)).toMatchObject({
    condition: 'never succeeded',
    what: expect.stringMatching(/never succeeded: importer/) as string,
  });
  const diagnosis = await call('diagnose_deployment', { environment });
  expect(diagnosis.next.map(({ tool }) => tool)).not.toContain('start_services');
});

test('of what ran, was deployed anew in vain and then stopped, an overview says that its last deployment failed', async () => {
  const billing = await startTestPlatform({ scenarios: ['flaky-migration-job'] });
  const connectors = connectorsTo(billing.url, billing.token);
  opened.push(billing, connectors);
  const client = await connectors.modern(userAnswering(agree));
  const service = 'billing/staging/billing-api';
  for (const version of ['5.2.0', '5.3.0'])
    await client.call('deploy_service', { services: [{ service, version }], wait: true });
  await client.call('stop_services', { services: [service], wait: true });
  const { structuredContent } = await client.call('get_environment_overview', { environment: 'billing/staging' });
  const rows = (structuredContent as { results: { name: string }[] }).results;
  expect(rows.find(({ name }) => name === 'billing-api')).toMatchObject({
    condition: 'stopped',
    reason: expect.stringMatching(
      /^it is stopped; its last deployment, at \d{4}-\S+, ended as DEPLOYMENT_ERROR$/,
    ) as string,
  });
});
