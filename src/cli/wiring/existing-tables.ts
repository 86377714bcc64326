import type { Schema, SchemaState } from '../../database/index.ts';

/**
 * Determines the state of a schema in a database, for a command that neither makes nor migrates tables.
 * @throws Error if the database can't be reached
 */
export async function schemaStateIn(databaseUrl: string, schema: Schema): Promise<SchemaState> {
  const { examineDatabase, explained, parseAddress } = await import('../../postgres/index.ts');
  const address = parseAddress(databaseUrl);
  return examineDatabase(address, ({ schemaState }) => schemaState(schema)).catch((error: unknown) => {
    throw explained(address, error);
  });
}
