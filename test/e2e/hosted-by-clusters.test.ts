import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { id: project_id } = await platform.must('create_project', {
    organization_id: platform.organizationId,
    name: 'web',
  });
  const { cluster_id } = platform.seed;
  await platform.must('create_environment', { project_id, name: 'live', mode: 'PRODUCTION', cluster_id });
});
afterAll(() => platform.close());

/** How a proxy before the platform refuses some requests, or alters their answers. */
interface Behind {
  readonly refuses?: (path: string) => number | undefined;
  readonly alter?: (path: string, body: unknown) => unknown;
}

/** What a call answers behind such a proxy. */
async function called(
  tool: string,
  args: Json,
  { refuses = () => undefined, alter = (_, body) => body }: Behind = {},
  token = platform.tokens.read,
) {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) => alter(path, body),
    beforeRequest: async (_, request, response) => {
      const status = refuses(request.url!);
      if (status !== undefined)
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const connectors = connectorsTo(proxy.url, token);
  const result = await (await connectors.modern()).call(tool, args);
  await connectors.close();
  await proxy.close();
  return result;
}

/** The clusters as listed behind such a proxy. */
async function listed(behind: Behind = {}) {
  const result = await called('list_clusters', {}, behind);
  const rows = (result.structuredContent as { results: Json[] }).results;
  return { text: textOf(result), hosts: Object.fromEntries(rows.map(({ name, hosts }) => [String(name), hosts])) };
}

const environments = /^\/organization\/[^/]+\/environments(?:\?|$)/;
const services = /^\/organization\/[^/]+\/services(?:\?|$)/;

test('each cluster names what it hosts, production first', async () => {
  const { hosts } = await listed();
  expect(hosts['main']).toBe(
    'web/live (PRODUCTION, 0 services), shop/staging (STAGING, 7 services), data/development (DEVELOPMENT, 3 services)',
  );
  expect(Object.values(hosts)).toContainEqual(expect.stringMatching(/^shop\/production \(PRODUCTION, \d services\)$/));
});

test('of many environments the others are counted, production among them', async () => {
  const { hosts } = await listed({
    alter: (path, body) => {
      if (!environments.test(path)) return body;
      const [first] = (body as { results: Json[] }).results;
      const more = Array.from({ length: 8 }, (_, index) => ({ ...first, name: `live-${index}`, mode: 'PRODUCTION' }));
      return { results: [...(body as { results: Json[] }).results, ...more] };
    },
  });
  expect(hosts['main']).toMatch(/, and 6 more environments \(4 of them PRODUCTION, \d+ services\)$/);
});

test.each([404, 403, 500])('without the list of environments (%i) nothing is claimed', async (status) => {
  const { hosts, text } = await listed({ refuses: (path) => (environments.test(path) ? status : undefined) });
  expect(hosts['main']).toBeUndefined();
  expect(text).toContain('What each cluster hosts is not shown');
});

test('without the list of services they are not counted', async () => {
  const { hosts } = await listed({ refuses: (path) => (services.test(path) ? 404 : undefined) });
  expect(hosts['main']).toBe('web/live (PRODUCTION), shop/staging (STAGING), data/development (DEVELOPMENT)');
});

test('environments that may be on any cluster are counted', async () => {
  const { hosts, text } = await listed({
    refuses: (path) => (services.test(path) ? 404 : undefined),
    alter: (path, body) =>
      environments.test(path)
        ? { results: (body as { results: Json[] }).results.map((row) => ({ ...row, cluster_id: undefined })) }
        : body,
  });
  expect(hosts['main']).toBe('nothing that is known');
  expect(text).toContain('Which cluster hosts it is not known of 4 environments.');
});

test('a cluster without environments is said to host nothing', async () => {
  const { hosts } = await listed({ alter: (path, body) => (environments.test(path) ? { results: [] } : body) });
  expect(hosts['main']).toBe('nothing');
});

const alertRules = /alert-?rules?(?:\?|$)/i;

test('the alerts that fire about clusters are told with them, whatever columns are chosen', async () => {
  for (const args of [{}, { fields: ['name', 'status'] }]) {
    const result = await called('list_clusters', args);
    const alert = expect.stringMatching(/^cluster main: disk-filling \(UNROUTED: nobody is told\) since 2/) as string;
    expect(result.structuredContent).toMatchObject({ cluster_alerts: [alert] });
    expect(textOf(result)).toContain('Alert about cluster main: disk-filling');
  }
});

test('that no alert fires about a cluster is said only where that is known', async () => {
  const none = await called(
    'list_clusters',
    {},
    { alter: (path, body) => (alertRules.test(path) ? { results: [] } : body) },
  );
  expect(none.structuredContent).toMatchObject({ cluster_alerts: [] });
  expect(textOf(none)).toContain('No alert rule that was read fires');
  for (const status of [404, 403, 500]) {
    const result = await called(
      'list_clusters',
      {},
      { refuses: (path) => (alertRules.test(path) ? status : undefined) },
    );
    expect(result.structuredContent).not.toHaveProperty('cluster_alerts');
    expect(textOf(result)).toMatch(/Not read: list_alert_rules|Which alerts fire about them is not said/);
    expect(textOf(result)).not.toContain('No alert rule that was read fires');
  }
});

const refuses = (path: string): number | undefined => (environments.test(path) ? 404 : undefined);

const changes = ['lock_cluster', 'unlock_cluster', 'upgrade_cluster'] as const;
const hostedByMain =
  'web/live (PRODUCTION, 0 services), shop/staging (STAGING, 7 services), data/development (DEVELOPMENT, 3 services)';

test.each(changes)('the plan of %s says what the cluster hosts', async (tool) => {
  const args = { cluster_id: 'main', dry_run: true, ...(tool === 'lock_cluster' && { reason: 'incident' }) };
  if (tool === 'unlock_cluster')
    await platform.must('lock_cluster', { cluster_id: platform.seed['cluster_id'], reason: 'incident' });
  const plan = textOf(await called(tool, args, {}, platform.tokens.admin));
  if (tool === 'unlock_cluster') await platform.must('unlock_cluster', { cluster_id: platform.seed['cluster_id'] });
  expect(plan).toContain(`It hosts ${hostedByMain}.`);
});

test('a plan that cannot read what the cluster hosts says so', async () => {
  const args = { cluster_id: 'main', dry_run: true };
  const plan = textOf(await called('upgrade_cluster', args, { refuses }, platform.tokens.admin));
  expect(plan).toContain('Not known: what it hosts.');
  expect(plan).not.toContain('It hosts');
});

test('a cluster that is found says what it hosts', async () => {
  const { structuredContent } = await called('find_resource', { name: 'main', kind: 'cluster' });
  expect(structuredContent).toMatchObject({ results: [{ kind: 'cluster', path: 'main', hosts: hostedByMain }] });
});
