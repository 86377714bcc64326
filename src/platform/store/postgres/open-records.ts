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

/** The lock of what one process on the records does at a time. */
export const lockOf = (name: string): string => `platform/alone/${name}`;

const defaultConnections = 10;

/**
 * How many connections a process has at most: those for queries, the one that it listens on, and that of a lock while
 * it starts.
 */
export const platformConnections = defaultConnections + 2;

/** How often it is looked whether the schema is still one to work on, in milliseconds. */
const betweenSchemaChecks = 60_000;

const holding = `
  select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
  from (select hashtextextended(name, 0) as key, is_shared from unnest($1::text[], $2::boolean[]) with ordinality as hold (name, is_shared, place) order by place offset 0) as ordered`;

/** Takes names for a transaction, each of them once. */
const holderOf = (client: PostgresClient): Db['lockInOrder'] => {
  const taken = new Map<string, boolean>();
  return async (locks) => {
    const missing = locks.filter(({ name }) => !taken.has(name));
    const onlyShared = locks.find(({ name, isShared }) => !isShared && taken.get(name));
    if (onlyShared)
      throw new Error(
        `A transaction shares ${onlyShared.name} and wants to hold it: two that do so would wait for each other. It has to hold it at first.`,
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
  const lockInOrder: Db['lockInOrder'] = client === undefined ? async () => {} : holderOf(client);
  return Object.assign(queriesOn<DatabaseSchema>(statements, client !== undefined), {
    lockInOrder,
    lock: (...names: readonly string[]) =>
      lockInOrder([...new Set(names)].toSorted().map((name) => ({ name, isShared: false }))),
  });
};

/** How the records are used by one process. */
export interface RecordsOptions {
  /** How many connections it has at most, beside the one that it listens on; default 10. */
  readonly maximumConnections?: number;
  /** The clock of this process; default the system's. */
  readonly ownClock?: PlatformClock;
  /** The schema that this program knows; default its own. */
  readonly schema?: Schema;
}

/**
 * Opens and migrates the records in a database. Several processes may use them at once.
 * @throws Error if the database can't be reached, IncompatibleSchema if it is of a newer version that this one can't
 *   work on
 */
export async function openPostgresRecords(
  address: PostgresAddress,
  { maximumConnections = defaultConnections, ownClock, schema = platformSchema }: RecordsOptions = {},
): Promise<DataStore> {
  const options: PoolOptions = { applicationName: 'infra-mcp-platform', maximumConnections };
  const pool = openPool(address, options);
  const outdated = Promise.withResolvers<Error>();
  let unusable: IncompatibleSchema | undefined;
  let clock: DatabaseClock;
  try {
    await migrateSchema(pool, schema, announceSchema);
    clock = await followDatabaseClock(pool, ownClock);
  } catch (error) {
    await pool.end();
    throw explained(address, error);
  }

  /** A newer process may have migrated the records and this program may be too old for them by now. */
  const checkSchema = async (): Promise<void> => {
    try {
      await requireCompatible(pool, schema);
    } catch (error) {
      if (!(error instanceof IncompatibleSchema)) return;
      unusable = error;
      outdated.resolve(error);
    }
  };
  // It is told when that happens. Who missed it, because nothing came over a connection, finds out by looking.
  const checking = setInterval(() => void checkSchema(), betweenSchemaChecks).unref();

  /** @throws IncompatibleSchema once they are too far apart */
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
  const windows = postgresCallWindows(usable);
  const own: Omit<DataStore, keyof Db> = {
    isShared: true,
    reader: single,
    read: within('read'),
    write,
    // What was replaced stays in the database's files until it has cleaned them up, as in its own backups.
    overwrite: write,
    clock,
    callWindows: { count: (...call) => withRecordsFailures(() => windows.count(...call)) },
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
