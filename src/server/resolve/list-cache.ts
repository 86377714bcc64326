import { LRUCache } from 'lru-cache';
import { ApiError } from '../../client/index.ts';
import { everyOrganization, operations, type ReferenceKind } from '../../contract/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { Lookup } from '../tool/index.ts';
import { resourceRefOf, unusableRowOf, type ResourceRef, type UnusableRow } from './resource-ref.ts';
import { refInWideList, type ListOperation, type WideList } from './resource-hierarchy.ts';
import { nextPage } from './next-page.ts';
import { isDenied } from '../failure/index.ts';
import { rowsIn, wholeListIn } from '../context/index.ts';

/** How long a cached list is fresh, in milliseconds. */
export const listLifetime = 60_000;

/** Maximum number of cached lists, for all principals together. */
const mostLists = 2_000;

/** The state of one search. */
export interface Search {
  readonly lookup: Lookup;
  /** The number of requests that it may still send. */
  requests: number;
  /** Cached lists with a sequence number up to this one are stale. */
  readonly since: number;
  /** The number of lists that were requested before it. */
  readonly begun: number;
  /** Whether it used a list that was requested before it. */
  usedCache: boolean;
  /** Whether it reached its request limit. */
  truncated: boolean;
  /** Kinds that could not be listed. */
  readonly unlisted: Set<ReferenceKind>;
  /** Kinds whose lists could only be read in part. */
  readonly unread: Set<ReferenceKind>;
  /** Rows of the lists that can't be used as resources. */
  readonly unusable: UnusableRow[];
}

/** The result of a list; undefined if the platform doesn't offer or forbids it. */
type ListResult =
  | {
      readonly resources: readonly ResourceRef[];
      readonly unusable: readonly UnusableRow[];
      /** False if the search reached its request limit. */
      readonly complete: boolean;
      /** Whether some of its rows couldn't be read. */
      readonly rowsLost: boolean;
    }
  | undefined;

interface CachedList {
  readonly principal: string;
  readonly kinds: readonly ReferenceKind[];
  /** Milliseconds since 1970. */
  readonly readAt: number;
  /** Lists are numbered in the order in which they are requested. */
  readonly sequence: number;
  readonly result: Promise<ListResult>;
}

/** The platform's lists of each resource's children, cached for `listLifetime`, separately for each principal. */
export interface ListCache {
  /**
   * The children of a resource; undefined if the platform can't list them.
   * @throws ApiError for every other failure.
   */
  childrenOf(listing: ListOperation, id: string, search: Search): Promise<readonly ResourceRef[] | undefined>;
  /** Whether the children of a resource are in a cached list. Sends nothing. */
  hasChildrenOf(listing: ListOperation, id: string, search: Search): boolean;
  /**
   * The resources of an organization by what they lie in, from one list; undefined if the platform can't list them, or
   * not certainly all of them: a list that was read in part never counts as the whole.
   */
  allOf(
    list: WideList,
    organizationId: string,
    search: Search,
  ): Promise<ReadonlyMap<string, readonly ResourceRef[]> | undefined>;
  /** Whether such a list is cached. Sends nothing. */
  hasAllOf(list: WideList, organizationId: string, search: Search): boolean;
  /**
   * The token's organization: the chosen one, or the only one. A search that needs newer lists takes it from the cache,
   * too: its id doesn't change.
   * @throws ApiError if the platform fails, or has several and none is chosen.
   */
  organization(search: Search): Promise<ResourceRef | undefined>;
  /** Every organization of the token. @throws ApiError if the platform fails. */
  organizations(search: Search): Promise<readonly ResourceRef[]>;
  /** The number of lists requested: the sequence number of the last one. */
  count(): number;
  /** Drops lists of these kinds, after a change: those of this principal, or all. */
  invalidate(principal: string | undefined, kinds: readonly ReferenceKind[]): void;
  /** Whether cached lists are used. If not, each is read again, and earlier ones are dropped. */
  use(isUsed: boolean): void;
}

