import type { ResourceKind, Lookup } from '../tool/name-resolver.ts';
import type { Search } from './list-cache.ts';
import { foldCase, isId, matchingName } from './names.ts';
import { leafOf, pathTo, type ResourcePath, resolvedResourceOf } from './resource-path.ts';
import { isOfKind, listChainsFor } from './resource-hierarchy.ts';
import { routesFor, followRoute, type ResolverContext, type SearchRoute, type DeadEnd } from './search-routes.ts';
import { editDistance } from '../tool/nearest-name.ts';
import type { ResolutionProblem } from '../failure/failure.ts';

/** Most requests that one search makes. */
export const mostRequests = 40;

/** What a search came to. */
interface Findings {
  /** Everything that what was given stands for, each once. */
  readonly paths: readonly ResourcePath[];
  /** Whether there may be more that it stands for, which could not be looked at. */
  readonly incomplete: boolean;
  /** Where the walks ended that found nothing. */
  readonly deadEnds: readonly DeadEnd[];
  readonly search: Search;
}

/** @param since lists up to this number count as old. */
export const newSearch = (look: Lookup, since: number): Search => ({ lookup: look, requests: mostRequests, since, usedCache: false, truncated: false, unlisted: new Set() });

const keyOf = (trail: ResourcePath): string => `${leafOf(trail).kind} ${leafOf(trail).id}`;

/** The first trail to each thing. */
const distinctPaths = (trails: readonly ResourcePath[]): readonly ResourcePath[] => [...Map.groupBy(trails, keyOf).values()].map(([first]) => first!);

/** Whether a step at which anything would do could not be seen whole. */
const isIncomplete = ({ steps, names }: SearchRoute, { unlisted, truncated: cutShort }: Search): boolean =>
  names.some((name, index) => name === undefined && (cutShort || steps[index]!.kinds.some((kind) => unlisted.has(kind))));

/** What was seen of a kind earlier, wherever it is. */
function indexedPaths(kind: ResourceKind, { lookup: { principal } }: Search, { index: seen }: ResolverContext): readonly ResourcePath[] {
  const kinds = listChainsFor(kind).flatMap((way) => way.at(-1)?.kinds ?? []);
  return seen.filter(principal, kinds).map((thing) => pathTo(thing, principal, seen));
}

async function findOnce(kind: ResourceKind, segments: readonly string[], search: Search, ground: ResolverContext): Promise<Findings> {
  const stops: DeadEnd[] = [];
  for (const routes of await routesFor(listChainsFor(kind), segments, search, ground)) {
    const arrivals = await Promise.all(routes.map((route) => followRoute(route, search, ground)));
    const trails = distinctPaths(arrivals.flatMap((arrival) => arrival.paths));
    if (trails.length > 0) return { paths: trails, incomplete: routes.some((route) => isIncomplete(route, search)), deadEnds: stops, search };
    stops.push(...arrivals.flatMap(({ deadEnd: stop }) => stop ?? []));
  }
  const [name, ...more] = segments;
  const earlier = name !== undefined && more.length === 0 && search.unlisted.size > 0 ? matchingName(indexedPaths(kind, search, ground), name, leafOf) : [];
  return { paths: distinctPaths(earlier), incomplete: true, deadEnds: stops, search };
}

/**
 * Everything of a kind that the segments of a path stand for. Lists that are remembered are read anew before it comes
 * to nothing.
 * @throws ApiError as the platform fails.
 */
export async function findByPath(kind: ResourceKind, segments: readonly string[], look: Lookup, ground: ResolverContext): Promise<Findings> {
  const before = ground.lists.count();
  const findings = await findOnce(kind, segments, newSearch(look, 0), ground);
  return findings.paths.length > 0 || !findings.search.usedCache ? findings : findOnce(kind, segments, newSearch(look, before), ground);
}

/**
 * Everything of a kind below some names, as far as the requests of one search reach; where a level isn't listed, what was
 * seen of the kind earlier too.
 * @param names of the outermost things, from the project down.
 * @throws ApiError as the platform fails.
 */
export async function findAllBelow(kind: ResourceKind, names: readonly string[], look: Lookup, ground: ResolverContext): Promise<readonly ResourcePath[]> {
  const search = newSearch(look, 0);
  await ground.index.loaded();
  const [steps = []] = listChainsFor(kind);
  const organizations = await ground.lists.organization(search);
  const { paths: trails } = await followRoute({ from: organizations.map((one) => [one]), steps, names: steps.map((_, index) => names[index]) }, search, ground);
  return distinctPaths([...trails, ...(search.unlisted.size > 0 ? indexedPaths(kind, search, ground) : [])]);
}

/** Most things that are proposed instead. */
const mostSuggestions = 8;

/** How far a name is from a thing's, with names that hold it among the nearest; undefined when it is nothing like it. */
function nameDistance(name: string, trail: ResourcePath): number | undefined {
  const [given, known] = [foldCase(name), foldCase(leafOf(trail).name ?? '')];
  if (known === '') return undefined;
  return known.includes(given) || given.includes(known) ? 0 : editDistance(given, known);
}

/** The things whose names are like one that isn't there; where none is, some of those that are there. Of ids none is like another. */
function suggestionsFor({ deadEnds: stops }: Findings): readonly ResourcePath[] {
  const far = stops.filter(({ name }) => !isId(name)).flatMap(({ name, siblings: instead }) => instead.map((trail) => ({ trail, by: nameDistance(name, trail) })));
  const near = far.flatMap(({ trail, by }) => (by === undefined ? [] : [{ trail, by }])).toSorted((one, other) => one.by - other.by);
  return distinctPaths((near.length > 0 ? near : far).map(({ trail }) => trail)).slice(0, mostSuggestions);
}

function notesFor({ search }: Findings): readonly string[] {
  const unlisted = [...search.unlisted].map((kind) => kind.replaceAll('_', ' '));
  const { only } = search.lookup;
  return [
    ...(only ? [only.note] : []),
    ...(unlisted.length > 0 ? [`This platform does not list these: ${unlisted.join(', ')}. What is known of them comes from ids seen earlier and is not complete.`] : []),
    ...(search.truncated ? [`The search ended after ${mostRequests} requests and did not see everything: give more of the path.`] : []),
  ];
}

/** What to tell where something stands for nothing, or for more than one thing. */
export function problemOf(kind: ResourceKind, given: string, findings: Findings): ResolutionProblem {
  const { paths: trails, deadEnds: stops, search } = findings;
  const notes = notesFor(findings);
  if (trails.length > 0) return { kind, reference: given, why: 'ambiguous', candidates: trails.map(resolvedResourceOf), suggestions: [], notes };
  const near = suggestionsFor(findings).map(resolvedResourceOf);
  const [stop] = stops;
  const last = stop?.step.kinds.some((one) => isOfKind(one, kind));
  const missing = stop && !last ? { kind: stop.step.kinds[0]!, name: stop.name } : undefined;
  return { kind, reference: given, why: search.unlisted.size > 0 ? 'not_listable' : 'unknown', candidates: [], suggestions: near, ...(missing && { missing }), notes };
}
