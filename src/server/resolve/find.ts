import { segmentsOf, serviceKinds, unescaped } from '../../contract/index.ts';
import { type ResourceKind, type Lookup, editDistance } from '../tool/index.ts';
import type { Search } from './list-cache.ts';
import { foldCase, isExactly, isId, matchingName, withSlashesInNames } from './names.ts';
import { unusableText } from './resource-ref.ts';
import { leafOf, pathTo, type ResourcePath, resolvedResourceOf } from './resource-path.ts';
import { isOfKind, listChainsFor, type ListChain } from './resource-hierarchy.ts';
import {
  routesFor,
  followRoute,
  seenIn,
  type ResolverContext,
  type SearchRoute,
  type DeadEnd,
} from './search-routes.ts';
import type { ResolutionProblem } from '../failure/index.ts';

/** Maximum number of requests of one search. */
export const mostRequests = 40;

/** The result of a search. */
interface Findings {
  /** Every match, without duplicates. */
  readonly paths: readonly ResourcePath[];
  /** Whether there may be more matches that could not be read. */
  readonly incomplete: boolean;
  /** Whether the match has the whole given path, letter by letter. */
  readonly exact?: boolean;
  /** The routes that ended without a match. */
  readonly deadEnds: readonly DeadEnd[];
  readonly search: Search;
}

/**
 * @param since cached lists with a sequence number up to this one are stale
 * @param begun the number of lists that were requested before
 */
export const newSearch = (lookup: Lookup, since: number, begun: number): Search => ({
  lookup,
  requests: mostRequests,
  since,
  begun,
  usedCache: false,
  truncated: false,
  unlisted: new Set(),
  unread: new Set(),
  unusable: [],
});

const keyOf = (path: ResourcePath): string => `${leafOf(path).kind} ${leafOf(path).id}`;

/** The first path to each resource. */
const distinctPaths = (paths: readonly ResourcePath[]): readonly ResourcePath[] =>
  [...Map.groupBy(paths, keyOf).values()].map(([first]) => first!);

/** Whether a step without a name, which matches anything, could not be listed completely. */
const isIncomplete = ({ steps, names }: SearchRoute, { unlisted, truncated }: Search): boolean =>
  names.some(
    (name, index) => name === undefined && (truncated || steps[index]!.kinds.some((kind) => unlisted.has(kind))),
  );

/** Paths to every indexed resource of a kind, wherever it is. */
function indexedPaths(kind: ResourceKind, search: Search, { index }: ResolverContext): readonly ResourcePath[] {
  const kinds = listChainsFor(kind).flatMap((chain) => chain.at(-1)?.kinds ?? []);
  return seenIn(index, search, kinds)
    .map((resource) => pathTo(resource, search.lookup.principal, index))
    .filter((path) => isKnownInside(path, search));
}

/** Whether a path is known to pass through the project and environment to which the search is limited, if it is. */
function isKnownInside(path: ResourcePath, { lookup: { only } }: Search): boolean {
  const leadsThrough = (kind: ResourceKind, id: string | undefined): boolean =>
    id === undefined || path.some((one) => one.kind === kind && one.id === id);
  return (
    leadsThrough('environment', only?.environmentId) &&
    (only?.environmentId !== undefined || leadsThrough('project', only?.projectId))
  );
}

/** Kinds whose names recur in many places: variables have the same keys, and backups the same names. */
export const namedAlike: readonly ResourceKind[] = ['environment_variable', 'backup'];

/**
 * Whether a name counts only inside the resources that the call names: a variable of another resource with that key, or
 * a backup of another database, is never meant.
 */
const isOnlyInside = (kind: ResourceKind, segments: readonly string[], { lookup: { within = {} } }: Search): boolean =>
  namedAlike.includes(kind) &&
  segments.length === 1 &&
  [within.service, within.environmentId, within.projectId].some((place) => place !== undefined);

/** Whether the names match the resources that a route found letter by letter, at every step. */
const isNamedExactly = ({ steps, names }: SearchRoute, paths: readonly ResourcePath[]): boolean =>
  paths.every((path) =>
    names.every((name, index) => name !== undefined && isExactly(path[path.length - steps.length + index]!, name)),
  );

/** @param mostUnnamed maximum number of steps without a name: each reads the lists of all that it matches. */
async function findAlong(
  kind: ResourceKind,
  segments: readonly string[],
  search: Search,
  context: ResolverContext,
  mostUnnamed = Infinity,
): Promise<Findings> {
  const deadEnds: DeadEnd[] = [];
  const groups = await routesFor(listChainsFor(kind), segments, search, context, {
    isOnlyInside: isOnlyInside(kind, segments, search),
  });
  for (const group of groups) {
    const routes = group.filter(({ names }) => names.filter((name) => name === undefined).length <= mostUnnamed);
    const results = await Promise.all(routes.map((route) => followRoute(route, search, context)));
    const paths = distinctPaths(results.flatMap((result) => result.paths));
    const exact = results.every((result, index) => isNamedExactly(routes[index]!, result.paths));
    if (paths.length > 0)
      return { paths, exact, incomplete: routes.some((route) => isIncomplete(route, search)), deadEnds, search };
    deadEnds.push(...results.flatMap(({ deadEnd }) => deadEnd ?? []));
  }
  return { paths: [], incomplete: true, deadEnds, search };
}

