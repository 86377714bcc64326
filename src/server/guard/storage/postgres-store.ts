import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  clientConfig,
  databaseTime,
  listen,
  migrateSchema,
  notify,
  openPool,
  queriesOn,
  transaction,
  type PostgresAddress,
} from '../../../postgres/index.ts';
import type { CacheChange, CacheInvalidation, SeenResource } from '../../resolve/index.ts';
import { guardDatabase, type GuardDatabase, type OpenDatabase } from './database.ts';
import { storeIn, type SharedStore } from './guard-store.ts';
import { guardSchema } from './tables.ts';

export { importCounts } from './counts.ts';
export { guardSchema };

const channel = 'infra_mcp_resources';

/** Maximum size of one message in bytes. The database accepts 7,999. */
const mostBytes = 7_500;

/** The number of resources that a server loads, and that the database keeps in total. */
const [mostLoaded, mostKept] = [5_000, 50_000];

/** A message to the other servers. */
interface Message extends CacheChange {
  /** The process that sends it. */
  readonly by: string;
  /** Digest of the platform that it concerns. */
  readonly platform: string;
}

/** Learned resources, in parts that each fit into a message. A resource too large for one message is only stored. */
function partsOf(learned: readonly SeenResource[]): SeenResource[][] {
  const parts: SeenResource[][] = [[]];
  let bytes = 0;
  for (const seen of learned) {
    const size = Buffer.byteLength(JSON.stringify(seen)) + 1;
    if (size > mostBytes) continue;
    if (bytes + size > mostBytes) [bytes] = [0, parts.push([])];
    bytes += size;
    parts.at(-1)!.push(seen);
  }
  return parts;
}

/** The number of deletions in one message. */
const deletionsAtOnce = 50;

/** A change as messages. Deletions come last, so that resources learned before don't bring back deleted ones. */
function messagesOf({ learned, changed, deleted }: CacheChange): CacheChange[] {
  const first: CacheChange[] = partsOf(learned).map((part, index) => ({
    learned: part,
    changed: index === 0 ? changed : [],
    deleted: [],
  }));
  const deletions = Array.from({ length: Math.ceil(deleted.length / deletionsAtOnce) }, (_, index) =>
    deleted.slice(index * deletionsAtOnce, (index + 1) * deletionsAtOnce),
  );
  return [...first, ...deletions.map((part): CacheChange => ({ learned: [], changed: [], deleted: part }))];
}

/** The shared knowledge of servers about the resources of a platform, in a PostgreSQL database. */
function cacheInvalidation(
  { read, write }: GuardDatabase,
  address: PostgresAddress,
  platformName: string,
): CacheInvalidation {
  const by = randomUUID();
  const platform = createHash('sha256').update(platformName).digest('base64url').slice(0, 22);

  const parse = (payload: string): Message | undefined => {
    const message = JSON.parse(payload) as Message;
    return message.by === by || message.platform !== platform ? undefined : message;
  };

  return {
    all: async () => {
      await write(({ queries }) =>
        sql`delete from guard_resource where learned_at < (select learned_at from guard_resource order by learned_at desc offset ${mostKept} limit 1)`.execute(
          queries,
        ),
      );
      const rows = await read((queries) =>
        queries
          .selectFrom('guard_resource')
          .select(['principal as of', 'resource'])
          .orderBy('learned_at', 'desc')
          .limit(mostLoaded)
          .execute(),
      );
      return rows.map(({ of, resource }) => ({ of, thing: JSON.parse(resource) as SeenResource['thing'] }));
    },
    tell: ({ learned, changed, deleted }) =>
      write(async ({ queries }) => {
        // In a fixed order, so that servers that store the same resources wait for each other instead of deadlocking.
        const ordered = learned.toSorted((one, other) => (one.of + one.thing.id < other.of + other.thing.id ? -1 : 1));
        // One statement, whatever the number of resources.
        const column = (of: (seen: SeenResource) => string) => sql`${ordered.map(of)}::text[]`;
        if (ordered.length > 0) {
          await sql`insert into guard_resource (principal, kind, id, resource, learned_at)
            select principal, kind, id, resource::json, ${databaseTime}
            from unnest(${column(({ of }) => of)}, ${column(({ thing }) => thing.kind)}, ${column(({ thing }) => thing.id)}, ${column(({ thing }) => JSON.stringify(thing))}) as learned (principal, kind, id, resource)
            on conflict (principal, kind, id) do update set resource = excluded.resource, learned_at = excluded.learned_at`.execute(
            queries,
          );
        }
        if (deleted.length > 0)
          await sql`delete from guard_resource where (kind, id) in (select * from unnest(${deleted.map(({ kind }) => kind)}::text[], ${deleted.map(({ id }) => id)}::text[]))`.execute(
            queries,
          );
        await notify(
          queries,
          channel,
          messagesOf({ learned: ordered, changed, deleted }).map((invalidation) =>
            JSON.stringify({ by, platform, ...invalidation } satisfies Message),
          ),
        );
      }),
    listen: (onChange, onHearing) => {
      const listener = listen({
        config: clientConfig(address, { applicationName, maximumConnections: 1 }),
        channel,
        onMessage: (payload) => {
          const message = parse(payload);
          if (message) onChange(message);
        },
        onListening: () => onHearing(true),
        onLost: () => onHearing(false),
      });
      return () => listener.close();
    },
  };
}

/** The name of server connections in the database. */
const applicationName = 'infra-mcp-server';

const defaultConnections = 5;

/** The maximum number of connections of a server: those for queries, and the one on which it listens. */
export const serverConnections = defaultConnections + 1;

/** How a process uses the database. */
export interface PostgresGuardOptions {
  /** The maximum number of its connections. Calls that need the store use one for moments. */
  readonly maximumConnections?: number;
  /** Whether the time is that of the callers instead of the database: for callers with a simulated clock. */
  readonly isTimeGiven?: boolean;
}

/**
 * A store in a database that the servers of any number of machines share. Its tables are created or migrated on first
 * use. Its functions throw StoreUnavailable.
 */
export function postgresGuardStore(
  address: PostgresAddress,
  { maximumConnections = defaultConnections, isTimeGiven = false }: PostgresGuardOptions = {},
): SharedStore {
  const pool = openPool(address, { applicationName, maximumConnections });
  // Repeated after a conflict with others or a lost connection.
  const run: OpenDatabase['write'] = (operation) =>
    transaction(pool, 'write', (client) => operation(queriesOn(client, false)));
  const database = guardDatabase(
    async () => {
      await migrateSchema(pool, guardSchema);
      return { read: run, write: run, close: async () => {} };
    },
    { isShared: true, ...(!isTimeGiven && { databaseTime }) },
  );
  return {
    ...storeIn(database),
    cacheInvalidation: (platform) => cacheInvalidation(database, address, platform),
    unusable: database.unusable,
    close: () => pool.end(),
  };
}
