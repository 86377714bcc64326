import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { approveCommand } from '../../../src/cli/commands/approve.ts';
import { auditShowCommand, auditVerifyCommand } from '../../../src/cli/commands/audit.ts';
import { tokenListCommand, tokenRevokeCommand } from '../../../src/cli/commands/token.ts';
import { type Config, readConfig } from '../../../src/cli/config/index.ts';
import { migrateSchema, openPool, type PostgresPool, shownAddress } from '../../../src/postgres/index.ts';
import { acceptToken } from '../../../src/platform/api/index.ts';
import { systemRandom } from '../../../src/platform/common/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import { platformSchema } from '../../../src/platform/store/index.ts';
import { guardSchema, postgresGuardStore } from '../../../src/server/guard/storage/postgres-store.ts';
import { addressOf } from '../../support/postgres/test-databases.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

let database: OwnDatabase;
let pool: PostgresPool;
let home: string;
let config: Config;
let printed: string;

beforeEach(async () => {
  database = await ownDatabase('template0');
  pool = openPool(database.address, { applicationName: 'a test', maximumConnections: 1 });
  home = await mkdtemp(join(tmpdir(), 'reading-commands-'));
  const { config: read } = readConfig(
    'approve',
    { dataDir: home, keysDir: join(home, 'keys') },
    { INFRA_DATABASE_URL: addressOf(database.address.database) },
  );
  config = read;
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  await pool.end();
  await database.drop();
  await rm(home, { recursive: true });
});

const terminal = {
  isInteractive: false,
  write: (text: string) => void (printed += text),
  ask: () => Promise.reject(new Error('nothing is asked')),
  askHidden: () => Promise.reject(new Error('nothing is asked')),
};

const listWaiting = (): Promise<void> => approveCommand(config, undefined, { json: true }, terminal);

/** The columns of all tables of the database, and the files of the home directory. */
const whatIsThere = async () => ({
  columns: (
    await pool.query<Record<string, string>>(
      "select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2",
    )
  ).rows,
  files: (await readdir(home, { recursive: true })).toSorted(),
});

const unsealed = `${JSON.stringify({ seq: 1, chain: 'a', mac: 'x' })}\n`;

describe('a command that reads makes neither tables nor files in an empty database', () => {
  test.each([
    ['token list', () => tokenListCommand(config, {})],
    ['token revoke', () => tokenRevokeCommand(config, 'a')],
    ['audit show', () => auditShowCommand(config, [], { limit: 5 })],
    ['audit verify', () => auditVerifyCommand(config, [], {})],
  ])('%s, which says what is missing', async (_, run) => {
    await expect(run()).rejects.toThrow(/^There is no /);
    expect(await whatIsThere()).toEqual({ columns: [], files: [] });
  });

  test('approve, for which nothing waits', async () => {
    await listWaiting();
    expect(printed).toBe('[]\n');
    expect(await whatIsThere()).toEqual({ columns: [], files: [] });
  });

  test('audit verify, of entries that no server of the database wrote', async () => {
    await writeFile(join(home, 'audit.jsonl'), unsealed);
    await expect(auditVerifyCommand(config, [], {})).rejects.toThrow(join(home, 'keys'));
    expect(await whatIsThere()).toEqual({ columns: [], files: ['audit.jsonl'] });
  });

  test('token list names the database', async () => {
    await expect(tokenListCommand(config, {})).rejects.toThrow(shownAddress(database.address));
  });
});

describe('a command that reads', () => {
  test('leaves the tables of earlier servers as they are, and says so', async () => {
    await migrateSchema(pool, { ...guardSchema, steps: guardSchema.steps.slice(0, 1) });
    const before = await whatIsThere();
    await expect(listWaiting()).rejects.toThrow(/earlier version/);
    expect(await whatIsThere()).toEqual(before);
  });

  test('makes no key where the servers have one', async () => {
    const store = postgresGuardStore(database.address);
    await store.keyChecks.report('guard key', ['of a server'], Date.now());
    await store.close();
    await expect(listWaiting()).rejects.toThrow('guard.key');
    expect((await whatIsThere()).files).toEqual([]);
  });

  test('makes no key where no server has been', async () => {
    const store = postgresGuardStore(database.address);
    await store.time(Date.now());
    await store.close();
    await listWaiting();
    expect(printed).toBe('[]\n');
    expect((await whatIsThere()).files).toEqual([]);
  });
});

test.each([1, platformSchema.steps.length - 1])(
  'tokens of an earlier platform, whose schema has %i steps, are listed and revoked, and no step is taken',
  async (steps) => {
    const schema = { ...platformSchema, steps: platformSchema.steps.slice(0, steps) };
    const records = await openPostgresRecords(database.address, { schema });
    await acceptToken(records, 'leaked', 'a value', { clock: records.clock, random: systemRandom });
    await records.destroy();
    const before = await whatIsThere();
    await tokenRevokeCommand(config, 'leaked');
    await tokenListCommand(config, { json: true });
    expect(JSON.parse(printed)).toMatchObject([{ name: 'leaked', revoked_at: expect.any(String) as string }]);
    expect(await whatIsThere()).toEqual(before);
  },
);
