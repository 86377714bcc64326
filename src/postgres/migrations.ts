import type { QueryConfig } from 'pg';
import type { PostgresClient, PostgresPool } from './pool.ts';
import { transaction } from './transaction.ts';

/** One step of a schema. Steps are never changed or reordered: databases remember them by their names. */
export interface SchemaStep {
  readonly name: string;
  readonly statements: readonly string[];
  /**
   * The number of steps that a program has to know to go on working on the database after this one. A step that only adds what
   * such a program doesn't use has that of the step before.
   */
  readonly compatibleSince: number;
}

/** The steps of one schema in a database that may have several. */
export interface SchemaSteps {
  /** Its name, in the names of its tables. */
  readonly name: string;
  readonly steps: readonly SchemaStep[];
}

/** Thrown if a program and a database are too far apart to work together. */
export class IncompatibleSchema extends Error {
  constructor(name: string, known: number, found: number, needed: number) {
    super(
      `The database's ${name} records are of a newer version: they have ${found} schema steps and need a program that knows at least ${needed}; this one knows ${known}. `
      + 'Nothing was changed. Start the newer version of infra-mcp, or restore a dump of before it.',
    );
    this.name = 'IncompatibleSchema';
  }
}

interface AppliedStep {
  readonly name: string;
  readonly compatible_since: number;
}

/** A statement for which no limit in time holds: however long another process takes, and however many rows there are. */
const unlimited = (text: string, values: readonly unknown[] = []): QueryConfig => Object.assign({ text, values: [...values] }, { query_timeout: 2 ** 31 - 1 });

const duplicateTable = '42P07';

/** Runs the statements of a step. @throws Error that says so if the database has tables of others */
async function takeStep(client: PostgresClient, { statements }: SchemaStep): Promise<void> {
  try {
    // oxlint-disable-next-line no-await-in-loop -- in their order.
    for (const statement of statements) await client.query(unlimited(statement));
  } catch (error) {
    if ((error as { code?: string }).code !== duplicateTable) throw error;
    throw new Error(`The database is used by something else: ${(error as Error).message}. Nothing was changed. Name a database that nothing else uses.`, { cause: error });
  }
}

/** The table of the steps of a schema that a database has. */
export const tableOf = (name: string): string => `${name}_schema_step`;

/** Whether a program that knows these steps may work on a database that has those. */
export const isCompatible = ({ steps }: SchemaSteps, applied: readonly AppliedStep[]): boolean => Math.max(0, ...applied.map((step) => step.compatible_since)) <= steps.length;

/** Requires that a program that knows these steps may work on a database that has those. @throws IncompatibleSchema otherwise */
const requireCompatible = (schema: SchemaSteps, applied: readonly AppliedStep[]): void => {
  const { name, steps } = schema;
  const needed = Math.max(0, ...applied.map((step) => step.compatible_since));
  if (!isCompatible(schema, applied)) throw new IncompatibleSchema(name, steps.length, applied.length, needed);
};

/** The steps that a database has. @throws Error if it has no table of them */
export const appliedSteps = async (client: Pick<PostgresClient, 'query'>, { name }: SchemaSteps): Promise<AppliedStep[]> =>
  (await client.query<AppliedStep>(`select name, compatible_since from ${tableOf(name)} order by position`)).rows;

/**
 * Brings a schema to this program's version. One process does so at a time. A database of a newer version is left as it is, if
 * this program can work on it.
 * @param announce told within the transaction that it takes steps, so that what it says is heard when they are there, and not if they aren't
 * @throws IncompatibleSchema if it can't
 */
export async function migrateSchema(pool: PostgresPool, schema: SchemaSteps, announce: (client: PostgresClient) => Promise<void> = async () => {}): Promise<void> {
  const table = tableOf(schema.name);
  return transaction(pool, 'write', async (client) => {
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0');
    await client.query(unlimited('select pg_advisory_xact_lock(hashtextextended($1, 0))', [table]));
    await client.query(`create table if not exists ${table} (name text primary key, position integer not null unique, compatible_since integer not null, applied_at timestamptz not null default now())`);
    const applied = await appliedSteps(client, schema);
    requireCompatible(schema, applied);
    const missing = [...schema.steps.entries()].filter(([, { name }]) => !applied.some((step) => step.name === name));
    for (const [position, step] of missing) {
      // oxlint-disable-next-line no-await-in-loop -- in their order.
      await takeStep(client, step);
      // oxlint-disable-next-line no-await-in-loop
      await client.query(`insert into ${table} (name, position, compatible_since) values ($1, $2, $3)`, [step.name, position, step.compatibleSince]);
    }
    if (missing.length > 0) await announce(client);
  });
}

/** Requires that this program may still work on a schema that another one may have migrated. @throws IncompatibleSchema otherwise */
export const requireCompatibleSchema = async (client: Pick<PostgresClient, 'query'>, schema: SchemaSteps): Promise<void> => requireCompatible(schema, await appliedSteps(client, schema));