const hasSlash = (name: string | undefined): boolean => name?.includes('/') === true;

/**
 * The matches of a path in which names have slashes that aren't escaped, in every reading of it.
 * @param mostUnnamed as for `findAlong`
 */
async function findWithSlashes(
  kind: ResourceKind,
  segments: readonly string[],
  search: Search,
  context: ResolverContext,
  mostUnnamed: number,
): Promise<Findings> {
  const all: Findings[] = [];
  // One by one, because later readings use the lists that earlier ones read.
  for (const names of withSlashesInNames(segments))
    all.push(await findAlong(kind, names, search, context, mostUnnamed));
  const found = all.filter(({ paths }) => paths.length > 0);
  return {
    paths: distinctPaths(found.flatMap(({ paths }) => paths)),
    exact: found.every(({ exact }) => exact === true),
    incomplete: found.some(({ incomplete }) => incomplete),
    deadEnds: all
      .flatMap(({ deadEnds }) => deadEnds)
      .map((end) => ({ ...end, siblings: end.siblings.filter((path) => hasSlash(leafOf(path).name)) }))
      .filter(({ name, siblings }) => hasSlash(name) && siblings.length > 0),
    search,
  };
}

async function findOnce(
  kind: ResourceKind,
  segments: readonly string[],
  search: Search,
  context: ResolverContext,
): Promise<Findings> {
  const plain = await findAlong(kind, segments, search, context);
  if (plain.paths.length > 0) return plain;
  // Reading more lists is worth it only if the first name isn't one of those at hand.
  const isFirstUnknown = plain.deadEnds.every(({ name }) => name === segments[0]);
  const joined = await findWithSlashes(kind, segments, search, context, isFirstUnknown ? 1 : 0);
  if (joined.paths.length > 0) return joined;
  const deadEnds = [...plain.deadEnds, ...joined.deadEnds];
  const [name, ...more] = segments;
  const indexed =
    name !== undefined && more.length === 0 && search.unlisted.size + search.unread.size > 0
      ? matchingName(indexedPaths(kind, search, context), name, leafOf)
      : [];
  return { paths: distinctPaths(indexed), incomplete: true, deadEnds, search };
}

/**
 * Every resource of a kind that the segments of a path match. If cached lists have no match, they are read again.
 * Before a change this also happens if their match isn't exact, because a newer resource may have exactly that name, or
 * match it as well.
 * @throws ApiError if the platform fails.
 */
export async function findByPath(
  kind: ResourceKind,
  segments: readonly string[],
  lookup: Lookup,
  context: ResolverContext,
): Promise<Findings> {
  const before = context.lists.count();
  const { withNewLists, isForChange, within = {} } = lookup;
  // A match of fewer names than there are levels is never exact: only new lists will do.
  const needsNewLists =
    withNewLists === true ||
    (isForChange === true &&
      Object.values(within).every((place) => place === undefined) &&
      listChainsFor(kind).every((chain) => segments.length < chain.length));
  const findings = await findOnce(kind, segments, newSearch(lookup, needsNewLists ? before : 0, before), context);
  const isEnough = findings.paths.length > 0 && (findings.exact === true || isForChange !== true);
  return isEnough || !findings.search.usedCache
    ? findings
    : findOnce(kind, segments, newSearch(lookup, before, before), context);
}

/**
 * The chains to resources directly in projects and environments that are longer than the names; otherwise the shortest
 * chain.
 */
function chainsBelow(kind: ResourceKind, names: readonly string[]): readonly ListChain[] {
  const all = listChainsFor(kind);
  const fitting = all.filter(
    (chain) =>
      chain.length > names.length &&
      chain.slice(0, -1).every(({ kinds }) => !kinds.some((one) => isOfKind(one, 'service'))),
  );
  return fitting.length > 0 ? fitting : all.slice(0, 1);
}

/**
 * Every resource of a kind below the named ones, within the request limit of one search. If a level can't be listed,
 * the result includes the indexed resources of the kind.
 * @param names of the outermost resources, from the project down.
 * @throws ApiError if the platform fails.
 */