type FetchList = () => Promise<ListResult>;

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.kind === 'invalid_input';

/** Whether a read failed because what it is about is not there. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.kind === 'not_found';

/** The reader for a list, and whether some of its rows couldn't be read. */
function readerOf({ lookup }: Search): { readonly reader: Lookup['reader']; readonly hasLostRows: () => boolean } {
  let rowsLost = false;
  const reader = lookup.readerInParts?.(() => void (rowsLost = true)) ?? lookup.reader;
  return { reader, hasLostRows: () => rowsLost };
}

async function readChildren(
  { operation, parent, kinds, inputFor, isListed = () => true }: ListOperation,
  id: string,
  search: Search,
): Promise<ListResult> {
  const rows: JsonRecord[] = [];
  const { reader, hasLostRows } = readerOf(search);
  const refOf = (row: JsonRecord): ResourceRef | undefined => resourceRefOf(row, kinds, { kind: parent, id });
  const result = (complete: boolean): NonNullable<ListResult> => ({
    resources: rows.flatMap((row) => refOf(row) ?? []),
    unusable: rows.flatMap((row) => (refOf(row) ? [] : (unusableRowOf(row) ?? []))),
    complete,
    rowsLost: hasLostRows(),
  });
  let page: JsonRecord | undefined = {};
  while (page) {
    if (search.requests <= 0) return result(false);
    search.requests -= 1;
    const asked: JsonRecord = page;
    const answer: JsonRecord | undefined | 'refused' = await reader
      .attempt(operation, { ...inputFor(id), ...asked })
      .catch((error: unknown) => (isRefusal(error) && rows.length > 0 ? 'refused' : Promise.reject(error as Error)));
    if (answer === undefined) return undefined;
    // What was read remains, but isn't everything.
    if (answer === 'refused') return { ...result(true), rowsLost: true };
    rows.push(...rowsIn(answer).filter(isListed));
    page = nextPage(operation, answer, asked);
  }
  return result(true);
}

/**
 * The resources of a wide list; undefined if the answer has an unusable row, or others than its rows may be there: the
 * lists of what they lie in tell more.
 */
async function readAll(list: WideList, organization_id: string, search: Search): Promise<ListResult> {
  if (search.requests <= 0) return undefined;
  search.requests -= 1;
  const answer: JsonRecord | undefined = await search.lookup.reader
    .attempt(list.operation, { organization_id })
    .catch((error: unknown) =>
      isDenied(error) || error instanceof ApiError ? undefined : Promise.reject(error as Error),
    );
  const rows = answer === undefined || nextPage(list.operation, answer) ? undefined : wholeListIn(answer);
  const resources = rows?.flatMap((row) => refInWideList(list, row) ?? []) ?? [];
  const isWhole = rows !== undefined && resources.length === (answer!['results'] as readonly unknown[]).length;
  return isWhole ? { resources, unusable: [], complete: true, rowsLost: false } : undefined;
}

/** The organizations in the answer to a read. */
async function readOrganizationsBy(
  operation: typeof operations.get_organization | typeof everyOrganization,
  search: Search,
  rowsOf: (answer: unknown) => readonly unknown[],
): Promise<ListResult> {
  const { reader, hasLostRows } = readerOf(search);
  const rows = rowsOf(await reader.read(operation, {}));
  const resources = rows.flatMap((row) => resourceRefOf(row, ['organization']) ?? []);
  return { resources, unusable: [], complete: true, rowsLost: hasLostRows() || resources.length < rows.length };
}

const readOrganization = (search: Search): Promise<ListResult> =>
  readOrganizationsBy(operations.get_organization, search, (answer) => [answer]);

const readOrganizations = (search: Search): Promise<ListResult> =>
  readOrganizationsBy(everyOrganization, search, (answer) => rowsIn(isRecord(answer) ? answer : undefined));

