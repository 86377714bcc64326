import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { textOf } from '../../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { resourceServersOf, type ResourceServers } from '../../support/resource-clients.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let servers: ResourceServers;

const [shop, data] = [seedId('project/shop'), seedId('project/data')];
const [staging, production] = [seedId('environment/shop/staging'), seedId('environment/shop/production')];

/** A delivery of a webhook that tells of an environment. */
const delivery = (id: string, payload: Json): Json => ({
  id,
  created_at: '2026-01-01T00:00:00.000Z',
  kind: 'STANDARD',
  matched_event: 'DEPLOYMENT_FAILED',
  target_url_used: 'https://hooks.example/',
  target_response_status_code: 200,
  target_response_body: '',
  request: {
    event_type: 'DEPLOYMENT_FAILED',
    created_at: '2026-01-01T00:00:00.000Z',
    payload: { organization_id: platform.organizationId, deployment_id: id, status: 'BUILD_ERROR', ...payload },
  },
});

const deliveries = () => [
  delivery(seedId('delivery/staging'), { project_id: shop, environment_id: staging, service_name: 'of-staging' }),
  delivery(seedId('delivery/production'), {
    project_id: shop,
    environment_id: production,
    service_name: 'of-production',
  }),
  delivery(seedId('delivery/nowhere'), { service_name: 'of-nowhere' }),
];

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (_method, path, body) => {
      const { results } = (body ?? {}) as { results?: Json[] };
      if (!results) return body;
      if (/\/webhook\/[^/]+\/event/.test(path)) return { ...(body as Json), results: deliveries() };
      if (/\/cluster(\?|$)/.test(path))
        return {
          ...(body as Json),
          results: results.map((row) => ({
            ...row,
            warnings: ['What can run only there waits for it: of-production.'],
          })),
        };
      return body;
    },
  });
  connectors = connectorsTo(proxy.url, platform.token);
  servers = resourceServersOf(proxy.url, platform.token);
});

afterAll(async () => {
  await servers.close();
  await connectors.close();
  await proxy.close();
  await platform.close();
});

async function ask(policy: Policy, tool: string, args: Json = {}) {
  const result = await (await connectors.modern(undefined, policy)).call(tool, args);
  const content = (result.structuredContent ?? {}) as { results?: Json[]; pagination?: Json };
  return {
    results: content.results ?? [],
    pagination: content.pagination,
    text: textOf(result),
    isError: result.isError === true,
  };
}

const namesIn = (rows: readonly Json[]): unknown[] => rows.map(({ name }) => name);

describe('rows of a list belong to the places that they say', () => {
  test('a project that is denied is left out, and said to be left out where there is none too', async () => {
    const shown = await ask(await policyFrom(`deny: [{ project: ${data} }]`), 'list_projects', {
      page: 1,
      page_size: 100,
    });
    expect(namesIn(shown.results)).toEqual(expect.arrayContaining(['shop']));
    expect(namesIn(shown.results)).not.toContain('data');
    expect(shown.pagination).toMatchObject({ total_count: shown.results.length });
    const note = 'Left out: projects in places that the policy denies, or whose place can not be told.';
    expect(shown.text).toContain(note);
    const other = await ask(await policyFrom('deny: [{ project: of-another-organization }]'), 'list_projects');
    expect(namesIn(other.results)).toContain('data');
    expect(other.text).toContain(note);
  });

  test('environments are judged by their mode, name and id', async () => {
    for (const rule of ['mode: PRODUCTION', 'environment: shop/production', `environment: ${production}`]) {
      const { results } = await ask(await policyFrom(`deny: [{ ${rule} }]`), 'list_environments', { project_id: shop });
      expect(namesIn(results)).toEqual(['staging']);
    }
  });

  test('a delivery of a webhook belongs to the environment that it tells of; one that tells of none is left out', async () => {
    const { text } = await ask(await policyFrom('deny: [{ mode: PRODUCTION }]'), 'list_webhook_events', {
      webhook_id: seedId('webhook/deployments'),
    });
    expect(text).toContain('of-staging');
    expect(text).not.toMatch(/of-production|of-nowhere/);
    expect(text).toContain('Left out: deliveries in places');
  });

  test('what is warned of clusters can name services of any place, and is left out', async () => {
    const { text, results } = await ask(await policyFrom('deny: [{ mode: PRODUCTION }]'), 'list_clusters');
    expect(results.length).toBeGreaterThan(0);
    expect(text).not.toContain('of-production');
    expect(text).toContain('Left out: warnings and conditions of clusters');
    expect((await ask({ readOnly: false }, 'list_clusters')).text).toContain('of-production');
  });

  test('rules about changes leave nothing out', async () => {
    const { results, text } = await ask(
      await policyFrom('deny: [{ project: data, tier: [write, disruptive, destructive] }]'),
      'list_projects',
    );
    expect(namesIn(results)).toContain('data');
    expect(text).not.toContain('Left out');
  });
});

const complete = async (policy: Policy, value = '') => {
  const { client } = await servers.connect('modern', { policy });
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'infra://project/{project}' },
    argument: { name: 'project', value },
  });
  return { client, values: completion.values };
};

describe('what is completed', () => {
  test('has nothing that was seen under another policy', async () => {
    expect((await complete({ readOnly: false })).values).toContain('data');
    const denied = await complete(await policyFrom('deny: [{ project: data, tier: read }]'));
    expect(denied.values).toContain('shop');
    expect(denied.values).not.toContain('data');
    expect((await complete({ readOnly: false })).values).toContain('data');
  });

  test('does not hide from a change what it is about', async () => {
    const { client, values } = await complete(await policyFrom('deny: [{ project: data, tier: read }]'));
    expect(values).not.toContain('data');
    const { content } = await client.callTool({
      name: 'create_environment',
      arguments: {
        project_id: 'data',
        cluster_id: seedId('cluster/main'),
        name: 'next',
        mode: 'DEVELOPMENT',
        dry_run: true,
      },
    });
    expect(JSON.stringify(content)).toContain(`Nothing was done.`);
  });
});

const statusOf = (id: string): string => `infra://environment/${id}/status`;

test('what may not be read can not be watched, and neither can what is not there', async () => {
  const { watch } = await servers.connect('modern', { policy: await policyFrom('deny: [{ mode: PRODUCTION }]') });
  expect((await watch([statusOf(production), statusOf(seedId('nothing')), statusOf(staging)])).agreed).toEqual([
    statusOf(staging),
  ]);
});

test('rules are told without the places that may not be read', async () => {
  const rules = [
    '{ project: data, tier: read }',
    '{ project: Data, tier: destructive }',
    '{ project: shop, tier: destructive }',
    '{ environment: shop/production, mode: PRODUCTION }',
    '{ environment: data/development, tool: get_service }',
  ];
  const { text } = await servers.connect('modern', { policy: await policyFrom(`deny: [${rules.join(', ')}]`) });
  expect((await text('infra://policy')).split('\n').filter((line) => line.includes('deny['))).toEqual([
    '- tier is read, the project may not be read (policy.yaml, deny[0])',
    '- tier is destructive, the project may not be read (policy.yaml, deny[1])',
    '- tier is destructive, project is shop (policy.yaml, deny[2])',
    '- mode is PRODUCTION, the environment may not be read (policy.yaml, deny[3])',
    '- tool is get_service, environment is data/development (policy.yaml, deny[4])',
  ]);
});
