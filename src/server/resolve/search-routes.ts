import type { ListCache, Search } from './list-cache.ts';
import { matchingName } from './names.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { ResourceRef } from './resource-ref.ts';
import { leafOf, pathTo, type ResourcePath } from './resource-path.ts';
import type { ListStep, ListChain } from './resource-hierarchy.ts';

/** What a walk down the tree needs. */
export interface ResolverContext {
  readonly lists: ListCache;
  readonly index: ResourceIndex;
}

/** A way down with a name for each step; undefined where anything goes. */
export interface SearchRoute {
  readonly from: readonly ResourcePath[];
  readonly steps: ListChain;
  readonly names: readonly (string | undefined)[];
}

/** Where a walk found nothing: what was looked for, and what there is instead. */
export interface DeadEnd {
  readonly step: ListStep;
  readonly name: string;
  readonly siblings: readonly ResourcePath[];
}

/** Where a walk ended. */
export interface RouteResult {
  readonly paths: readonly ResourcePath[];
  readonly deadEnd?: DeadEnd;
}

const isInSearchScope = ({ kind, id }: ResourceRef, { only }: Search['lookup']): boolean => {
  if (kind === 'project') return only?.projectId === undefined || only.projectId === id;
  return kind !== 'environment' || only?.environmentId === undefined || only.environmentId === id;
};

/** What lies in the last thing of a trail. Where the platform doesn't list it, what was seen of it earlier stands in. */
async function childrenOf(trail: ResourcePath, { listing }: ListStep, search: Search, { lists, index: seen }: ResolverContext): Promise<readonly ResourcePath[]> {
  const { id } = leafOf(trail);
  const { principal } = search.lookup;
  const listed = await lists.childrenOf(listing, id, search);
  if (listed === undefined) await seen.loaded();
  const things = listed ?? seen.filter(principal, listing.kinds, { kind: listing.parent, id });
  return things.filter((thing) => isInSearchScope(thing, search.lookup)).map((thing) => [...trail, thing]);
}

const filterByName = (siblings: readonly ResourcePath[], name: string | undefined): readonly ResourcePath[] => (name === undefined ? siblings : matchingName(siblings, name, leafOf));

/** Walks down a route, reading only what lies along it. */
export async function followRoute({ from, steps, names }: SearchRoute, search: Search, ground: ResolverContext): Promise<RouteResult> {
  let trails = from;
  for (const [index, step] of steps.entries()) {
    const name = names[index];
    const found = await Promise.all(trails.map((trail) => childrenOf(trail, step, search, ground)));
    const wanted = found.map((siblings) => siblings.filter((trail) => step.kinds.includes(leafOf(trail).kind)));
    trails = wanted.flatMap((siblings) => filterByName(siblings, name));
    if (trails.length > 0 || name === undefined) continue;
    // Something else of that very name may be what was meant.
    const others = found.flatMap((siblings) => matchingName(siblings, name, leafOf));
    return { paths: trails, deadEnd: { step, name, siblings: others.length > 0 ? others : wanted.flat() } };
  }
  return { paths: trails };
}

/** The places to set out from, the innermost first, each with the steps of the way that are left from there. */
function innerStarts(way: ListChain, { lookup: look }: Search, { index: seen }: ResolverContext): { readonly from: ResourcePath; readonly steps: ListChain }[] {
  const { service, environmentId, projectId } = look.within ?? {};
  const places: (ResourceRef | undefined)[] = [service, environmentId ? { kind: 'environment', id: environmentId } : undefined, projectId ? { kind: 'project', id: projectId } : undefined];
  return places.flatMap((place) => {
    const next = place === undefined ? -1 : way.findIndex(({ listing }) => listing.parent === place.kind);
    if (place === undefined || next < 1) return [];
    return [{ from: pathTo(seen.get(look.principal, place.kind, place.id) ?? place, look.principal, seen), steps: way.slice(next) }];
  });
}

const alignNames = (steps: ListChain, segments: readonly string[]): SearchRoute['names'] => steps.map((_, index) => segments[index - (steps.length - segments.length)]);

/** The organization to set out from. */
async function organizationRoots(search: Search, { lists }: ResolverContext, name?: string): Promise<readonly ResourcePath[]> {
  const { organizationId } = search.lookup.within ?? {};
  if (organizationId !== undefined && name === undefined) return [[{ kind: 'organization', id: organizationId }]];
  const trails = (await lists.organization(search)).map((thing) => [thing]);
  return filterByName(trails, name);
}

/**
 * The routes that segments can mean, in the order to try them: what leaves least open first, and from the inside out
 * where there is a place to begin.
 */
export async function routesFor(ways: readonly ListChain[], segments: readonly string[], search: Search, ground: ResolverContext): Promise<readonly (readonly SearchRoute[])[]> {
  await ground.index.loaded();
  const near = ways.flatMap((way) =>
    innerStarts(way, search, ground)
      .filter(({ steps }) => segments.length <= steps.length && segments.length < way.length)
      .map(({ from, steps }): SearchRoute => ({ from: [from], steps, names: alignNames(steps, segments) })),
  );
  const whole = ways.filter((way) => segments.length <= way.length);
  const all = whole.length > 0 ? await organizationRoots(search, ground) : [];
  const far = whole.map((steps): SearchRoute => ({ from: all, steps, names: alignNames(steps, segments) }));
  const [first, ...rest] = segments;
  const longer = ways.filter((way) => segments.length === way.length + 1);
  const ours = longer.length > 0 && first !== undefined ? await organizationRoots(search, ground, first) : [];
  const full = longer.map((steps): SearchRoute => ({ from: ours, steps, names: rest }));
  const open = ({ names }: SearchRoute): number => names.filter((name) => name === undefined).length;
  // Shorter ways leave less open, and they come first.
  const byOpen = Map.groupBy([...full, ...far].filter(({ from }) => from.length > 0), open);
  return [...near.map((route) => [route]), ...byOpen.values()];
}
