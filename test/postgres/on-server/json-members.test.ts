import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonMemberOf } from '../../../src/database/index.ts';
import { serviceReferences } from '../../../src/platform/store/index.ts';
import { validRequests } from '../../platform/api/valid-requests.ts';
import { onDatabaseOf } from '../../support/postgres/test-databases.ts';
import { rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const counts = async (): Promise<unknown[]> =>
  rowsOf(await platform.must('list_helm_repositories', { organization_id: platform.organizationId })).map(
    ({ id, associated_services_count: count }) => [id, count],
  );

test('the services of a Helm repository are counted whatever characters their configuration has', async () => {
  const before = await counts();
  expect(before.some((row) => (row as [string, number])[1] > 0)).toBe(true);
  const request = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'odd').update_helm;
  await platform.must('update_helm', { ...request, description: 'a\u0000bc\\u0000 "d"' });
  expect(await counts()).toEqual(before);
});

test.each([
  ['a plain text', '"x"', 'x'],
  ['U+0000', String.raw`"\u0000x\u0000"`, 'x'],
  ['backslashes before u0000', String.raw`"\\u0000"`, String.raw`\u0000`],
  ['a backslash and U+0000', String.raw`"\\\u0000x"`, String.raw`\x`],
  ['half a surrogate pair', String.raw`"\ud800x\uDFFF"`, 'x'],
  ['escapes', String.raw`"\"\u00e9\n"`, '"é\n'],
  ['null', 'null', null],
])('a member is read where JSON has %s', async (_, value, text) => {
  for (const json of [`{"a": {"b": ${value}}}`, `{"odd": ${value}, "a": {"b": ${value}}}`]) {
    expect(
      await onDatabaseOf(platform.dataDir, [
        `select ${jsonMemberOf('postgres', `$json$${json}$json$::json`, ['a', 'b'])} as member`,
      ]),
    ).toEqual([{ member: text }]);
  }
});

test.each(Object.values(serviceReferences).flat())(
  'the services are found by $index',
  async ({ kind, path, index }) => {
    const plan = await onDatabaseOf(platform.dataDir, [
      'set enable_seqscan = off',
      `explain select id from service where kind = '${kind}' and ${jsonMemberOf('postgres', '"spec"', path)} = 'x'`,
    ]);
    expect(JSON.stringify(plan)).toContain(index);
  },
);