export async function findAllBelow(
  kind: ResourceKind,
  names: readonly string[],
  lookup: Lookup,
  context: ResolverContext,
): Promise<readonly ResourcePath[]> {
  const search = newSearch(lookup, 0, context.lists.count());
  await context.index.loaded();
  const organization = await context.lists.organization(search);
  const routes = chainsBelow(kind, names).map((steps): SearchRoute => ({
    from: organization ? [[organization]] : [],
    steps,
    names: steps.map((_, index) => names[index]),
  }));
  const paths = (await Promise.all(routes.map((route) => followRoute(route, search, context)))).flatMap(
    (result) => result.paths,
  );
  return distinctPaths([...paths, ...(search.unlisted.size > 0 ? indexedPaths(kind, search, context) : [])]);
}

/** Maximum number of suggestions for a name that matches nothing. */
const mostSuggestions = 8;

/** The distance of a name from a resource's; 0 if one contains the other, undefined if they are not similar. */
function nameDistance(name: string, path: ResourcePath): number | undefined {
  const [wanted, known] = [foldCase(name), foldCase(leafOf(path).name ?? '')];
  if (known === '') return undefined;
  return known.includes(wanted) || wanted.includes(known) ? 0 : editDistance(wanted, known);
}

/** Kinds that find_resource finds. */
export const searchable: readonly ResourceKind[] = ['project', 'environment', 'service', 'cluster', ...serviceKinds];

/**
 * Whether resources of a kind belong directly to the organization and no search finds them: then errors name others in
 * addition to similar ones.
 */
const isFoundHereOnly = (kind: ResourceKind): boolean =>
  !searchable.includes(kind) && listChainsFor(kind).every((chain) => chain.length === 1);

/**
 * Resources with names similar to the missing one, the most similar first; if there are none, or no search finds its
 * kind, some of its siblings. Ids get no suggestions.
 */
function suggestionsFor(kind: ResourceKind, { deadEnds }: Findings): readonly ResourcePath[] {
  const siblingPaths = deadEnds
    .filter(({ name }) => !isId(name))
    .flatMap(({ name, siblings }) => siblings.map((path) => ({ path, distance: nameDistance(name, path) })));
  const similar = siblingPaths
    .flatMap(({ path, distance }) => (distance === undefined ? [] : [{ path, distance }]))
    .toSorted((one, other) => one.distance - other.distance);
  return distinctPaths(
    (similar.length === 0 ? siblingPaths : isFoundHereOnly(kind) ? [...similar, ...siblingPaths] : similar).map(
      ({ path }) => path,
    ),
  ).slice(0, mostSuggestions);
}

function notesFor({ search }: Findings): readonly string[] {
  const [unlisted, unread] = [search.unlisted, search.unread].map((kinds) =>
    [...kinds].map((kind) => kind.replaceAll('_', ' ')),
  ) as [string[], string[]];
  const { only } = search.lookup;
  return [
    ...(only ? [only.note] : []),
    ...(unlisted.length > 0
      ? [
          `This platform does not list these: ${unlisted.join(', ')}. What is known of them comes from ids seen earlier and is not complete.`,
        ]
      : []),
    ...(unread.length > 0
      ? [
          `What the platform answered of these could not all be read, or was no list: ${unread.join(', ')}. More may be there.`,
        ]
      : []),
    ...(search.truncated
      ? [`The search ended after ${mostRequests} requests and did not see everything: give more of the path.`]
      : []),
  ];
}

/** Why a row that the reference names can't be used. */
function unusableNamed(reference: string, { unusable }: Search): string | undefined {
  const name = foldCase(unescaped(segmentsOf(reference).at(-1)!));
  const row = unusable.find((one) => foldCase(one.name) === name);
  return row && unusableText(row);
}

/** Why nothing was found: a resource is only known not to exist if everything could be read. */
const whyNothing = ({ unlisted, unread }: Search): ResolutionProblem['why'] =>
  unlisted.size > 0 ? 'not_listable' : unread.size > 0 ? 'not_readable' : 'unknown';

/** The problem of a reference that matches no resource, or several. */
export function problemOf(kind: ResourceKind, reference: string, findings: Findings): ResolutionProblem {
  const { paths, deadEnds, search } = findings;
  const notes = notesFor(findings);
  if (paths.length > 0)
    return { kind, reference, why: 'ambiguous', candidates: paths.map(resolvedResourceOf), suggestions: [], notes };
  const suggestions = suggestionsFor(kind, findings).map(resolvedResourceOf);
  const [deadEnd] = deadEnds;
  const isLastStep = deadEnd?.step.kinds.some((one) => isOfKind(one, kind));
  const missing = deadEnd && !isLastStep ? { kind: deadEnd.step.kinds[0]!, name: deadEnd.name } : undefined;
  return {
    kind,
    reference,
    why: whyNothing(search),
    candidates: [],
    suggestions,
    ...(missing && { missing }),
    unusable: missing ? undefined : unusableNamed(reference, search),
    notes,
  };
}
