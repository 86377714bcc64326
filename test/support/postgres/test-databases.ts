import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseAddress } from '../../../src/postgres/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import type { DataStore } from '../../../src/platform/store/index.ts';
import { seenAtLast } from '../eventually.ts';

/**
 * The variable with the address of the server on which a suite keeps its records; unset where they are in data
 * directories.
 */
export const serverVariable = 'TEST_POSTGRES';

const server = (): URL => new URL(process.env[serverVariable]!);

const emptyTemplate = 'empty_platform';

/** The file of a data directory that names the database with its records. */
const nameFile = 'database-of-the-tests';

/** The address of a database on the server. */
export const addressOf = (database: string): string => Object.assign(server(), { pathname: `/${database}` }).href;

const runAt = async (address: string, statements: readonly string[]): Promise<unknown[]> => {
  const { host, user, database } = parseAddress(address);
  const client = new Client({ host, user, database });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};

const onServer = async (statement: string): Promise<void> => void (await runAt(server().href, [statement]));

/** Makes the database that new ones are copies of: its tables are there, and empty. */
export async function createEmptyTemplate(): Promise<void> {
  await onServer(`create database ${emptyTemplate}`);
  await (await openPostgresRecords(parseAddress(addressOf(emptyTemplate)))).destroy();
}

/** The name of the database with the records of a data directory, if they are in one. */
export const databaseOf = (dataDir: string): string | undefined => {
  const path = join(dataDir, nameFile);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** Runs statements on the database of a data directory. @returns the rows of the last one */
export const onDatabaseOf = (dataDir: string, statements: readonly string[]): Promise<unknown[]> =>
  runAt(addressOf(databaseOf(dataDir)!), statements);

/**
 * Gives a data directory a database of its own.
 * @param template the one that it is a copy of; default one without records
 */
export async function createTestDatabase(dataDir: string, template = emptyTemplate): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`create database ${name} template ${template}`);
  writeFileSync(join(dataDir, nameFile), name);
  return name;
}

/** Opens the records of a data directory in their database, which is made if they have none. */
export const openTestDatabase = async (dataDir: string): Promise<DataStore> =>
  openPostgresRecords(parseAddress(addressOf(databaseOf(dataDir) ?? (await createTestDatabase(dataDir)))), {
    maximumConnections: 5,
  });

/** Connections that are kept to compare records often, by data directory. */
const comparing = new Map<string, Promise<Client>>();

const connectionTo = async (dataDir: string): Promise<Client> => {
  const { host, user } = parseAddress(server().href);
  const client = new Client({ host, user, database: databaseOf(dataDir)! });
  client.on('error', () => {});
  await client.connect();
  return client;
};

const dueWork = ['deployment', 'backup']
  .map((table) => `select from ${table} where due_ms <= extract(epoch from clock_timestamp()) * 1000`)
  .join(' union all ');

/**
 * A digest of the rows of each table but some, made by the database itself: it takes no longer than a request. Waits
 * until the engine has taken up every deployment and backup that is due, which it does a moment after the request.
 */
export async function digestsOfDatabase(
  dataDir: string,
  isCompared: (table: string) => boolean,
): Promise<Record<string, string>> {
  if (!comparing.has(dataDir)) comparing.set(dataDir, connectionTo(dataDir));
  const client = await comparing.get(dataDir)!;
  await seenAtLast(
    async () => (await client.query(dueWork)).rows,
    (due) => due.length === 0,
    10,
  );
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const names = tables.map(({ name }) => name).filter(isCompared);
  const { rows } = await client.query<Record<string, string>>(
    `select ${names.map((name) => `(select md5(coalesce(string_agg(md5(row::text), '' order by row::text collate "C"), '')) from ${name} as row) as ${name}`).join(', ')}`,
  );
  return rows[0]!;
}

/** Removes the database of a data directory, if it has one. */
export async function dropTestDatabase(dataDir: string): Promise<void> {
  const name = databaseOf(dataDir);
  await (await comparing.get(dataDir))?.end();
  comparing.delete(dataDir);
  if (name !== undefined) await onServer(`drop database ${name} with (force)`);
}

/** A value as rows of a data directory have it: flags as 1 or 0, JSON as text. */
const asStored = (value: unknown): unknown =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : value;

/** The rows of all tables but some, by table, in an order that depends on nothing but them. */
export function rowsOfDatabase(dataDir: string, isCompared: (table: string) => boolean): Record<string, unknown[]> {
  const { host, user } = parseAddress(server().href);
  const answer = (query: string): string =>
    execFileSync('psql', ['-h', host, '-U', user, '-d', databaseOf(dataDir)!, '-XAtc', query], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
  const tables = answer("select tablename from pg_tables where schemaname = 'public'")
    .split('\n')
    .filter((name) => name !== '' && isCompared(name));
  const lines = answer(
    tables.map((name) => `select '${name}', row_to_json(${name}) from ${name} order by ${name}::text`).join('; '),
  )
    .split('\n')
    .filter((line) => line !== '');
  const rows = lines.map((line) => ({
    name: line.slice(0, line.indexOf('|')),
    row: JSON.parse(line.slice(line.indexOf('|') + 1)) as Record<string, unknown>,
  }));
  return Object.fromEntries(
    tables.map((table) => [
      table,
      rows
        .filter(({ name }) => name === table)
        .map(({ row }) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, asStored(value)]))),
    ]),
  );
}
