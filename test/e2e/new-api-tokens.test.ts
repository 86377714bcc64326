import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { handoverInFiles, handoverNowhere } from '../../src/server/guard/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { memoryHandover } from '../support/memory-handover.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let onResponse: ((response: Json) => unknown) | undefined;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, _, body) => (method === 'POST' && onResponse ? onResponse(body as Json) : body),
  });
});

afterAll(async () => {
  await proxy.close();
  await platform.close();
});

const connectors = (options: Parameters<typeof connectorsTo>[2]): Connectors => {
  const opened = connectorsTo(proxy.url, platform.token, options);
  onTestFinished(() => opened.close());
  return opened;
};

const works = async (token: string): Promise<boolean> =>
  (await platform.call('get_organization', {}, { authorization: `Token ${token}` })).status === 200;

const named = async (name: string): Promise<Json[]> =>
  rowsOf(await platform.must('list_api_tokens', { organization_id: platform.organizationId })).filter(
    (row) => row['name'] === name,
  );

test.each(['modern', 'legacy'] as const)('%s: a token is rotated, and only the person has its value', async (era) => {
  const handover = memoryHandover();
  const servers = connectors({ handover });
  const user = userAnswering(agree);
  const client = await servers[era](user);
  const results = [await client.call('create_api_token', { name: 'ci', permission: 'deploy' })];
  expect(results[0]!.structuredContent).toMatchObject({ name: 'ci', handed_over: 'with the test' });
  results.push(await client.call('create_api_token', { name: 'ci of next year', permission: 'deploy' }));
  const [old, fresh] = handover.kept;
  expect([old!.about, fresh!.about]).toEqual(['API token ci', 'API token ci of next year']);
  expect(await works(old!.secret)).toBe(true);
  results.push(await client.call('revoke_api_token', { api_token: 'ci' }));
  expect([await works(old!.secret), await works(fresh!.secret)]).toEqual([false, true]);
  results.push(await client.call('list_api_tokens', {}), await client.call('list_events', {}));
  for (const { secret } of handover.kept) {
    expect(JSON.stringify([results, user.questions, servers.log.lines])).not.toContain(secret);
    expect(JSON.stringify(platform.dump())).not.toContain(secret);
  }
  results.push(await client.call('revoke_api_token', { api_token: 'ci of next year' }));
  expect(results.filter(({ isError }) => isError)).toEqual([]);
});

test('the file is for its owner alone, and has nothing but the value', async () => {
  const home = await mkdtemp(join(tmpdir(), 'infra-mcp-tokens-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const folder = join(home, 'handed-over');
  const client = await connectors({ handover: handoverInFiles(folder) }).modern(userAnswering(agree));
  const result = await client.call('create_api_token', { name: '../Ünï ci', permission: 'read' });
  const [file, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(file).toMatch(/^api-token-u-ni-ci-[A-Z\d]{4}-[A-Z\d]{4}\.txt$|^api-token-uni-ci-[A-Z\d]{4}-[A-Z\d]{4}\.txt$/);
  const path = join(folder, file!);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const value = (await readFile(path, 'utf8')).trimEnd();
  expect(await works(value)).toBe(true);
  expect(textOf(result)).toContain(path);
  expect(JSON.stringify(result)).not.toContain(value);
  // What the platform refuses leaves no file behind.
  const refused = await client.call('create_api_token', {
    name: 'of nobody',
    permission: 'read',
    member_id: '00000000-0000-4000-8000-000000000000',
  });
  expect(refused.isError).toBe(true);
  expect(await readdir(folder)).toEqual([file]);
});

test('where nobody could be shown it, nothing is created and nobody asked', async () => {
  const user = userAnswering(agree);
  const nowhere = handoverNowhere({ why: 'there is no page', next: 'Tell the user: switch it on.' });
  const client = await connectors({ handover: nowhere }).modern(user);
  const result = await client.call('create_api_token', { name: 'unseen', permission: 'read' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('switch it on');
  expect([user.questions, await named('unseen')]).toEqual([[], []]);
});

test.each([
  ['has no value', (body: Json) => ({ ...body, token: undefined })],
  ['calls the value otherwise', ({ token, ...others }: Json) => ({ ...others, value: token, note: token })],
])('an answer that %s says that the token has to be revoked', async (_, alter) => {
  const seen: unknown[] = [];
  onResponse = (body) => {
    seen.push(body['token']);
    return alter(body);
  };
  onTestFinished(() => (onResponse = undefined));
  const client = await connectors({}).modern(userAnswering(agree));
  const result = await client.call('create_api_token', { name: 'lost', permission: 'read' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('revoke_api_token');
  expect(seen).toEqual([expect.any(String)]);
  expect(JSON.stringify(result)).not.toContain(String(seen[0]));
});

test('members that the contract does not have are not shown with it', async () => {
  let value: unknown;
  onResponse = (body) => {
    value = body['token'];
    return { ...body, curl: `curl -H "Authorization: Token ${String(value)}"`, name: `ci ${String(value)}` };
  };
  onTestFinished(() => (onResponse = undefined));
  const client = await connectors({}).modern(userAnswering(agree));
  const result = await client.call('create_api_token', { name: 'echoed', permission: 'read' });
  expect(result.isError).toBeFalsy();
  expect(JSON.stringify(result)).not.toContain(String(value));
});
