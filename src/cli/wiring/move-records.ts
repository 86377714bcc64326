import { join } from 'node:path';
import { isThere } from '../../files/index.ts';
import {
  type CopiedTable,
  CommitUnknown,
  explained,
  migrateSchema,
  openPool,
  parseAddress,
  type PostgresAddress,
  shownAddress,
  transaction,
} from '../../postgres/index.ts';
import { sealTargets } from '../../platform/engine/index.ts';
import {
  databaseFile,
  type DataStore,
  type ExportedRecords,
  exportRecords,
  keyFile,
  markMoved,
  openExistingVault,
  readMove,
  removeStaleReplacements,
  requireMatchingKey,
  unmarkMoved,
  type Vault,
} from '../../platform/store/index.ts';
import { exportCounts, type ExportedCounts } from '../../server/guard/index.ts';
import type { Config } from '../config/index.ts';
import { typedCommand } from './typed-command.ts';
import { guardStoreOf } from './guard.ts';

/** The result of moving a data directory's records to a database. */
export interface Move {
  /** The address of the database, without password. */
  readonly database: string;
  /** The tables that were copied and compared; undefined if the database had these records already. */
  readonly tables: readonly CopiedTable[] | undefined;
  /** The number of calls that wait at servers of the directory. They must be repeated at servers of the database. */
  readonly waitingCalls: number;
}

const unchanged = 'Nothing was changed.';

interface Source {
  readonly records: ExportedRecords | undefined;
  readonly counts: ExportedCounts | undefined;
}

const vaultFor = (keysDir: string): Vault => {
  const vault = openExistingVault(keysDir);
  if (!vault)
    throw new Error(
      `There is no ${keyFile} in ${keysDir}, so the secrets in the database could not be decrypted. Put the key file of the records there, or name its directory with --keys-dir. Nothing was changed.`,
    );
  return vault;
};

/** Whether records were marked as moved by an earlier run. @throws Error if that was to another database */
const isMarkedFor = (records: string, target: string): boolean => {
  const move = readMove(records);
  if (move === undefined || move.to === target) return move !== undefined;
  throw new Error(
    `The records of ${records} were moved to the database ${move.to} on ${move.at}. They can't be moved to ${target} as well: set INFRA_DATABASE_URL to the first one. Nothing was changed.`,
  );
};

/**
 * Copies everything in one transaction. The file is marked just before the commit, so that no process serves it once
 * the database may have its records.
 */
async function copyAll(
  address: PostgresAddress,
  { records, counts }: Source,
  mark: () => void,
): Promise<readonly CopiedTable[] | 'present'> {
  const [{ importRecords, platformSchema }, { guardSchema, importCounts }] = await Promise.all([
    import('../../platform/store/postgres/import-records.ts'),
    import('../../server/guard/storage/postgres-store.ts'),
  ]);
  const pool = openPool(address, { applicationName: 'infra-mcp-migrate', maximumConnections: 1, isPatient: true });
  try {
    for (const schema of [platformSchema, guardSchema]) await migrateSchema(pool, schema);
    return await transaction(pool, 'write', async (client) => {
      const tables = records === undefined ? [] : await importRecords(client, records);
      const copied =
        tables === 'present'
          ? tables
          : [...tables, ...(counts === undefined ? [] : await importCounts(client, counts))];
      mark();
      return copied;
    });
  } finally {
    await pool.end();
  }
}

const exportFrom = async (dataDir: string, keysDir: string): Promise<ExportedRecords> => {
  const vault = vaultFor(keysDir);
  return exportRecords(dataDir, async (db: DataStore) => {
    await requireMatchingKey(db, vault, keysDir);
    // Keeps values that earlier versions stored in plain text out of the database's files.
    await sealTargets(db, vault);
  });
};

/**
 * Moves the records of a claimed data directory to a database: all tables or none, each compared after reading it back.
 * Afterwards no version serves the directory's records. An interrupted move is completed by running it again.
 * @throws Error if the database can't be reached or has other records, or if the directory's can't be read. The
 * directory then stays unchanged
 */
export async function moveRecords(config: Config, databaseUrl: string): Promise<Move> {
  const { dataDir, keysDir } = config;
  const address = parseAddress(databaseUrl);
  const target = shownAddress(address);
  const file = join(dataDir, databaseFile);
  const wasMarked = isMarkedFor(file, target);
  await removeStaleReplacements(dataDir);
  const counts = await exportCounts(guardStoreOf(config), Date.now());
  const records = isThere(file) ? await exportFrom(dataDir, keysDir) : undefined;
  const mark = () =>
    records === undefined ? undefined : markMoved(file, { to: target, at: new Date().toISOString() });
  try {
    const tables = await copyAll(address, { records, counts }, mark);
    return {
      database: target,
      tables: tables === 'present' ? undefined : tables,
      waitingCalls: counts?.waitingCalls ?? 0,
    };
  } catch (error) {
    if (error instanceof CommitUnknown)
      throw new Error(
        `The connection to the database ${target} broke while everything was committed there: it has all records or none. Run ${typedCommand(config, 'migrate')} again, which checks this and completes it; until then no process can serve ${dataDir}.`,
        { cause: error },
      );
    // The mark of an earlier run stays, because its records may be in the database.
    if (!wasMarked) unmarkMoved(file);
    const reason = explained(address, error);
    const says = reason instanceof Error ? reason.message : String(reason);
    throw new Error(says.includes(unchanged) ? says : `${says} ${unchanged}`, { cause: error });
  } finally {
    await records?.close();
  }
}
