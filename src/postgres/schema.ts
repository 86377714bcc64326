import type { QueryConfig } from 'pg';
import { requireCompatibleSchema, type Run, type Schema, stepTableOf, takeMissingSteps } from '../database/index.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';
import { transaction } from './transaction.ts';

/** A statement for which no limit in time holds: however long another process takes, and however many rows there are. */
const unlimited = (text: string, values: readonly unknown[] = []): QueryConfig => Object.assign({ text, values: [...values] }, { query_timeout: 2 ** 31 - 1 });

const duplicateTable = '42P07';

/** Runs the statements of steps. @throws Error that says so if the database has tables of others */
const runSteps = (client: PostgresClient): Run => async (statement) => {
  try {
    return (await client.query<Record<string, unknown>>(unlimited(statement))).rows;
  } catch (error) {
    if ((error as { code?: string }).code !== duplicateTable) throw error;
    throw new Error(`The database is used by something else: ${(error as Error).message}. Nothing was changed. Name a database that nothing else uses.`, { cause: error });
  }
};

/**
 * Brings a schema to this program's version. One process does so at a time. A database of a newer version is left as it is, if
 * this program can work on it.
 * @param announce told within the transaction that it takes steps, so that what it says is heard when they are there, and not if they aren't
 * @throws IncompatibleSchema if it can't
 */
export async function migrateSchema(pool: PostgresPool, schema: Schema, announce: (client: PostgresClient) => Promise<void> = async () => {}): Promise<void> {
  return transaction(pool, 'write', async (client) => {
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0');
    await client.query(unlimited('select pg_advisory_xact_lock(hashtextextended($1, 0))', [stepTableOf(schema)]));
    if (await takeMissingSteps(schema, 'postgres', runSteps(client))) await announce(client);
  });
}

/** Requires that this program may still work on a schema that another one may have migrated. @throws IncompatibleSchema otherwise */
export async function requireCompatible(client: Pick<PostgresClient, 'query'>, schema: Schema): Promise<void> {
  await requireCompatibleSchema(schema, async (statement) => (await client.query<Record<string, unknown>>(statement)).rows);
}
