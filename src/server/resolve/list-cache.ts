import { LRUCache } from 'lru-cache';
import { ApiError } from '../../client/errors.ts';
import { operations } from '../../contract/operations.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';
import type { Lookup } from '../tool/name-resolver.ts';
import { resourceRefOf, type ResourceRef } from './resource-ref.ts';
import type { ListOperation } from './resource-hierarchy.ts';
import { CallFailure } from '../failure/failure.ts';
import { rowsIn } from '../context/reads.ts';

/** How long a list is taken to be as it was read, in milliseconds. */
export const listLifetime = 60_000;

/** Most lists remembered, of all principals together. */
const mostLists = 2_000;

/** One search for something, and what it came upon. */
export interface Search {
  readonly lookup: Lookup;
  /** Requests that it may still make. */
  requests: number;
  /** Lists read before this one count as old. */
  readonly since: number;
  /** Whether a remembered list was used. */
  usedCache: boolean;
  /** Whether it ended because of its requests. */
  truncated: boolean;
  /** What could not be listed. */
  readonly unlisted: Set<ReferenceKind>;
}

/** What a list came to; `complete` unless the search that read it ended before. */
type ListResult = { readonly resources: readonly ResourceRef[]; readonly complete: boolean } | undefined;

interface CachedList {
  readonly principal: string;
  readonly kinds: readonly ReferenceKind[];
  /** Milliseconds since 1970. */
  readonly readAt: number;
  /** Lists are numbered as they are asked for. */
  readonly sequence: number;
  /** Undefined where the platform doesn't tell. */
  readonly result: Promise<ListResult>;
}

/** What lies in what, as the platform lists it; remembered for a short while, apart for each principal. */
export interface ListCache {
  /** What lies in one thing; undefined where the platform doesn't tell. @throws ApiError as it fails otherwise. */
  childrenOf(listing: ListOperation, id: string, search: Search): Promise<readonly ResourceRef[] | undefined>;
  /** The token's organization. @throws ApiError as the platform fails. */
  organization(search: Search): Promise<readonly ResourceRef[]>;
  /** How many lists were asked for. */
  count(): number;
  /** Something of these kinds has changed for this principal. */
  invalidate(principal: string, kinds: readonly ReferenceKind[]): void;
}

type FetchList = () => Promise<ListResult>;

const isDenied = (error: unknown): boolean => error instanceof CallFailure && error.failure.kind === 'denied';

const isGone = (error: unknown): boolean => error instanceof ApiError && error.kind === 'not_found';

/** Pages after this one, by what an answer says of itself. */
function nextPage(answer: JsonRecord | undefined): JsonRecord | undefined {
  const pagination = answer?.['pagination'];
  if (!isRecord(pagination)) return undefined;
  const { page, page_size: size, total_pages: pages } = pagination;
  return typeof page === 'number' && typeof pages === 'number' && page < pages ? { page: page + 1, page_size: size } : undefined;
}

async function readChildren({ operation, parent, kinds }: ListOperation, id: string, search: Search): Promise<ListResult> {
  const things: ResourceRef[] = [];
  let page: JsonRecord | undefined = {};
  while (page) {
    if (search.requests <= 0) return { resources: things, complete: false };
    search.requests -= 1;
    const answer: JsonRecord | undefined = await search.lookup.reader.attempt(operation, { [`${parent}_id`]: id, ...page });
    if (answer === undefined) return undefined;
    things.push(...rowsIn(answer).flatMap((row) => resourceRefOf(row, kinds, { kind: parent, id }) ?? []));
    page = nextPage(answer);
  }
  return { resources: things, complete: true };
}

async function readOrganization({ lookup: look }: Search): Promise<ListResult> {
  const answer = await look.reader.read(operations.get_organization, {});
  const rows = isRecord(answer) ? rowsIn(answer) : [];
  return { resources: (rows.length > 0 ? rows : [answer]).flatMap((row) => resourceRefOf(row, ['organization']) ?? []), complete: true };
}

export function createListCache(): ListCache {
  const lists = new LRUCache<string, CachedList>({ max: mostLists });
  let numbers = 0;

  const ask = (key: string, kinds: readonly ReferenceKind[], { lookup: look }: Search, read: FetchList): Promise<ListResult> => {
    const list: CachedList = { principal: look.principal, kinds, readAt: look.now(), sequence: (numbers += 1), result: read() };
    const forget = (): void => void (lists.peek(key) === list && lists.delete(key));
    lists.set(key, list);
    // What could not be read, or not to the end, is asked for again.
    list.result.then((done) => done?.complete || forget(), forget);
    return list.result;
  };

  const listed = async (name: string, kinds: readonly ReferenceKind[], search: Search, read: FetchList): Promise<readonly ResourceRef[] | undefined> => {
    const { principal, now } = search.lookup;
    const key = JSON.stringify([principal, name]);
    const known = lists.get(key);
    const isFresh = known !== undefined && known.sequence > search.since && now() - known.readAt < listLifetime;
    search.usedCache ||= isFresh;
    // Whoever asked for it first may have given up; that is no failure of this search.
    const done = await (isFresh ? known.result.catch(() => ask(key, kinds, search, read)) : ask(key, kinds, search, read));
    search.truncated ||= done?.complete === false;
    return done?.resources;
  };

  return {
    childrenOf: async (listing, id, search) => {
      const things = await listed(`${listing.operation.name} ${id}`, listing.kinds, search, () => readChildren(listing, id, search)).catch((error: unknown) => {
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
    invalidate: (principal, kinds) => {
      for (const [key, list] of lists.entries()) {
        if (list.principal === principal && list.kinds.some((kind) => kinds.includes(kind))) lists.delete(key);
      }
    },
  };
}
