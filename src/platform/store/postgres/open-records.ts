import { IncompatibleSchema, type Schema } from '../../../database/index.ts';
import {
  clientConfig,
  explained,
  migrateSchema,
  openPool,
  type PoolOptions,
  type PostgresAddress,
  type PostgresClient,
  queriesOn,
  requireCompatible,
  type Statements,
  transaction,
  withSessionLock,
} from '../../../postgres/index.ts';
import type { PlatformClock } from '../../common/index.ts';
import type { DataStore, Db } from '../store.ts';
import { type DatabaseClock, followDatabaseClock } from './database-clock.ts';
import { postgresCallWindows } from './call-windows.ts';
import { withRecordsFailures } from './failures.ts';
import type { DatabaseSchema } from '../schema/schema.ts';
import { platformSchema } from '../platform-schema.ts';
import { announceSchema, openWorkChannel } from './work-channel.ts';

export { platformSchema };

/** The name of the lock of work that one process on the records does at a time. */
export const lockOf = (name: string): string => `platform/alone/${name}`;

const defaultConnections = 10;

/**
 * The maximum number of connections of a process: those for queries, one for listening, and one for a lock during its
 * start.
 */
export const platformConnections = defaultConnections + 2;

/** The interval between checks that the schema is still compatible, in milliseconds. */
const betweenSchemaChecks = 60_000;

const holding = `
  select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
  from (select hashtextextended(name, 0) as key, is_shared from unnest($1::text[], $2::boolean[]) with ordinality as hold (name, is_shared, place) order by place offset 0) as ordered`;

/** Locks names for a transaction, each of them once. */
const lockerOf = (client: PostgresClient): Db['lockInOrder'] => {
  const taken = new Map<string, boolean>();
  return async (locks) => {
    const missing = locks.filter(({ name }) => !taken.has(name));
    const onlyShared = locks.find(({ name, isShared }) => !isShared && taken.get(name));
    if (onlyShared)
      throw new Error(
        `A transaction shares ${onlyShared.name} and then wants to lock it exclusively: two such transactions would deadlock. It must lock it exclusively from the start.`,
      );
    if (missing.length === 0) return;
    await client.query(holding, [
      missing.map(({ name }) => `platform/${name}`),
      missing.map(({ isShared }) => isShared),
    ]);
    for (const { name, isShared } of missing) taken.set(name, isShared);
  };
};

const withDialect = (statements: Statements, client?: PostgresClient): Db => {
  const lockInOrder: Db['lockInOrder'] = client === undefined ? async () => {} : lockerOf(client);
  return Object.assign(queriesOn<DatabaseSchema>(statements, client === undefined), {
    lockInOrder,
    lock: (...names: readonly string[]) =>
      lockInOrder([...new Set(names)].toSorted().map((name) => ({ name, isShared: false }))),
  });
};

/** Options for one process's use of the records. */
export interface RecordsOptions {
  /** The maximum number of connections, besides the one for listening; default 10. */
  readonly maximumConnections?: number;
  /** The clock of this process; default the system's. */
  readonly ownClock?: PlatformClock;
  /** The schema that this program knows; default its own. */
  readonly schema?: Schema;
  /**
   * Whether it migrates the records first; default true. Otherwise there must be some, of any compatible version, and
   * only what every version has may be used.
   */
  readonly migrates?: boolean;
}

/**
 * Opens the records in a database. Several processes may use them at once.
 * @throws Error if the database can't be reached, IncompatibleSchema if its version is newer and this program can't
 * work on it
 */
export async function openPostgresRecords(
  address: PostgresAddress,
  { maximumConnections = defaultConnections, ownClock, schema = platformSchema, migrates = true }: RecordsOptions = {},
): Promise<DataStore> {
  const options: PoolOptions = { applicationName: 'infra-mcp-platform', maximumConnections };
  const pool = openPool(address, options);
  const outdated = Promise.withResolvers<Error>();
  let unusable: IncompatibleSchema | undefined;
  let clock: DatabaseClock;
  try {
    await (migrates ? migrateSchema(pool, schema, announceSchema) : requireCompatible(pool, schema));
    clock = await followDatabaseClock(pool, ownClock);
  } catch (error) {
    await pool.end();
    throw explained(address, error);
  }

  /** Checks whether a newer process has migrated the records to a version that this program is too old for. */
  const checkSchema = async (): Promise<void> => {
    try {
      await requireCompatible(pool, schema);
    } catch (error) {
      if (!(error instanceof IncompatibleSchema)) return;
      unusable = error;
      outdated.resolve(error);
    }
  };
  // A message announces a migration. A process that missed it, for example without a connection, notices by checking.
  const checking = setInterval(() => void checkSchema(), betweenSchemaChecks).unref();

  /** @throws IncompatibleSchema once the versions are too far apart */
  const usable = (): typeof pool => {
    if (unusable) throw unusable;
    return pool;
  };

  const single = withDialect({
    query: (async (query: Parameters<PostgresClient['query']>[0]) =>
      withRecordsFailures(async () => usable().query(query))) as PostgresClient['query'],
  });
  const channel = openWorkChannel(pool, clientConfig(address, options), () => void checkSchema());
  const within =
    (mode: 'read' | 'write') =>
    <Result>(operation: (trx: Db) => Promise<Result>) =>
      withRecordsFailures(async () => transaction(usable(), mode, (client) => operation(withDialect(client, client))));
  const write: DataStore['write'] = within('write');
  const own: Omit<DataStore, keyof Db> = {
    isShared: true,
    reader: single,
    read: within('read'),
    write,
    // Replaced values stay in the database's files until a vacuum, and in its backups.
    overwrite: write,
    clock,
    callWindows: postgresCallWindows(single),
    alone: (name, operation) => withSessionLock(clientConfig(address, options), lockOf(name), operation),
    unusable: outdated.promise,
    announceWork: channel.announceWork,
    onWork: channel.onWork,
    announceSetting: channel.announceSetting,
    onSetting: channel.onSetting,
    destroy: async () => {
      clearInterval(checking);
      clock.close();
      await channel.close();
      await pool.end();
    },
  };
  return Object.assign(single, own);
}
