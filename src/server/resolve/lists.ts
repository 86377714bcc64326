import { LRUCache } from 'lru-cache';
import { ApiError } from '../../client/errors.ts';
import { operations } from '../../contract/operations.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';
import type { Lookup } from '../tool/address.ts';
import { thingOf, type Thing } from './thing.ts';
import type { Listing } from './tree.ts';
import { CallFailure } from '../failure/failure.ts';
import { rowsIn } from '../context/reads.ts';

/** How long a list is taken to be as it was read, in milliseconds. */
export const listLifetime = 60_000;

/** Most lists remembered, of all principals together. */
const mostLists = 2_000;

/** One search for something, and what it came upon. */
export interface Search {
  readonly look: Lookup;
  /** Requests that it may still make. */
  requests: number;
  /** Lists read before this one count as old. */
  readonly since: number;
  /** Whether a remembered list was used. */
  remembered: boolean;
  /** Whether it ended because of its requests. */
  cutShort: boolean;
  /** What could not be listed. */
  readonly unlisted: Set<ReferenceKind>;
}

/** What a list came to; `whole` unless the search that read it ended before. */
type Read = { readonly things: readonly Thing[]; readonly whole: boolean } | undefined;

interface List {
  readonly principal: string;
  readonly kinds: readonly ReferenceKind[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Lists are numbered as they are asked for. */
  readonly number: number;
  /** Undefined where the platform doesn't tell. */
  readonly read: Promise<Read>;
}

/** What lies in what, as the platform lists it; remembered for a short while, apart for each principal. */
export interface Lists {
  /** What lies in one thing; undefined where the platform doesn't tell. @throws ApiError as it fails otherwise. */
  inside(listing: Listing, id: string, search: Search): Promise<readonly Thing[] | undefined>;
  /** The token's organization. @throws ApiError as the platform fails. */
  organization(search: Search): Promise<readonly Thing[]>;
  /** How many lists were asked for. */
  count(): number;
  /** Something of these kinds has changed for this principal. */
  forget(principal: string, kinds: readonly ReferenceKind[]): void;
}

type Ask = () => Promise<Read>;

const isDenied = (error: unknown): boolean => error instanceof CallFailure && error.failure.kind === 'denied';

const isGone = (error: unknown): boolean => error instanceof ApiError && error.kind === 'not_found';

/** Pages after this one, by what an answer says of itself. */
function nextPage(answer: JsonRecord | undefined): JsonRecord | undefined {
  const pagination = answer?.['pagination'];
  if (!isRecord(pagination)) return undefined;
  const { page, page_size: size, total_pages: pages } = pagination;
  return typeof page === 'number' && typeof pages === 'number' && page < pages ? { page: page + 1, page_size: size } : undefined;
}

async function readInside({ operation, parent, kinds }: Listing, id: string, search: Search): Promise<Read> {
  const things: Thing[] = [];
  let page: JsonRecord | undefined = {};
  while (page) {
    if (search.requests <= 0) return { things, whole: false };
    search.requests -= 1;
    const answer: JsonRecord | undefined = await search.look.reader.attempt(operation, { [`${parent}_id`]: id, ...page });
    if (answer === undefined) return undefined;
    things.push(...rowsIn(answer).flatMap((row) => thingOf(row, kinds, { kind: parent, id }) ?? []));
    page = nextPage(answer);
  }
  return { things, whole: true };
}

async function readOrganization({ look }: Search): Promise<Read> {
  const answer = await look.reader.read(operations.get_organization, {});
  const rows = isRecord(answer) ? rowsIn(answer) : [];
  return { things: (rows.length > 0 ? rows : [answer]).flatMap((row) => thingOf(row, ['organization']) ?? []), whole: true };
}

export function createLists(): Lists {
  const lists = new LRUCache<string, List>({ max: mostLists });
  let numbers = 0;

  const ask = (key: string, kinds: readonly ReferenceKind[], { look }: Search, read: Ask): Promise<Read> => {
    const list: List = { principal: look.principal, kinds, at: look.now(), number: (numbers += 1), read: read() };
    const forget = (): void => void (lists.peek(key) === list && lists.delete(key));
    lists.set(key, list);
    // What could not be read, or not to the end, is asked for again.
    list.read.then((done) => done?.whole || forget(), forget);
    return list.read;
  };

  const listed = async (name: string, kinds: readonly ReferenceKind[], search: Search, read: Ask): Promise<readonly Thing[] | undefined> => {
    const { principal, now } = search.look;
    const key = JSON.stringify([principal, name]);
    const known = lists.get(key);
    const isFresh = known !== undefined && known.number > search.since && now() - known.at < listLifetime;
    search.remembered ||= isFresh;
    // Whoever asked for it first may have given up; that is no failure of this search.
    const done = await (isFresh ? known.read.catch(() => ask(key, kinds, search, read)) : ask(key, kinds, search, read));
    search.cutShort ||= done?.whole === false;
    return done?.things;
  };

  return {
    inside: async (listing, id, search) => {
      const things = await listed(`${listing.operation.name} ${id}`, listing.kinds, search, () => readInside(listing, id, search)).catch((error: unknown) => {
        // It was there when the list that holds it was read.
        if (isGone(error)) return [];
        if (isDenied(error)) return undefined;
        throw error;
      });
      if (things === undefined) for (const kind of listing.kinds) search.unlisted.add(kind);
      return things;
    },
    organization: async (search) => (await listed('organization', ['organization'], search, () => readOrganization(search))) ?? [],
    count: () => numbers,
    forget: (principal, kinds) => {
      for (const [key, list] of lists.entries()) {
        if (list.principal === principal && list.kinds.some((kind) => kinds.includes(kind))) lists.delete(key);
      }
    },
  };
}
