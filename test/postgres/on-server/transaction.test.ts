import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CommitUnknown,
  openPool,
  type PostgresClient,
  type PostgresPool,
  transaction,
} from '../../../src/postgres/index.ts';
import { startTcpProxy } from '../../support/postgres/tcp-proxy.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

const options = { applicationName: 'test', maximumConnections: 4 };
let database: OwnDatabase;
let pool: PostgresPool;

beforeAll(async () => {
  database = await ownDatabase('template0');
  pool = openPool(database.address, options);
  await pool.query('create table thing (id integer primary key, value integer not null)');
  await pool.query('insert into thing values (1, 0), (2, 0)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const valueOf = async (id: number): Promise<number> =>
  (await pool.query<{ value: number }>('select value from thing where id = $1', [id])).rows[0]!.value;
const add = (client: PostgresClient, id: number) =>
  client.query('update thing set value = value + 1 where id = $1', [id]);

test('what fails leaves nothing, and a failed statement can not be swallowed', async () => {
  const before = await valueOf(1);
  await expect(
    transaction(pool, 'write', async (client) => {
      await add(client, 1);
      throw new Error('on purpose');
    }),
  ).rejects.toThrow('on purpose');
  await expect(
    transaction(pool, 'write', async (client) => {
      await add(client, 1);
      await client.query('select nonsense').catch(() => {});
    }),
  ).rejects.toThrow('rolled back');
  expect(await valueOf(1)).toBe(before);
});

test('a read can not write', async () => {
  await expect(transaction(pool, 'read', (client) => add(client, 1))).rejects.toThrow('read-only');
});

test('two that wait for each other are both made', async () => {
  const [one, two] = [await valueOf(1), await valueOf(2)];
  const met = Promise.withResolvers<void>();
  let waiting = 0;
  let attempts = 0;
  const bothOf = (first: number, second: number) =>
    transaction(pool, 'write', async (client) => {
      attempts += 1;
      await add(client, first);
      waiting += 1;
      if (waiting === 2) met.resolve();
      await met.promise;
      await add(client, second);
    });
  await Promise.all([bothOf(1, 2), bothOf(2, 1)]);
  expect([await valueOf(1), await valueOf(2)]).toEqual([one + 2, two + 2]);
  expect(attempts).toBe(3);
});

test('one whose connection is cut before its commit is made again', async () => {
  const before = await valueOf(1);
  let attempts = 0;
  await transaction(pool, 'write', async (client) => {
    attempts += 1;
    await add(client, 1);
    if (attempts > 1) return;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await client.query('select 1');
  });
  expect(attempts).toBe(2);
  expect(await valueOf(1)).toBe(before + 1);
});

test('one whose connection is cut at its commit says that nobody knows, and is not made again', async () => {
  const before = await valueOf(1);
  const proxy = await startTcpProxy(database.socketPath);
  proxy.cutCommitAfter('update thing');
  const cut = openPool({ ...database.address, host: '127.0.0.1', port: proxy.port }, options);
  let attempts = 0;
  await expect(
    transaction(cut, 'write', async (client) => {
      attempts += 1;
      await add(client, 1);
    }),
  ).rejects.toThrow(CommitUnknown);
  await cut.end();
  await proxy.close();
  expect(attempts).toBe(1);
  // It was made, this time.
  expect(await valueOf(1)).toBe(before + 1);
});

test('times are ISO 8601 and counts are numbers', async () => {
  const { rows } = await pool.query(
    "select timestamptz '2026-03-01 12:00:00.25+01' as at, count(*) as all, 9007199254740991::bigint as most from thing",
  );
  expect(rows).toEqual([{ at: '2026-03-01T11:00:00.250Z', all: 2, most: Number.MAX_SAFE_INTEGER }]);
});

test('a process that is stopped within a transaction loses its locks before others give up waiting for them', async () => {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('lock_timeout', 'idle_in_transaction_session_timeout')",
  );
  const limits = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  expect(limits['idle_in_transaction_session_timeout']).toBeGreaterThan(0);
  expect(limits['idle_in_transaction_session_timeout']).toBeLessThanOrEqual(limits['lock_timeout']! / 2);
});