/** The key of a cached list. */
const keyOf = (name: string, { lookup: { principal, view } }: Search): string =>
  JSON.stringify([principal, view, name]);

export function createListCache(): ListCache {
  const lists = new LRUCache<string, CachedList>({ max: mostLists });
  let lastSequence = 0;
  let isUsed = true;

  const request = (
    key: string,
    kinds: readonly ReferenceKind[],
    { lookup }: Search,
    read: FetchList,
  ): Promise<ListResult> => {
    const list: CachedList = {
      principal: lookup.principal,
      kinds,
      readAt: lookup.now(),
      sequence: (lastSequence += 1),
      result: read(),
    };
    const evict = (): void => void (lists.peek(key) === list && lists.delete(key));
    lists.set(key, list);
    // Failed and incomplete lists are requested again, and so are those with unreadable rows: a change must not be
    // based on them.
    list.result.then((result) => (result?.complete && !result.rowsLost) || evict(), evict);
    return list.result;
  };

  /** The list of a key, if it is cached and may be used in a search. */
  const freshList = (key: string, { since, lookup: { now } }: Search): CachedList | undefined => {
    const cached = lists.get(key);
    return isUsed && cached !== undefined && cached.sequence > since && now() - cached.readAt < listLifetime
      ? cached
      : undefined;
  };

  const listOnce = async (
    name: string,
    kinds: readonly ReferenceKind[],
    search: Search,
    read: FetchList,
  ): Promise<readonly ResourceRef[] | undefined> => {
    const key = keyOf(name, search);
    const cached = freshList(key, search);
    search.usedCache ||= cached !== undefined && cached.sequence <= search.begun;
    // The search that first requested the list may have been aborted: that is not a failure of this one.
    const result = await (cached
      ? cached.result.catch(() => request(key, kinds, search, read))
      : request(key, kinds, search, read));
    search.truncated ||= result?.complete === false;
    if (result?.rowsLost) for (const kind of kinds) search.unread.add(kind);
    search.unusable.push(...(result?.unusable ?? []));
    return result?.resources;
  };

  return {
    childrenOf: async (listing, id, search) => {
      const resources = await listOnce(`${listing.operation.name} ${id}`, listing.kinds, search, () =>
        readChildren(listing, id, search),
      ).catch((error: unknown) => {
        // The parent existed when the list that contains it was read: it has been deleted since.
        if (isGone(error)) return [];
        if (isDenied(error)) return undefined;
        throw error;
      });
      if (resources === undefined) for (const kind of listing.kinds) search.unlisted.add(kind);
      return resources;
    },
    hasChildrenOf: (listing, id, search) =>
      freshList(keyOf(`${listing.operation.name} ${id}`, search), search) !== undefined,
    allOf: async (list, id, search) => {
      const resources = await listOnce(`${list.operation.name} ${id}`, list.kinds, search, () =>
        readAll(list, id, search),
      );
      return resources && Map.groupBy(resources, ({ parent }) => parent!.id);
    },
    hasAllOf: (list, id, search) => freshList(keyOf(`${list.operation.name} ${id}`, search), search) !== undefined,
    organization: async (search) => {
      const own = search.lookup.withNewLists ? search : { ...search, since: 0 };
      return (await listOnce('organization', ['organization'], own, () => readOrganization(search)))?.[0];
    },
    organizations: async (search) =>
      (await listOnce('organizations', ['organization'], search, () => readOrganizations(search))) ?? [],
    count: () => lastSequence,
    invalidate: (principal, kinds) => {
      for (const [key, list] of lists.entries()) {
        if (
          (principal === undefined || list.principal === principal) &&
          list.kinds.some((kind) => kinds.includes(kind))
        )
          lists.delete(key);
      }
    },
    use: (next) => {
      isUsed = next;
      lists.clear();
    },
  };
}
