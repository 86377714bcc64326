import { Client, type QueryConfig } from 'pg';
import {
  requireCompatibleSchema,
  type Run,
  type Schema,
  type SchemaState,
  schemaStateOf,
  stepTableOf,
  takeMissingSteps,
} from '../database/index.ts';
import type { PostgresAddress } from './address.ts';
import { clientConfig, type PostgresClient, type PostgresPool } from './pool.ts';
import { transaction } from './transaction.ts';

const running =
  (client: Pick<Client, 'query'>): Run =>
  async (statement) =>
    (await client.query<Record<string, unknown>>(statement)).rows;

/** A statement without a client-side timeout, however long another process takes and however many rows there are. */
const unlimited = (text: string, values: readonly unknown[] = []): QueryConfig =>
  Object.assign({ text, values: [...values] }, { query_timeout: 2 ** 31 - 1 });

const duplicateTable = '42P07';

/** Runs the statements of steps. @throws Error with an explanation if the database has other applications' tables */
const runSteps =
  (client: PostgresClient): Run =>
  async (statement) => {
    try {
      return (await client.query<Record<string, unknown>>(unlimited(statement))).rows;
    } catch (error) {
      if ((error as { code?: string }).code !== duplicateTable) throw error;
      throw new Error(
        `The database is used by something else: ${(error as Error).message}. Nothing was changed. Name a database that nothing else uses.`,
        { cause: error },
      );
    }
  };

/**
 * Migrates a schema to this program's version, one process at a time. Leaves a newer, compatible database unchanged.
 * @param announce called within a transaction that takes steps, so that its notification is sent only if they are
 * committed
 * @throws IncompatibleSchema for a newer, incompatible one
 */
export async function migrateSchema(
  pool: PostgresPool,
  schema: Schema,
  announce: (client: PostgresClient) => Promise<void> = async () => {},
): Promise<void> {
  return transaction(pool, 'write', async (client) => {
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0');
    await client.query(unlimited('select pg_advisory_xact_lock(hashtextextended($1, 0))', [stepTableOf(schema)]));
    if (await takeMissingSteps(schema, 'postgres', runSteps(client))) await announce(client);
  });
}

/**
 * Requires that this program is still compatible with a schema that another one may have migrated.
 * @throws IncompatibleSchema otherwise
 */
export async function requireCompatible(client: Pick<PostgresClient, 'query'>, schema: Schema): Promise<void> {
  await requireCompatibleSchema(schema, running(client));
}

/** Properties of a server and of one of its databases. */
export interface ExaminedServer {
  /** For example 15.14. */
  readonly version: string;
  /** Whether the connection is encrypted. */
  readonly isEncrypted: boolean;
  /** Whether it only reads, as a standby does. */
  readonly isReadOnly: boolean;
  /** The maximum number of connections for this user and database, without those reserved for administrators. */
  readonly maximumConnections: number;
  /** The current number of connections, without this one. */
  readonly connections: number;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  readonly clockAhead: number;
  /** Whether this user may create tables in it. */
  readonly mayCreate: boolean;
}

/** A read-only connection for an examination. */
export interface Examination {
  readonly server: ExaminedServer;
  readonly schemaState: (schema: Schema) => Promise<SchemaState>;
  /** Returns the rows of a query. */
  readonly rows: Run;
}

const aboutServer = `
  select current_setting('server_version') as version, current_setting('transaction_read_only')::boolean or pg_is_in_recovery() as standby,
    (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted,
    least(current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()), (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as maximum,
    (select count(*) - 1 from pg_stat_activity where backend_type = 'client backend') as connections,
    has_schema_privilege(current_schema(), 'create') as may_create`;

async function examineServer(client: Client): Promise<ExaminedServer> {
  const {
    rows: [row],
  } = await client.query<{
    version: string;
    standby: 0 | 1;
    encrypted: 0 | 1;
    maximum: number;
    connections: number;
    may_create: 0 | 1 | null;
  }>(aboutServer);
  const before = Date.now();
  const {
    rows: [time],
  } = await client.query<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now');
  return {
    version: row!.version.split(' ')[0]!,
    isEncrypted: row!.encrypted === 1,
    isReadOnly: row!.standby === 1,
    maximumConnections: row!.maximum,
    connections: row!.connections,
    mayCreate: row!.may_create === 1,
    clockAhead: Math.round(time!.now - (before + Date.now()) / 2),
  };
}

/**
 * Connects to a database and examines it. Changes nothing.
 * @throws Error if it can't be reached, or what `read` throws
 */
export async function examineDatabase<Result>(
  address: PostgresAddress,
  read: (examination: Examination) => Promise<Result>,
): Promise<Result> {
  const config = clientConfig(address, { applicationName: 'infra-mcp-doctor', maximumConnections: 1 });
  const client = new Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    const server = await examineServer(client);
    await client.query('set default_transaction_read_only = on');
    const rows = running(client);
    const isPresent = async (table: string): Promise<boolean> =>
      (await rows(`select to_regclass('${table}')::text as present`))[0]!['present'] !== null;
    return await read({ server, rows, schemaState: (schema) => schemaStateOf(schema, rows, isPresent) });
  } finally {
    await client.end().catch(() => {});
  }
}
