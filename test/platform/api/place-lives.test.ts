import { afterAll, beforeAll, expect, test } from 'vitest';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const restart = async (): Promise<void> => {
  await connectors.close();
  platform = await platform.restart();
  await connect();
};

const succeeded = succeeding((tool, args) => client.call(tool, args));
const named = async (tool: string, name: string, args: Json = {}): Promise<Json | undefined> =>
  rowsOf(await succeeded(tool, args)).find((row) => row['name'] === name);
const newestEvent = (): Promise<Json> => newestEventOf(platform);
/** The last question that the user was asked, and whether a name had to be typed for it. */
const asked = () => {
  const { message, requestedSchema } = user.questions.at(-1)!;
  return { message, byName: 'name' in requestedSchema.properties };
};

test('a project and its environment are made, renamed, given another mode and back, and deleted', async () => {
  await succeeded('create_project', { name: 'trial', description: 'Of June.' });
  await succeeded('create_environment', { project: 'trial', name: 'first', mode: 'DEVELOPMENT', cluster: 'main' });
  const { id } = await succeeded('update_project', { project: 'trial', name: 'lasting' });
  expect(await newestEvent()).toMatchObject({ event_type: 'UPDATE', target_type: 'PROJECT', target_id: id });
  await succeeded('update_environment', { environment: 'lasting/first', name: 'live', mode: 'PRODUCTION' });
  expect(asked().byName).toBe(true);

  await restart();
  expect(await named('list_projects', 'lasting')).toMatchObject({ id, description: 'Of June.' });
  expect(await named('list_environments', 'live', { project: 'lasting' })).toMatchObject({ mode: 'PRODUCTION' });
  await succeeded('update_environment', { environment: 'lasting/live', mode: 'DEVELOPMENT' });
  expect(asked().byName).toBe(true);
  expect(await newestEvent()).toMatchObject({ event_type: 'UPDATE', target_type: 'ENVIRONMENT' });

  const full = await client.call('delete_project', { project: 'lasting' });
  expect(full.isError).toBe(true);
  expect(asked().message).toContain('live');
  await succeeded('delete_environment', { environment: 'lasting/live' });
  await expect.poll(() => named('list_environments', 'live', { project: 'lasting' })).toBeUndefined();
  await succeeded('delete_project', { project: 'lasting' });
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_type: 'PROJECT', target_id: id });
  expect(await named('list_projects', 'lasting')).toBeUndefined();
});

test('a cluster is shown with its settings and its lock, which is taken away again', async () => {
  const cluster = { cluster: 'main' };
  const shown = await succeeded('get_cluster', cluster);
  expect(shown).toMatchObject({ name: 'main', is_locked: false, version: expect.any(String) });
  expect(shown['advanced_settings']).toMatchObject({ 'lock.maximum_days': expect.anything() });
  await succeeded('lock_cluster', { ...cluster, reason: 'An audit.' });

  await restart();
  expect(await succeeded('get_cluster', cluster)).toMatchObject({ is_locked: true });
  expect(textOf(await client.call('get_cluster', cluster))).toContain('An audit.');
  await succeeded('unlock_cluster', cluster);
  expect(await succeeded('get_cluster', cluster)).toMatchObject({ is_locked: false });
});

test('a backup of a database is made, listed, and deleted', async () => {
  const database = { database: 'shop/staging/orders-db' };
  const { id } = await succeeded('create_database_backup', {
    ...database,
    name: 'before-the-sale',
    message: 'Prices change tomorrow.',
  });
  await expect
    .poll(async () => (await named('list_database_backups', 'before-the-sale', database))?.['status'])
    .toMatchObject({ state: 'DEPLOYED' });

  await restart();
  expect(await named('list_database_backups', 'before-the-sale', database)).toMatchObject({ id });
  await succeeded('delete_database_backup', { ...database, backup_id: id });
  expect(asked()).toMatchObject({ byName: true, message: expect.stringContaining('before-the-sale') as unknown });
  await expect.poll(() => named('list_database_backups', 'before-the-sale', database)).toBeUndefined();
  const gone = await client.call('delete_database_backup', { ...database, backup_id: id });
  expect(gone.isError).toBe(true);
});
