import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAddress, type PostgresAddress } from '../../../src/postgres/index.ts';
import { addressOf, createTestDatabase, dropTestDatabase } from '../../support/postgres/test-databases.ts';

/** A database of a test's own. */
export interface OwnDatabase {
  readonly address: PostgresAddress;
  /** The Unix socket of its server. */
  readonly socketPath: string;
  drop(): Promise<void>;
}

/**
 * Makes a database that is gone with the test.
 * @param template what it is a copy of; default one with the platform's tables, without records
 */
export async function ownDatabase(template?: string): Promise<OwnDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'database-'));
  const name = await createTestDatabase(directory, template);
  const address = parseAddress(addressOf(name));
  return {
    address,
    socketPath: `${address.host}/.s.PGSQL.${address.port}`,
    drop: async () => {
      await dropTestDatabase(directory);
      await rm(directory, { recursive: true });
    },
  };
}
