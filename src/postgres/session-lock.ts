import { Client, type ClientConfig } from 'pg';

/**
 * Runs an operation while no other process does what has the same name. The lock belongs to a connection of its own, so that it
 * ends with the process, however that ends. Waits for it as long as it takes.
 * @throws what the operation throws; Error if the database can't be reached, or if the connection was lost meanwhile: another
 * process may have begun then
 */
export async function withSessionLock<Result>(config: ClientConfig, name: string, operation: () => Promise<Result>): Promise<Result> {
  const client = new Client({ ...config, statement_timeout: 0, lock_timeout: 0, query_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const result = await operation();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    return result;
  } finally {
    await client.end().catch(() => {});
  }
}
