import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IncompatibleSchema, type Schema } from '../../../src/database/index.ts';
import { openPool, type PostgresPool } from '../../../src/postgres/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import { platformSchema, type DataStore } from '../../../src/platform/store/index.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

let database: OwnDatabase;
let admin: PostgresPool;
const opened: DataStore[] = [];

const open = async (schema?: Schema): Promise<DataStore> => {
  const store = await openPostgresRecords(database.address, { maximumConnections: 4, ...(schema && { schema }) });
  opened.push(store);
  return store;
};

beforeEach(async () => {
  database = await ownDatabase('template0');
  admin = openPool(database.address, { applicationName: 'test', maximumConnections: 2 });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.destroy()));
  await admin.end();
  await database.drop();
});

const at = '2026-01-01T00:00:00.000Z';
const organization = {
  id: 'o',
  created_at: at,
  updated_at: at,
  name: 'Example',
  description: null,
  plan: null,
  owner: null,
};
const project = { id: 'p', created_at: at, updated_at: at, organization_id: 'o', name: 'Shop', description: null };
const cluster = {
  id: 'c',
  created_at: at,
  updated_at: at,
  organization_id: 'o',
  name: 'main',
  description: null,
  region: 'r',
  cloud_provider: 'x',
  version: '1',
  next_version: null,
  is_default: 1,
  production: 0,
  status: 'DEPLOYED',
  maximum_cpu: 1,
  maximum_memory: 1,
  maximum_gpu: 0,
  last_execution_id: null,
  last_deployment_at: null,
} as const;

/** How many schema steps this program knows. */
const known = platformSchema.steps.length;

const later = (compatibleSince: number): Schema => ({
  ...platformSchema,
  steps: [
    ...platformSchema.steps,
    { name: '9999-later', compatibleSince, after: { postgres: ['alter table project add column color text'] } },
  ],
});

describe('rows', () => {
  test('have the same values as in a data directory', async () => {
    const store = await open();
    await store
      .insertInto('organization')
      .values({ ...organization, name: 'Ex\0ample' })
      .execute();
    await store.insertInto('cluster').values(cluster).execute();
    const found = await store.selectFrom('cluster').selectAll().where('production', '=', 0).executeTakeFirstOrThrow();
    expect(found).toEqual({ ...cluster, runtime: 'simulated' });
    // PostgreSQL has no U+0000 in text.
    expect((await store.selectFrom('organization').select('name').executeTakeFirstOrThrow()).name).toBe(
      'Ex\uFFFDample',
    );
    expect(await store.selectFrom('cluster').select('id').where('id', 'in', []).execute()).toEqual([]);
  });

  test('of an owner have no names that differ only in case, and are counted', async () => {
    const store = await open();
    await store.insertInto('organization').values(organization).execute();
    await store.insertInto('project').values(project).execute();
    await expect(
      store
        .insertInto('project')
        .values({ ...project, id: 'q', name: 'SHOP' })
        .execute(),
    ).rejects.toThrow('unique');
    // Other letters than ASCII's have no case here, as in a data directory.
    await store
      .insertInto('project')
      .values([
        { ...project, id: 'r', name: 'É' },
        { ...project, id: 's', name: 'é' },
      ])
      .execute();
    const total = async () =>
      (await store.selectFrom('list_total').select('total').where('list', '=', 'project').executeTakeFirstOrThrow())
        .total;
    expect(await total()).toBe(3);
    await store.deleteFrom('project').where('id', '=', 'r').execute();
    expect(await total()).toBe(2);
  });
});

test('who holds a name keeps others waiting until the end, in whatever order they name it', async () => {
  const store = await open();
  const order: string[] = [];
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = store.write(async (trx) => {
    await trx.lock('b', 'a');
    held.resolve();
    await go.promise;
    order.push('first');
  });
  await held.promise;
  const second = store.write(async (trx) => {
    await trx.lock('a', 'b');
    order.push('second');
  });
  await store.write(async (trx) => {
    await trx.lock('c');
    order.push('other');
  });
  go.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['other', 'first', 'second']);
});

test('work is announced to other processes, also after the connection was lost', async () => {
  const [one, other] = [await open(), await open()];
  let heard = Promise.withResolvers<void>();
  other.onWork(() => heard.resolve());
  // What is announced before the other one listens is missed.
  const announceUntilHeard = async () => {
    const timer = setInterval(() => one.announceWork(), 20);
    await heard.promise;
    clearInterval(timer);
  };
  await announceUntilHeard();
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  heard = Promise.withResolvers<void>();
  await announceUntilHeard();
});

