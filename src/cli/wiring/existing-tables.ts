import type { Schema } from '../../database/index.ts';

/**
 * Whether a database has the tables of a schema, for a command that only reads: it neither makes nor migrates them.
 * @param what the tables hold, such as "the platform"
 * @throws Error if they are of an earlier version, or the database can't be reached
 */
export async function hasTables(databaseUrl: string, schema: Schema, what: string): Promise<boolean> {
  const { examineDatabase, explained, parseAddress, shownAddress } = await import('../../postgres/index.ts');
  const address = parseAddress(databaseUrl);
  const state = await examineDatabase(address, ({ schemaState }) => schemaState(schema)).catch((error: unknown) => {
    throw explained(address, error);
  });
  if (state === 'older')
    throw new Error(
      `The records of ${what} in ${shownAddress(address)} are of an earlier version. A command that reads does not migrate them: ` +
        'start a process of this version first, which does, or use the version of the processes that run.',
    );
  return state !== 'missing';
}
