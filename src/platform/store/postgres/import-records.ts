import { copyTable, type CopiedTable, type PostgresClient } from '../../../postgres/index.ts';
import type { ExportedRecords, ExportedTable } from '../exported-records.ts';
import { lockOf } from './open-records.ts';

export { platformSchema } from '../platform-schema.ts';

/** The setting with the identity of the imported records. */
const movedFrom = 'moved_from';

const lockNotAvailable = '55P03';

/** Until the transaction ends, no platform starts on the database, and all other statements wait, even reads. */
const takeTables = async (client: PostgresClient, names: readonly string[]): Promise<void> => {
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf('start')]);
    await client.query(`lock table ${names.join(', ')} in access exclusive mode`);
  } catch (error) {
    if ((error as { code?: string }).code !== lockNotAvailable) throw error;
    throw new Error(
      'Another process is using the tables of the database. Stop all processes that use it, and run this again.',
      { cause: error },
    );
  }
};

const tableWithRows = async (client: PostgresClient, names: readonly string[]): Promise<string | undefined> => {
  const { rows } = await client.query<{ name: string }>(
    names.map((name) => `select '${name}' as name where exists (select from ${name})`).join(' union all '),
  );
  return rows[0]?.name;
};

/** A foreign key of a table, as it is written in statements. */
interface Reference {
  readonly table: string;
  readonly name: string;
}

const referencesOf = async (client: PostgresClient, names: readonly string[]): Promise<readonly Reference[]> =>
  (
    await client.query<Reference>(
      `select conrelid::regclass::text as "table", quote_ident(conname) as name from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])`,
      [names],
    )
  ).rows;

const each = async (client: PostgresClient, statements: readonly string[]): Promise<void> => {
  // One after the other, on one connection.
  for (const statement of statements) await client.query(statement);
};

/**
 * Copies all tables without checking references or counting until the end. Rows refer to rows of any table, and the
 * totals of lists are copied too.
 */
const copyAll = async (client: PostgresClient, tables: readonly ExportedTable[]): Promise<CopiedTable[]> => {
  const names = tables.map(({ table }) => table);
  const references = await referencesOf(client, names);
  const change = (how: string): string[] =>
    references.map(({ table, name }) => `alter table ${table} alter constraint ${name} ${how}`);
  const check = (when: 'deferred' | 'immediate'): string =>
    `set constraints ${references.map(({ name }) => name).join(', ')} ${when}`;
  await each(client, [
    ...names.map((name) => `alter table ${name} disable trigger user`),
    ...change('deferrable'),
    check('deferred'),
  ]);
  const copied: CopiedTable[] = [];
  // One table after the other, on one connection.
  for (const exported of tables) copied.push(await copyTable(client, exported));
  await each(client, [
    check('immediate'),
    ...change('not deferrable'),
    ...names.map((name) => `alter table ${name} enable trigger user`),
  ]);
  return copied;
};

/** Makes new rows get higher numbers than any that was ever assigned. */
const continueNumbers = async (client: PostgresClient, tables: readonly ExportedTable[]): Promise<void> => {
  for (const { table, lastNumber } of tables) {
    if (lastNumber !== undefined && lastNumber > 0)
      await client.query(`select setval(pg_get_serial_sequence($1, 'seq'), $2)`, [table, lastNumber]);
  }
};

/**
 * Imports records into a database without any, within a transaction.
 * @param client to a database whose schema is `platformSchema`
 * @returns the copied tables, or `present` if exactly these records were imported before
 * @throws Error if the database has other records, or if anything reads back differently. The caller must then roll
 * back the transaction
 */
export async function importRecords(
  client: PostgresClient,
  { tables, identity }: ExportedRecords,
): Promise<CopiedTable[] | 'present'> {
  const names = tables.map(({ table }) => table);
  await takeTables(client, names);
  const {
    rows: [earlier],
  } = await client.query<{ value: string }>('select value from setting where name = $1', [movedFrom]);
  if (earlier?.value === identity) return 'present';
  const used = await tableWithRows(client, names);
  if (used !== undefined) {
    const origin =
      earlier === undefined ? '' : ' They were moved there from a data directory, which had other records then.';
    throw new Error(
      `The database has records of a platform already, such as in the table ${used}.${origin} Records are never mixed: give the address of a database without any.`,
    );
  }
  const copied = await copyAll(client, tables);
  await continueNumbers(client, tables);
  await client.query('insert into setting (name, value) values ($1, $2)', [movedFrom, identity]);
  return copied;
}
