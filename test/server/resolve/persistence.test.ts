import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openNameResolver } from '../../../src/cli/wiring/name-resolver.ts';
import { readConfig } from '../../../src/cli/config/index.ts';
import { operations } from '../../../src/contract/index.ts';
import type { PersistentNameResolver } from '../../../src/server/resolve/index.ts';
import { createResourceIndex, type IndexPersistence } from '../../../src/server/resolve/resource-index.ts';
import { readerBy } from './recording-caller.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-seen-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const remote = { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN: 'the-token' };

const addressesIn = (env: Record<string, string> = {}): PersistentNameResolver =>
  openNameResolver(readConfig('stdio', { dataDir }, env).config);

const lookup = (principal = 'ann') => ({
  principal,
  now: Date.now,
  reader: readerBy(() => Promise.reject(new Error('nobody may be asked'))),
});

/** Takes note of a database, as after it was read. */
const learnDatabase = (resolver: PersistentNameResolver, number: number, principal = 'ann'): void =>
  resolver.learn(
    operations.get_database,
    { database_id: idOf(number) },
    { id: idOf(number), name: `db-${number}`, service_type: 'DATABASE', host: 'secret.host' },
    principal,
  );

const nameOf = async (
  resolver: PersistentNameResolver,
  number: number,
  principal?: string,
): Promise<string | undefined> => (await resolver.resolve('database', idOf(number), lookup(principal))).name;

test('what was seen is kept in a file of its owner, without more than what names it', async () => {
  const resolver = addressesIn();
  learnDatabase(resolver, 1);
  await resolver.flush();
  const path = join(dataDir, 'seen.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect(text).toContain('db-1');
  expect(text).not.toMatch(/secret\.host|ann/);
  expect(await readdir(dataDir)).toEqual(['seen.json']);
  expect(await nameOf(addressesIn(), 1)).toBe('db-1');
  expect(await nameOf(addressesIn(), 1, 'bob')).toBeUndefined();
});

test('ids of one platform mean nothing on another', async () => {
  const resolver = addressesIn(remote);
  learnDatabase(resolver, 1);
  await resolver.flush();
  expect(await nameOf(addressesIn(remote), 1)).toBe('db-1');
  expect(await nameOf(addressesIn({ ...remote, INFRA_BASE_URL: 'https://other.example.com' }), 1)).toBeUndefined();
  expect(await nameOf(addressesIn(), 1)).toBeUndefined();
});

test('processes at once keep what each of them saw', async () => {
  const [one, other] = [addressesIn(), addressesIn()];
  learnDatabase(one, 1);
  learnDatabase(other, 2);
  await one.flush();
  await other.flush();
  const later = addressesIn();
  expect([await nameOf(later, 1), await nameOf(later, 2)]).toEqual(['db-1', 'db-2']);
});

test.each(['', 'not json', '{}', '[{"of":1}]'])('a file that cannot be read is replaced: %j', async (text) => {
  await writeFile(join(dataDir, 'seen.json'), text);
  const resolver = addressesIn();
  expect(await nameOf(resolver, 1)).toBeUndefined();
  learnDatabase(resolver, 1);
  await resolver.flush();
  expect(await nameOf(addressesIn(), 1)).toBe('db-1');
});

test('nothing is written where nothing is new', async () => {
  let writes = 0;
  const persistence: IndexPersistence = {
    platform: 'here',
    read: async () => undefined,
    write: async () => void (writes += 1),
  };
  const index = createResourceIndex(persistence);
  const resource = { kind: 'project', id: idOf(1), name: 'shop' } as const;
  index.add('ann', resource);
  await index.flush();
  index.add('ann', { ...resource });
  await index.flush();
  expect(writes).toBe(1);
});

test('the longest unseen are forgotten when there are too many', async () => {
  let text = '';
  const index = createResourceIndex({
    platform: 'here',
    read: async () => undefined,
    write: async (written) => void (text = written),
  });
  for (let number = 0; number < 6_000; number += 1)
    index.add('ann', { kind: 'project', id: idOf(number), name: `p${number}` });
  await index.flush();
  expect(index.get('ann', 'project', idOf(0))).toBeUndefined();
  expect(index.get('ann', 'project', idOf(5_999))).toMatchObject({ name: 'p5999' });
  expect((JSON.parse(text) as unknown[]).length).toBeLessThan(6_000);
});

test('a place that cannot be written is no trouble', async () => {
  const index = createResourceIndex({
    platform: 'here',
    read: () => Promise.reject(new Error('no')),
    write: () => Promise.reject(new Error('no')),
  });
  await index.loaded();
  index.add('ann', { kind: 'project', id: idOf(1), name: 'shop' });
  await index.flush();
  expect(index.get('ann', 'project', idOf(1))).toMatchObject({ name: 'shop' });
});

test('a process that knows less of something takes nothing from what another one knew', async () => {
  const [knowing, using] = [addressesIn(), addressesIn()];
  learnDatabase(knowing, 1);
  await knowing.flush();
  using.learn(operations.deploy_database, { database_id: idOf(1) }, {}, 'ann');
  await using.flush();
  expect(await nameOf(addressesIn(), 1)).toBe('db-1');
});