test('a database that is not there is named, without its password', async () => {
  const nowhere = openPostgresRecords({ ...database.address, host: '/nowhere', password: () => 'a-secret' });
  await expect(nowhere).rejects.toThrow(`postgres@/nowhere:5432/${database.address.database} can't be reached`);
  await expect(nowhere).rejects.toThrow(expect.not.stringContaining('a-secret'));
});

test('calls of a caller are counted over all processes, in windows of their own', async () => {
  const [one, other] = [await open(), await open()];
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).callWindows.count('token a', 1000, 500)),
  );
  expect(counted.map(({ calls }) => calls).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  expect(new Set(counted.map(({ endsAt }) => endsAt))).toEqual(new Set([1500]));
  expect(await other.callWindows.count('token b', 1200, 500)).toEqual({ endsAt: 1700, calls: 1 });
  expect(await one.callWindows.count('token a', 1500, 500)).toEqual({ endsAt: 2000, calls: 1 });
  // The window of another caller began when this one's was over.
  await one.callWindows.count('token c', 1700, 500);
  expect((await admin.query('select caller from call_window order by caller')).rows).toEqual([
    { caller: 'token a' },
    { caller: 'token c' },
  ]);
});

test("time is the database's, whatever the clock of a process shows", async () => {
  const wrong = await openPostgresRecords(database.address, {
    maximumConnections: 1,
    ownClock: { now: () => Date.now() + 60_000 },
  });
  opened.push(wrong);
  const right = await open();
  // Further apart than a busy machine makes them, and nearer than the clocks are.
  expect(Math.abs(wrong.clock.now() - right.clock.now())).toBeLessThan(20_000);
});

test('time goes on evenly when the clock of a process is set to another time', async () => {
  let ahead = 0;
  const jumping = await openPostgresRecords(database.address, {
    maximumConnections: 1,
    ownClock: { now: () => Date.now() + ahead },
  });
  opened.push(jumping);
  const right = await open();
  for (ahead of [60_000, -60_000]) expect(Math.abs(jumping.clock.now() - right.clock.now())).toBeLessThan(20_000);
});

describe('a schema', () => {
  test('is made by one of several processes that start at once', async () => {
    await Promise.all([open(), open(), open()]);
    expect((await admin.query('select name from platform_schema_step')).rows).toEqual(
      platformSchema.steps.map(({ name }) => ({ name })),
    );
  });

  test('of a newer version that adds something is worked on by processes of before, running or started since', async () => {
    const running = await open();
    await open(later(known));
    const started = await open();
    await running.insertInto('organization').values(organization).execute();
    await started.insertInto('project').values(project).execute();
    expect(await running.selectFrom('project').select('name').execute()).toEqual([{ name: 'Shop' }]);
  });

  test('that gets a column while statements are prepared goes on being read and written, alone and in transactions', async () => {
    const running = await open();
    await running.insertInto('organization').values(organization).execute();
    const read = () => running.selectFrom('organization').selectAll().execute();
    const readInTransactions = () =>
      Promise.all(
        Array.from({ length: 4 }, () =>
          running.write(async (trx) => trx.selectFrom('organization').selectAll().execute()),
        ),
      );
    await Promise.all([read(), read(), read(), read(), readInTransactions()]);
    await admin.query("alter table organization add column color text not null default 'blue'");
    expect(await read()).toEqual([{ ...organization, color: 'blue' }]);
    await admin.query("alter table organization add column size text not null default 'big'");
    expect(await readInTransactions()).toEqual(
      Array.from({ length: 4 }, () => [{ ...organization, color: 'blue', size: 'big' }]),
    );
  });

  test('of a newer version that changed what is there ends the work of processes of before, and refuses new ones', async () => {
    const running = await open();
    await open(later(known + 1));
    const refused = async (): Promise<unknown> =>
      running
        .write(async (trx) => trx.selectFrom('project').select('id').execute())
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    // The message travels.
    let reason = await refused();
    while (reason === undefined) reason = await refused();
    expect(reason).toMatchObject({
      name: 'RecordsUnavailable',
      mayBeWritten: false,
      cause: expect.any(IncompatibleSchema),
    });
    expect(await running.unusable).toBeInstanceOf(IncompatibleSchema);
    await expect(open()).rejects.toThrow(new RegExp(`at least ${known + 1}; this one knows ${known}`));
    expect((await admin.query('select count(*) as steps from platform_schema_step')).rows).toEqual([
      { steps: known + 1 },
    ]);
  });
});
