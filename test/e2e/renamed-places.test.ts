import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let user: User;

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  connectors = connectorsTo(platform.url, platform.token);
  user = userAnswering(agree);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const done = async (name: string, args: Record<string, unknown>) => {
  const result = await client.call(name, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Record<string, unknown>;
};

test('a project goes its whole way: created, renamed, found by its new name, deleted once it is empty', async () => {
  await done('create_project', { name: 'pilot', description: 'A trial.' });
  await done('create_environment', { project: 'pilot', name: 'one', mode: 'DEVELOPMENT', cluster: 'main' });
  expect(await done('update_project', { project: 'pilot', name: 'flight' })).toMatchObject({
    changes: [expect.stringContaining('pilot → flight')],
  });
  expect(failureIn(await client.call('list_environments', { project: 'pilot' }))?.kind).toBe('bad_address');
  expect(await done('list_environments', { project: 'flight' })).toMatchObject({ results: [{ name: 'one' }] });

  const refused = await client.call('delete_project', { project: 'flight' });
  expect(failureIn(refused)?.kind).toBe('not_possible');
  expect(textOf(refused)).toContain('one');
  await done('delete_environment', { environment: 'flight/one', wait: true });
  expect(await done('delete_project', { project: 'flight' })).toMatchObject({ name: 'flight', deleted: true });
  expect(failureIn(await client.call('list_environments', { project: 'flight' }))?.kind).toBe('bad_address');
});

test('a mode towards production and away from it is agreed to by typing a name; what is asked shows both', async () => {
  await done('create_environment', { project: 'shop', name: 'trial', mode: 'DEVELOPMENT', cluster: 'main' });
  for (const [mode, before] of [
    ['PRODUCTION', 'DEVELOPMENT'],
    ['DEVELOPMENT', 'PRODUCTION'],
  ]) {
    const from = user.questions.length;
    await done('update_environment', { environment: 'shop/trial', mode });
    const asked = JSON.stringify(user.questions.slice(from));
    expect(asked).toContain(`${before} → ${mode}`);
    expect(asked).toContain('shop/trial');
  }
  expect(await done('update_environment', { environment: 'shop/trial', name: 'test' })).toMatchObject({
    changes: [expect.stringContaining('trial → test')],
  });
  expect(await done('get_environment', { environment: 'shop/test' })).toMatchObject({ mode: 'DEVELOPMENT' });
});

test('what is set already is not sent again', async () => {
  const before = user.questions.length;
  await done('update_environment', { environment: 'shop/staging', mode: 'STAGING' });
  await done('update_project', { project: 'shop', name: 'shop' });
  expect(user.questions).toHaveLength(before);
});

test('a new name is not taken for one that somebody else gave: nothing is looked up a second time', async () => {
  await done('create_environment', { project: 'shop', name: 'before', mode: 'DEVELOPMENT', cluster: 'main' });
  const proxy = await startRecordingProxy(platform.url);
  const others = connectorsTo(proxy.url, platform.token);
  const other = await others.modern(userAnswering(agree));
  await other.call('list_environments', { project: 'shop' });
  const renamed = await other.call('update_environment', { environment: 'shop/before', name: 'after' });
  expect(renamed.isError, textOf(renamed)).toBeFalsy();
  expect(proxy.requests.filter((one) => /^GET \/organization\/[^/]+\/project$/.test(one))).toHaveLength(1);
  await others.close();
  await proxy.close();
});
