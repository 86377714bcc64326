import type { AddressKind, Lookup } from '../tool/address.ts';
import type { Search } from './lists.ts';
import { called } from './names.ts';
import { endOf, trailTo, type Trail } from './trail.ts';
import { waysFor } from './tree.ts';
import { routesFor, walk, type Ground, type Route, type Stop } from './walk.ts';

/** Most requests that one search makes. */
export const mostRequests = 40;

/** What a search came to. */
export interface Findings {
  /** Everything that what was given stands for, each once. */
  readonly trails: readonly Trail[];
  /** Whether there may be more that it stands for, which could not be looked at. */
  readonly open: boolean;
  /** Where the walks ended that found nothing. */
  readonly stops: readonly Stop[];
  readonly search: Search;
}

/** @param since lists up to this number count as old. */
export const newSearch = (look: Lookup, since: number): Search => ({ look, requests: mostRequests, since, remembered: false, cutShort: false, unlisted: new Set() });

const keyOf = (trail: Trail): string => `${endOf(trail).kind} ${endOf(trail).id}`;

/** The first trail to each thing. */
export const distinct = (trails: readonly Trail[]): readonly Trail[] => [...Map.groupBy(trails, keyOf).values()].map(([first]) => first!);

/** Whether a step at which anything would do could not be seen whole. */
const leftOpen = ({ steps, names }: Route, { unlisted, cutShort }: Search): boolean =>
  names.some((name, index) => name === undefined && (cutShort || steps[index]!.kinds.some((kind) => unlisted.has(kind))));

/** What was seen of a kind earlier, wherever it is. */
function seenOf(kind: AddressKind, { look: { principal } }: Search, { seen }: Ground): readonly Trail[] {
  const kinds = waysFor(kind).flatMap((way) => way.at(-1)?.kinds ?? []);
  return seen.filter(principal, kinds).map((thing) => trailTo(thing, principal, seen));
}

async function findOnce(kind: AddressKind, segments: readonly string[], search: Search, ground: Ground): Promise<Findings> {
  const stops: Stop[] = [];
  for (const routes of await routesFor(waysFor(kind), segments, search, ground)) {
    const arrivals = await Promise.all(routes.map((route) => walk(route, search, ground)));
    const trails = distinct(arrivals.flatMap((arrival) => arrival.trails));
    if (trails.length > 0) return { trails, open: routes.some((route) => leftOpen(route, search)), stops, search };
    stops.push(...arrivals.flatMap(({ stop }) => stop ?? []));
  }
  const [name, ...more] = segments;
  const earlier = name !== undefined && more.length === 0 && search.unlisted.size > 0 ? called(seenOf(kind, search, ground), name, endOf) : [];
  return { trails: distinct(earlier), open: true, stops, search };
}

/**
 * Everything of a kind that the segments of a path stand for. Lists that are remembered are read anew before it comes
 * to nothing.
 * @throws ApiError as the platform fails.
 */
export async function find(kind: AddressKind, segments: readonly string[], look: Lookup, ground: Ground): Promise<Findings> {
  const before = ground.lists.count();
  const findings = await findOnce(kind, segments, newSearch(look, 0), ground);
  return findings.trails.length > 0 || !findings.search.remembered ? findings : findOnce(kind, segments, newSearch(look, before), ground);
}

/**
 * Everything of a kind below some names, as far as the requests of one search reach; where a level isn't listed, what was
 * seen of the kind earlier too.
 * @param names of the outermost things, from the project down.
 * @throws ApiError as the platform fails.
 */
export async function findAll(kind: AddressKind, names: readonly string[], look: Lookup, ground: Ground): Promise<readonly Trail[]> {
  const search = newSearch(look, 0);
  await ground.seen.loaded();
  const [steps = []] = waysFor(kind);
  const organizations = await ground.lists.organization(search);
  const { trails } = await walk({ from: organizations.map((one) => [one]), steps, names: steps.map((_, index) => names[index]) }, search, ground);
  return distinct([...trails, ...(search.unlisted.size > 0 ? seenOf(kind, search, ground) : [])]);
}
