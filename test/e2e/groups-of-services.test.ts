import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const groups: Record<string, unknown> = {};

const called = async (tool: string, args: Json): Promise<{ text: string; answer: Json }> => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return { text: textOf(result), answer: (result.structuredContent ?? {}) as Json };
};

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(userAnswering(agree));
  for (const name of ['billing', 'squad'])
    groups[name] = (
      await called('create_labels_group', {
        name,
        labels: [{ key: name, value: 'x', propagate_to_cloud_provider: false }],
      })
    ).answer['id'];
  groups['remarks'] = (
    await called('create_annotations_group', {
      name: 'remarks',
      annotations: [{ key: 'a', value: 'b' }],
      scopes: ['PODS'],
    })
  ).answer['id'];
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const idsOf = (list: unknown): unknown[] => (list as Json[]).map(({ id }) => id);

const image = { image: { image_name: 'acme/report', tag: '1' } };

test.each([
  { kind: 'container', request: { image_name: 'nginx', tag: '1', registry_id: 'docker-hub' } },
  { kind: 'job', request: { source: image, schedule: { cronjob: { scheduled_at: '0 3 * * *', timezone: 'UTC' } } } },
])('a $kind gets its groups by name when it is created and changed', async ({ kind, request }) => {
  const service = { environment_id: 'shop/staging', name: `grouped-${kind}`, ...request };
  const first = { ...service, labels_groups: [{ id: 'billing' }], annotations_groups: [{ id: 'remarks' }] };
  const plan = (await called(`create_${kind}`, { ...first, dry_run: true })).text;
  expect(plan).toMatch(/^Labels groups added: billing\.$/m);
  expect(plan).toMatch(/^Annotations groups added: remarks\.$/m);
  const { answer: made } = await called(`create_${kind}`, first);

  const shown = (await called(`get_service`, { service: made['id'] })).answer;
  expect(JSON.stringify(shown)).toContain(String(groups['billing']));

  const change = { [`${kind}_id`]: made['id'], labels_groups: [{ id: 'squad' }, { id: 'billing', remove: true }] };
  const changed = (await called(`update_${kind}`, { ...change, dry_run: true })).text;
  expect(changed).toMatch(/^Labels groups added: squad\.$/m);
  expect(changed).toMatch(/^Labels groups removed: billing\.$/m);
  expect(changed).not.toContain('Annotations groups');
  await called(`update_${kind}`, change);
  const path = `/${kind}/${String(made['id'])}`;
  const after = (await (
    await fetch(`${platform.url}${path}`, { headers: { authorization: `Token ${platform.tokens.admin}` } })
  ).json()) as Json;
  expect(idsOf(after['labels_groups'])).toEqual([groups['squad']]);
  expect(idsOf(after['annotations_groups'])).toEqual([groups['remarks']]);
});

test('a name that no group has is refused, and nothing is changed', async () => {
  const result = await client.call('update_database', {
    database_id: 'shop/staging/orders-db',
    labels_groups: [{ id: 'nothing-like-it' }],
  });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('nothing-like-it');
});
