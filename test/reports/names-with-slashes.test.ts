import { assert, property } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinPath, namesIn, segmentsOf } from '../../src/contract/index.ts';
import { recordsIn } from '../../src/server/json/index.ts';
import { withSlashesInNames } from '../../src/server/resolve/names.ts';
import { anyText } from '../support/any-text.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const anId = '0f0f0f0f-0000-4000-8000-0f0f0f0f0f0f';

const dataOf = ({ structuredContent }: Awaited<ReturnType<TestClient['call']>>) =>
  (structuredContent ?? {}) as Record<string, unknown>;

/** Names of environments that a path could be misread for. */
const names = [
  'feature/login',
  'two words',
  'what?',
  'no#1',
  '100%',
  'a%2Fb',
  'a/b',
  anId,
  'database:main',

  'ü/ñ',
];

describe('a path that the server prints is a path that it takes', () => {
  let platform: TestPlatform;
  let connectors: Connectors;
  let client: TestClient;
  let cluster: string;
  /** The environment b of the project shop/a. */
  let id: string;
  const ids = new Map<string, string>();

  const newEnvironment = async (project_id: string, name: string): Promise<string> =>
    String(
      (await platform.must('create_environment', { project_id, name, cluster_id: cluster, mode: 'DEVELOPMENT' }))['id'],
    );

  beforeAll(async () => {
    platform = await startTestPlatform();
    connectors = connectorsTo(platform.url, platform.token);
    client = await connectors.modern();
    const projects = recordsIn(dataOf(await client.call('list_projects'))['results']);
    const project = String(projects.find(({ name }) => name === 'shop')!['id']);
    cluster = String(recordsIn(dataOf(await client.call('list_clusters'))['results'])[0]!['id']);
    const other = await platform.must('create_project', { organization_id: platform.organizationId, name: 'shop/a' });
    id = await newEnvironment(String(other['id']), 'b');
    for (const name of names) ids.set(name, await newEnvironment(project, name));
  });

  afterAll(async () => {
    await connectors.close();
    await platform.close();
  });

  const environment = async (reference: string) => client.call('get_environment', { environment: reference });

  test('whatever is in the names', async () => {
    const found = await client.call('find_resource', { kind: 'environment', project: 'shop', limit: 100 });
    const rows = dataOf(found)['results'] as { path: string; id: string }[];
    for (const [name, own] of ids) {
      const row = rows.find((one) => one.id === own)!;
      expect(namesIn(row.path)).toEqual(['shop', name]);
      for (const reference of [
        row.path,
        `infra://environment/${row.path}`,
        `infra://environment/${encodeURIComponent(row.path)}`,
      ])
        expect((await environment(reference)).structuredContent, reference).toMatchObject({ id: own, name });
    }
  });

  test.each(['shop/feature/login', 'feature/login', 'SHOP/Feature/Login', '/shop/feature/login/'])(
    '%s is found',
    async (reference) => {
      expect((await environment(reference)).structuredContent).toMatchObject({ id: ids.get('feature/login') });
    },
  );

  test('a mistyped one gets the form that works', async () => {
    const result = await environment('shop/feature/logn');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('shop/feature%2Flogin');
  });

  test('if it can be several, each is named in a form that works', async () => {
    const text = textOf(await environment('shop/a/b'));
    expect(text).toContain('shop%2Fa/b');
    expect(text).toContain('shop/a%2Fb');
    expect((await environment('shop%2Fa/b')).structuredContent).toMatchObject({ id });
    expect((await environment('shop/a%2Fb')).structuredContent).toMatchObject({ id: ids.get('a/b') });
    const inside = await client.call('list_environments', { project: 'shop/a' });
    expect(dataOf(inside)['results']).toMatchObject([{ id }]);
  });

  test('a plan shows a path that is taken', async () => {
    const plan = textOf(await client.call('delete_environment', { environment: 'shop/feature/login', dry_run: true }));
    const path = /environment "([^"]+)"/.exec(plan)![1]!;
    expect((await environment(path)).structuredContent).toMatchObject({ id: ids.get('feature/login') });
  });
});

test('a path has a segment for each name, which gives the name back', () => {
  assert(
    property(anyText({ minLength: 1, maxLength: 9 }), anyText({ minLength: 1, maxLength: 9 }), (one, other) => {
      const given = [one, other].map((name) => name.trim() || 'x');
      expect(namesIn(joinPath(given))).toEqual(given);
      expect(segmentsOf(joinPath(given))).toHaveLength(2);
    }),
  );
});

test('segments are joined in every way, few joins first', () => {
  expect(withSlashesInNames(['a', 'b', 'c'])).toEqual([['a', 'b/c'], ['a/b', 'c'], ['a/b/c']]);
  expect(withSlashesInNames(['a'])).toEqual([]);
  expect(withSlashesInNames(Array.from({ length: 30 }, String))).toEqual([]);
});
