import { createHash, randomUUID } from 'node:crypto';
import { clientConfig, listen, type PostgresAddress } from '../../../../postgres/index.ts';
import type { News, ResourceNews, SeenResource } from '../../../resolve/index.ts';
import { applicationName, type GuardConnection } from './connection.ts';

const channel = 'infra_mcp_resources';

/** Most bytes of one message. The database takes 7,999. */
const mostBytes = 7_500;

/** How many resources a server takes, and how many the database keeps for all. */
const [mostLoaded, mostKept] = [5_000, 50_000];

/** A message to the other servers. */
interface Message extends News {
  /** The process that sends it. */
  readonly by: string;
  /** Digest of the platform that it is about. */
  readonly platform: string;
}

/** What was learned, in parts of which each fits into a message. What is too large for one alone is only stored. */
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

/** How many deletions one message tells of. */
const deletionsAtOnce = 50;

/** News in messages. Deletions come last, so that nothing learned before brings back what is gone. */
function messagesOf({ learned, changed, deleted }: News): News[] {
  const first: News[] = partsOf(learned).map((part, index) => ({ learned: part, changed: index === 0 ? changed : [], deleted: [] }));
  const deletions = Array.from({ length: Math.ceil(deleted.length / deletionsAtOnce) }, (_, index) => deleted.slice(index * deletionsAtOnce, (index + 1) * deletionsAtOnce));
  return [...first, ...deletions.map((part): News => ({ learned: [], changed: [], deleted: part }))];
}

const store = `insert into guard_resource (principal, kind, id, resource, learned_at)
  select principal, kind, id, resource::json, clock_timestamp() from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as learned (principal, kind, id, resource)
  on conflict (principal, kind, id) do update set resource = excluded.resource, learned_at = excluded.learned_at`;

const drop = 'delete from guard_resource where (kind, id) in (select * from unnest($1::text[], $2::text[]))';

const dropOldest = 'delete from guard_resource where learned_at < (select learned_at from guard_resource order by learned_at desc offset $1 limit 1)';

/** What servers learn of the resources of a platform, in a PostgreSQL database. */
export function postgresResourceNews({ run, transact }: GuardConnection, address: PostgresAddress, platformName: string): ResourceNews {
  const by = randomUUID();
  const platform = createHash('sha256').update(platformName).digest('base64url').slice(0, 22);

  const parse = (payload: string): Message | undefined => {
    const message = JSON.parse(payload) as Message;
    return message.by === by || message.platform !== platform ? undefined : message;
  };

  return {
    all: async () => {
      await run(dropOldest, mostKept);
      return (await run('select principal as of, resource as thing from guard_resource order by learned_at desc limit $1', mostLoaded)) as unknown as readonly SeenResource[];
    },
    tell: ({ learned, changed, deleted }) =>
      transact(async ({ query }) => {
        // In one order, so that servers that store the same wait for each other instead of being in each other's way.
        const ordered = learned.toSorted((one, other) => (one.of + one.thing.id < other.of + other.thing.id ? -1 : 1));
        const column = (of: (seen: SeenResource) => string): string[] => ordered.map(of);
        if (ordered.length > 0) await query(store, column(({ of }) => of), column(({ thing }) => thing.kind), column(({ thing }) => thing.id), column(({ thing }) => JSON.stringify(thing)));
        if (deleted.length > 0) await query(drop, deleted.map(({ kind }) => kind), deleted.map(({ id }) => id));
        const messages = messagesOf({ learned: ordered, changed, deleted }).map((news) => JSON.stringify({ by, platform, ...news } satisfies Message));
        await query('select pg_notify($1, message) from unnest($2::text[]) as message', channel, messages);
      }),
    listen: (onNews, onHearing) => {
      const listener = listen({
        config: clientConfig(address, { applicationName, maximumConnections: 1 }),
        channel,
        onMessage: (payload) => {
          const message = parse(payload);
          if (message) onNews(message);
        },
        onListening: () => onHearing(true),
        onLost: () => onHearing(false),
      });
      return () => listener.close();
    },
  };
}
