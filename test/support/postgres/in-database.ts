import { Client } from 'pg';
import { parseAddress } from '../../../src/postgres/index.ts';

/** Runs a statement in a database, on a connection of its own, and gives the rows as the driver reads them. */
export async function inDatabase<Row = Record<string, unknown>>(
  address: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { host, port, user, database } = parseAddress(address);
  const client = new Client({ host, port, user, database });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}
