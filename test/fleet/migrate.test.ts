import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, type QueryResultRow } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/platform/store/index.ts';
import { clientConfig, parseAddress } from '../../src/postgres/index.ts';
import { commandLine, runProgram, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { writeOldDirectory } from '../support/old-directory.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres/server.ts';
import { spawnInTest, type ProgramResult } from '../support/started-program.ts';
import { isLanding } from '../suites.ts';

let server: PostgresServer;
let number = 0;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

const connect = async (address: string): Promise<Client> => {
  const client = new Client(clientConfig(parseAddress(address), { applicationName: 'a test', maximumConnections: 1 }));
  client.on('error', () => {});
  await client.connect();
  return client;
};

const query = async <Row extends QueryResultRow = QueryResultRow>(
  address: string,
  ...statements: readonly string[]
): Promise<Row[]> => {
  const client = await connect(address);
  try {
    const results: Row[] = [];
    // One after the other, on one connection.
    for (const statement of statements) results.push(...(await client.query<Row>(statement)).rows);
    return results;
  } finally {
    await client.end();
  }
};

/** Makes an empty database. @returns its address */
const newDatabase = async (): Promise<string> => {
  const name = `moved_${(number += 1)}`;
  await query(server.addressOf('postgres'), `create database ${name}`);
  return server.addressOf(name);
};

const migrate = (dataDir: string, address: string, env: Record<string, string> = {}): Promise<ProgramResult> =>
  runProgram(['migrate', '--data-dir', dataDir, '--json'], { INFRA_DATABASE_URL: address, ...env });

interface Printed {
  readonly moved: boolean;
  readonly tables: readonly {
    readonly table: string;
    readonly rows: number;
    readonly checked: string;
    readonly changed_values: number;
  }[];
}

const printed = ({ code, stdout, stderr }: ProgramResult): Printed => {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed;
};

const rowsOf = ({ tables }: Printed, name: string): number | undefined =>
  tables.find(({ table }) => table === name)?.rows;

const token = 'token-of-the-move';

const ask = async (url: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const told = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(JSON.stringify(told));
  return told;
};

describe('a platform that moves to a database', () => {
  test('goes on with the deployments that were under way when it was killed: nothing is lost, and nothing done twice', async () => {
    const [dataDir, address] = [await temporaryDirectory(), await newDatabase()];
    const args = ['--data-dir', dataDir, '--token', token];
    const before = await startPlatformProgram([...args, '--time-scale', '0.2']);
    const { url, seed, organization_id: organization } = before.ready;
    const ordered: string[] = [];
    for (const kind of ['application', 'container', 'database', 'helm']) {
      // In this order.
      const answer = await ask(
        url,
        `/${kind}/${seed[`${kind}_id`]}/deploy`,
        kind === 'container' ? { image_tag: '2.4.1' } : {},
      );
      ordered.push(String(answer['deployment_request_id'] ?? answer['id']));
    }
    const open = 'SELECT count(*) AS n FROM deployment WHERE ended_at IS NULL';
    const inFile = <Result>(use: (database: DatabaseSync) => Result): Result => {
      using database = new DatabaseSync(join(dataDir, databaseFile), { timeout: 5000 });
      return use(database);
    };
    await expect
      .poll(
        () =>
          inFile(
            (file) =>
              file
                .prepare(
                  'SELECT count(*) AS n FROM log_line WHERE deployment_id IN (SELECT id FROM deployment WHERE ended_at IS NULL)',
                )
                .get()!['n'],
          ),
        { interval: 20 },
      )
      .toBeGreaterThan(3);
    before.child.kill('SIGKILL');
    await before.ended;
    const wasOpen = inFile((file) => Number(file.prepare(open).get()!['n']));
    expect(wasOpen).toBeGreaterThan(0);
    const tokens = inFile((file) => file.prepare('SELECT id, hash FROM api_token ORDER BY id').all()).map((row) => ({
      ...row,
    }));

    const result = printed(await migrate(dataDir, address));
    expect(result.tables.every(({ checked }) => checked === 'equal')).toBe(true);
    expect(await query(address, `select count(*) as n from deployment where ended_at is null`)).toEqual([
      { n: wasOpen },
    ]);
    expect(await query(address, 'select id, hash from api_token order by id')).toEqual(tokens);

    const refused = await runProgram(['platform', ...args]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('were moved to the database')]);
    const after = await startPlatformProgram([...args, '--time-scale', '0.02'], { INFRA_DATABASE_URL: address });
    await expect
      .poll(() => query(address, 'select count(*) as n from deployment where ended_at is null'))
      .toEqual([{ n: 0 }]);
    const ends = await query<{ id: string; status: string }>(address, 'select id, status from deployment');
    for (const id of ordered)
      expect(
        ends.filter((one) => one.id === id).map(({ status }) => status),
        id,
      ).toEqual(['SUCCESS']);
    // Each service of a deployment ends once, each of its states is told once, and each step was made once.
    expect(
      await query(
        address,
        `select 1 from deployment_event group by deployment_id, service_id, state having count(*) > 1`,
      ),
    ).toEqual([]);
    expect(
      await query(
        address,
        "select 1 from deployment_step where status = 'SUCCESS' group by deployment_id, service_id, step having count(*) > 1",
      ),
    ).toEqual([]);
    const { body } = { body: await ask(after.ready.url, `/organization/${organization}/project`) };
    expect((body['results'] as unknown[]).length).toBeGreaterThan(0);
  });

  test.skipIf(isLanding)(
    'is refused while a process serves the directory, and without an address or records',
    async () => {
      const dataDir = await temporaryDirectory();
      const address = await newDatabase();
      expect(await migrate(dataDir, address)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no platform in ${dataDir}. Check --data-dir.`) as string,
      });
      const serving = await startPlatformProgram(['--data-dir', dataDir, '--token', token]);
      expect(await migrate(dataDir, address)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Stop that process first. Nothing was changed.') as string,
      });
      serving.child.kill('SIGTERM');
      await serving.ended;
      expect(await runProgram(['migrate', '--data-dir', dataDir])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('INFRA_DATABASE_URL is not set.') as string,
      });
      const nowhere = await migrate(dataDir, 'postgres://mover:made-up-pass@127.0.0.1:1/nowhere');
      expect(nowhere).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /The database mover@127\.0\.0\.1:1\/nowhere can't be reached: .*Nothing was changed\./s,
        ) as string,
      });
      expect(nowhere.stderr).not.toContain('made-up-pass');
      // It can still be served.
      await startPlatformProgram(['--data-dir', dataDir, '--token', token]);
    },
  );
});

/** Holds what a move needs, on a connection of its own, so that the move waits there. @returns what lets it go on */
const holding = async (address: string, ...statements: readonly string[]): Promise<() => Promise<void>> => {
  const client = await connect(address);
  // Its locks have to outlast the start of a program on a slow machine.
  await client.query('set idle_in_transaction_session_timeout = 0');
  for (const statement of statements) {
    // One after the other, on one connection.
    await client.query(statement);
  }
  return () => client.end();
};

const waitsForLock =
  "select count(*) as n from pg_stat_activity where application_name = 'infra-mcp-migrate' and datname = current_database() and wait_event_type = 'Lock'";
const connections =
  "select count(*) as n from pg_stat_activity where application_name = 'infra-mcp-migrate' and datname = current_database()";
const isMarked = (dataDir: string): boolean => {
  using database = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true });
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'moved_to_database'").get() !== undefined;
};

/** Lets the commit of a move wait for a lock. */
const slowCommit = [
  'create function wait() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return null; end $$',
  'create constraint trigger wait after insert on setting deferrable initially deferred for each row execute function wait()',
];

/** Prepares a database whose schema is there, so that statements about its tables can be held. */
const withSchema = async (): Promise<string> => {
  const [address, other] = [await newDatabase(), await temporaryDirectory()];
  await writeOldDirectory(other, 'data-0001');
  const { length } = printed(await migrate(other, address)).tables;
  expect(length).toBeGreaterThan(20);
  const tables = await query<{ name: string }>(
    address,
    "select tablename as name from pg_tables where schemaname = 'public' and tablename !~ 'schema_step|guard_lock|guard_time'",
  );
  await query(address, `truncate ${tables.map(({ name }) => name).join(', ')}`);
  return address;
};

/** Kills a move once it waits for a lock, and moves again. */
const killed = async (
  dataDir: string,
  address: string,
  hold: readonly string[],
  more: () => Promise<void> = async () => {},
): Promise<Printed> => {
  const letGo = await holding(address, ...hold);
  const program = spawnInTest(
    commandLine(['migrate', '--data-dir', dataDir, '--json'], { INFRA_DATABASE_URL: address }),
  );
  const endedEarly = program.ended.then(({ code, stderr }) => {
    throw new Error(`It ended with ${code} before it waited for the lock: ${stderr}`);
  });
  const waits = (async () => expect.poll(() => query(address, waitsForLock)).toEqual([{ n: 1 }]))();
  await Promise.race([waits, endedEarly]);
  endedEarly.catch(() => {});
  program.child.kill('SIGKILL');
  await program.ended;
  await more();
  await letGo();
  await expect.poll(() => query(address, connections)).toEqual([{ n: 0 }]);
  return printed(await migrate(dataDir, address));
};

const expectWhole = async (dataDir: string, address: string): Promise<void> => {
  expect(await query(address, 'select count(*) as n from service')).toEqual([{ n: 13 }]);
  expect(isMarked(dataDir)).toBe(true);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('replacing-'))).toEqual([]);
  expect(printed(await migrate(dataDir, address)).moved).toBe(false);
};

describe('a move that is killed', () => {
  test.skipIf(isLanding).each([
    ['before anything is copied', ['begin', 'lock table service in access exclusive mode']],
    ['when all tables of the platform are copied', ['begin', 'select from guard_lock for update']],
  ])('%s leaves the directory as it was, and is made again', async (_, hold) => {
    const [dataDir, address] = [await temporaryDirectory(), await withSchema()];
    await writeOldDirectory(dataDir, 'data-0002');
    // What servers share is copied last.
    new DatabaseSync(join(dataDir, 'guard.sqlite')).close();
    const again = await killed(dataDir, address, hold, async () => expect(isMarked(dataDir)).toBe(false));
    expect([again.moved, rowsOf(again, 'service')]).toEqual([true, 13]);
    await expectWhole(dataDir, address);
  });

  test.skipIf(isLanding)(
    'while the database commits is found to be complete, and nobody serves the directory meanwhile',
    async () => {
      const [dataDir, address] = [await temporaryDirectory(), await withSchema()];
      await writeOldDirectory(dataDir, 'data-0002');
      await query(address, ...slowCommit);
      const again = await killed(dataDir, address, ['select pg_advisory_lock(42)'], async () => {
        expect(isMarked(dataDir)).toBe(true);
        expect(await runProgram(['platform', '--data-dir', dataDir])).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('were moved to the database') as string,
        });
      });
      expect(again.moved).toBe(false);
      await expectWhole(dataDir, address);
    },
  );

  test.skipIf(isLanding)('while the database commits, and takes it back, is made again', async () => {
    const [dataDir, address] = [await temporaryDirectory(), await withSchema()];
    await writeOldDirectory(dataDir, 'data-0002');
    await query(address, ...slowCommit);
    const again = await killed(dataDir, address, ['select pg_advisory_lock(42)'], async () => {
      await query(
        address,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'infra-mcp-migrate' and datname = current_database()",
      );
    });
    expect([again.moved, rowsOf(again, 'service')]).toEqual([true, 13]);
    await expectWhole(dataDir, address);
  });

  test('at any moment is made again or found to be complete', async () => {
    const [dataDir, address] = [await temporaryDirectory(), await withSchema()];
    await writeOldDirectory(dataDir, 'data-0002');
    for (let moment = 0; moment < 6; moment += 1) {
      const program = spawnInTest(
        commandLine(['migrate', '--data-dir', dataDir, '--json'], { INFRA_DATABASE_URL: address }),
      );
      // One move at a time.
      await Promise.race([program.ended, new Promise((resolve) => setTimeout(resolve, 150 + moment * 120))]);
      program.child.kill('SIGKILL');
      await program.ended;
    }
    printed(await migrate(dataDir, address));
    await expectWhole(dataDir, address);
  });
});

test.skipIf(isLanding)('100,000 rows are moved in little memory', async () => {
  const [dataDir, address] = [await temporaryDirectory(), await newDatabase()];
  await writeOldDirectory(dataDir, 'data-0002');
  using database = new DatabaseSync(join(dataDir, databaseFile));
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO log_line (deployment_id, service_id, created_at, message, pod_name, version)
    SELECT deployment_id, service_id, '2026-01-05T08:00:00.000Z', hex(zeroblob(500)) || i, 'pod', '1' FROM n, (SELECT deployment_id, service_id FROM deployment_service LIMIT 1)`);
  database.close();
  // The rows alone are 100 MB.
  const moved = printed(await migrate(dataDir, address, { NODE_OPTIONS: '--max-old-space-size=64' }));
  expect(rowsOf(moved, 'log_line')).toBeGreaterThanOrEqual(100_000);
  expect(await query(address, 'select count(*) as n from log_line where length(message) > 1000')).toEqual([
    { n: 100_000 },
  ]);
});
