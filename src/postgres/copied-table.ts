import { createHash } from 'node:crypto';
import { escapeIdentifier } from 'pg';
import { type PostgresClient, storableText, typeNumbers } from './pool.ts';

/** A row: its values by column name. */
type CopiedRow = Readonly<Record<string, string | number | null>>;

/** The rows to copy into a table. */
interface RowsOfTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Reads them from the start, one after another. */
  readonly rows: () => Iterable<CopiedRow>;
}

/** The result of copying rows into a table and reading them back. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** The sum of the SHA-256 of all rows, which doesn't depend on their order, in hexadecimal. */
  readonly digest: string;
  /**
   * The number of values that the database can store only in another form: U+0000 as U+FFFD, and times in UTC with
   * milliseconds.
   */
  readonly changedValues: number;
}

const maximumValues = 30_000;
const maximumCharacters = 4_000_000;
const rowsOfFetch = 1000;

const digestBits = 256;

const hashOf = (text: string): bigint => BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);

/** Counts rows and sums their hashes. */
const createTally = (columns: readonly string[]) => {
  let [rows, sum] = [0, 0n];
  return {
    add: (row: CopiedRow): void => {
      rows += 1;
      sum = BigInt.asUintN(digestBits, sum + hashOf(JSON.stringify(columns.map((column) => row[column]))));
    },
    result: () => ({ rows, digest: sum.toString(16).padStart(digestBits / 4, '0') }),
  };
};

/** The OIDs of the types of a table's columns, by column name. */
const typesOf = async (client: PostgresClient, table: string): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await client.query<{ name: string; type: number }>(
    'select attname as name, atttypid::integer as type from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped',
    [escapeIdentifier(table)],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
};

/** A value in the form in which the database stores it. */
const storedForm = (value: string | number | null, type: number | undefined): string | number | null => {
  if (typeof value !== 'string') return value;
  if (type !== typeNumbers.timestamptz) return storableText(value);
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? value : new Date(moment).toISOString();
};

/** Splits rows into batches that one statement can write. */
function* batchesOf(rows: Iterable<CopiedRow>, columns: readonly string[]): Generator<CopiedRow[]> {
  let [batch, characters]: [CopiedRow[], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    for (const column of columns) characters += String(row[column]).length;
    if ((batch.length + 1) * columns.length > maximumValues || characters > maximumCharacters) {
      yield batch;
      [batch, characters] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

const insert = async (
  client: PostgresClient,
  table: string,
  columns: readonly string[],
  batch: readonly CopiedRow[],
): Promise<void> => {
  const tuples = batch.map(
    (_, row) => `(${columns.map((_column, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
  );
  try {
    await client.query(
      `insert into ${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')}) values ${tuples.join(', ')}`,
      batch.flatMap((row) => columns.map((column) => row[column])),
    );
  } catch (error) {
    // The SQLSTATE distinguishes a lost connection from rows that can't be stored.
    throw Object.assign(
      new Error(`The rows of ${table} can't be written to the database: ${(error as Error).message}`, { cause: error }),
      { code: (error as { code?: string }).code },
    );
  }
};

/** Reads rows in the same form as other code, some at a time. */
async function* readBack(client: PostgresClient, query: string): AsyncGenerator<CopiedRow> {
  await client.query(`declare copied no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await client.query<CopiedRow>(`fetch ${rowsOfFetch} from copied`);
    yield* rows;
    if (rows.length < rowsOfFetch) break;
  }
  await client.query('close copied');
}

/**
 * Copies rows into a table within a transaction, reads them back, and compares their number and content.
 * @param isCopied the SQL condition for the copied rows in a table that had others; default all rows
 * @throws Error if the table has other columns, can't hold the rows, or reads back differently. The caller must then
 * roll back the transaction
 */
export async function copyTable(
  client: PostgresClient,
  { table, columns, rows }: RowsOfTable,
  isCopied = 'true',
): Promise<CopiedTable> {
  const types = await typesOf(client, table);
  const missing = columns.find((column) => !types.has(column));
  if (missing !== undefined) throw new Error(`The database has no column ${missing} of ${table}.`);
  const [written, found] = [createTally(columns), createTally(columns)];
  let changedValues = 0;
  const stored = (row: CopiedRow): CopiedRow =>
    Object.fromEntries(
      columns.map((column) => {
        const value = storedForm(row[column]!, types.get(column));
        if (value !== row[column]) changedValues += 1;
        return [column, value];
      }),
    );
  for (const batch of batchesOf(rows(), columns)) {
    const inForm = batch.map(stored);
    inForm.forEach(written.add);
    // One batch after the other, on one connection.
    await insert(client, table, columns, inForm);
  }
  for await (const row of readBack(
    client,
    `select ${columns.map(escapeIdentifier).join(', ')} from ${escapeIdentifier(table)} where ${isCopied}`,
  ))
    found.add(row);
  const [given, read] = [written.result(), found.result()];
  if (given.rows !== read.rows || given.digest !== read.digest)
    throw new Error(
      `The table ${table} reads back differently from what was written to it: ${read.rows} of ${given.rows} rows, digest ${read.digest} for ${given.digest}.`,
    );
  return { table, ...given, changedValues };
}
