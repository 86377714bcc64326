import type { ListCache, Search } from './list-cache.ts';
import { matchingName } from './names.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { ResourceRef } from './resource-ref.ts';
import { leafOf, pathTo, type ResourcePath } from './resource-path.ts';
import { wideListFor, type ListStep, type ListChain, type WideList } from './resource-hierarchy.ts';

/** The data of name resolution: cached lists, and the index of seen resources. */
export interface ResolverContext {
  readonly lists: ListCache;
  readonly index: ResourceIndex;
}

/** Steps down the hierarchy from some resources, with a name for each step; undefined matches anything. */
export interface SearchRoute {
  readonly from: readonly ResourcePath[];
  readonly steps: ListChain;
  readonly names: readonly (string | undefined)[];
}

/** The step of a route that matched nothing: the name searched for, and the resources there. */
export interface DeadEnd {
  readonly step: ListStep;
  readonly name: string;
  readonly siblings: readonly ResourcePath[];
}

/** The result of following a route. */
export interface RouteResult {
  readonly paths: readonly ResourcePath[];
  readonly deadEnd?: DeadEnd;
}

const isInSearchScope = ({ kind, id }: ResourceRef, { only }: Search['lookup']): boolean => {
  if (kind === 'project') return only?.projectId === undefined || only.projectId === id;
  return kind !== 'environment' || only?.environmentId === undefined || only.environmentId === id;
};

/**
 * The resources of these kinds that were seen before; none for a reader that hides rows, because it may not have seen
 * them.
 */
export const seenIn = (
  index: ResourceIndex,
  { lookup: { principal, view } }: Search,
  kinds: ListStep['kinds'],
  parent?: ResourceRef['parent'],
): readonly ResourceRef[] => (view === undefined ? index.filter(principal, kinds, parent) : []);

/** Paths to the children of the last resource of a path. If the platform can't list them, the indexed ones are used. */
async function childrenOf(
  path: ResourcePath,
  { listing }: ListStep,
  search: Search,
  { lists, index }: ResolverContext,
): Promise<readonly ResourcePath[]> {
  const { id } = leafOf(path);
  const listed = await lists.childrenOf(listing, id, search);
  if (listed === undefined) await index.loaded();
  const resources = listed ?? seenIn(index, search, listing.kinds, { kind: listing.parent, id });
  return resources
    .filter((resource) => isInSearchScope(resource, search.lookup))
    .map((resource) => [...path, resource]);
}

/** The least number of environments whose services are read in one list: of fewer, their own lists are shorter. */
const fewestAtOnce = 4;

type ByParent = ReadonlyMap<string, readonly ResourceRef[]>;

/** Wide lists that are being read for a route, beside the lists before them. */
type Ahead = ReadonlyMap<WideList, Promise<ByParent | undefined>>;

/** The organization in which wide lists may be read. Who sees only a part has shorter lists of it. */
const organizationAtOnce = (paths: readonly ResourcePath[], { lookup }: Search): ResourceRef | undefined => {
  const [root] = paths[0] ?? [];
  const { readsAtOnce, view, only } = lookup;
  return readsAtOnce !== undefined &&
    view === undefined &&
    only === undefined &&
    root?.kind === 'organization' &&
    paths.every(([first]) => first?.id === root.id)
    ? root
    : undefined;
};

/**
 * Starts to read the environments of an organization while its projects are read: whichever project is meant, those of
 * that project are then known. Where services of any project and environment are meant, they are read as well. Nothing
 * is read ahead if the projects are cached, or for a change.
 */
function readAhead({ from, steps, names }: SearchRoute, search: Search, { lists }: ResolverContext): Ahead {
  const root = organizationAtOnce(from, search);
  const [first, ...deeper] = steps;
  if (search.lookup.isForChange || !root || !first || from.length !== 1 || from[0]!.length !== 1) return new Map();
  if (lists.hasChildrenOf(first.listing, root.id, search)) return new Map();
  const wide = deeper.flatMap(({ listing }, index) => {
    const isMeant = index === 0 || names.slice(0, index + 1).every((name) => name === undefined);
    return (isMeant && wideListFor(listing)) || [];
  });
  const readings = wide.map((list) => [list, lists.allOf(list, root.id, search)] as const);
  // Whoever needs a list meets its failure.
  for (const [, reading] of readings) reading.catch(() => undefined);
  return new Map(readings);
}

/**
 * The children of the last resources of some paths, from a list of the organization; undefined if they have to be read
 * place by place. A place of which that list has no row is asked itself.
 */
async function childrenAtOnce(
  paths: readonly ResourcePath[],
  step: ListStep,
  search: Search,
  context: ResolverContext,
  ahead: Ahead,
): Promise<readonly (readonly ResourcePath[])[] | undefined> {
  const wide = wideListFor(step.listing);
  const root = organizationAtOnce(paths, search);
  const { isForChange, readsAtOnce } = search.lookup;
  if (!wide || !root) return undefined;
  const isCached = context.lists.hasAllOf(wide, root.id, search);
  const isOfEnvironments = wide.kinds.includes('environment');
  const isOfMany = readsAtOnce === 'always' || paths.length >= fewestAtOnce;
  // For a change, the environments of a project are read there: a row that can't be read may be a namesake.
  const isMeant = isForChange ? (isOfEnvironments ? isCached : isOfMany) : isCached || isOfMany;
  const areCached = paths.every((path) => context.lists.hasChildrenOf(step.listing, leafOf(path).id, search));
  const reading = ahead.get(wide) ?? (isMeant && !areCached ? context.lists.allOf(wide, root.id, search) : undefined);
  const all = await reading;
  return (
    all &&
    Promise.all(
      paths.map(
        async (path) =>
          all.get(leafOf(path).id)?.map((resource) => [...path, resource]) ?? childrenOf(path, step, search, context),
      ),
    )
  );
}

const filterByName = (siblings: readonly ResourcePath[], name: string | undefined): readonly ResourcePath[] =>
  name === undefined ? siblings : matchingName(siblings, name, leafOf);

/** Follows a route, and reads only the lists along it. */
export async function followRoute(route: SearchRoute, search: Search, context: ResolverContext): Promise<RouteResult> {
  const { from: start, steps, names } = route;
  const ahead = readAhead(route, search, context);
  let paths = start;
  for (const [index, step] of steps.entries()) {
    const name = names[index];
    const from = paths;
    const ofKindIn = (lists: readonly (readonly ResourcePath[])[]): readonly (readonly ResourcePath[])[] =>
      lists.map((siblings) => siblings.filter((path) => step.kinds.includes(leafOf(path).kind)));
    const atOnce = await childrenAtOnce(from, step, search, context, ahead);
    paths = ofKindIn(atOnce ?? []).flatMap((siblings) => filterByName(siblings, name));
    if (paths.length > 0) continue;
    // Nothing is called missing because a list of all lacks it.
    const found = await Promise.all(from.map((path) => childrenOf(path, step, search, context)));
    const ofKind = ofKindIn(found);
    paths = ofKind.flatMap((siblings) => filterByName(siblings, name));
    if (paths.length > 0 || name === undefined) continue;
    // A resource of another kind with the same name may be meant.
    const others = found.flatMap((siblings) => matchingName(siblings, name, leafOf));
    return { paths, deadEnd: { step, name, siblings: others.length > 0 ? others : ofKind.flat() } };
  }
  return { paths };
}

/** The starting points within the caller's context, the innermost first, each with the remaining steps of the chain. */
function innerStarts(
  chain: ListChain,
  { lookup }: Search,
  { index }: ResolverContext,
): { readonly from: ResourcePath; readonly steps: ListChain }[] {
  const { service, environmentId, projectId } = lookup.within ?? {};
  const starts: (ResourceRef | undefined)[] = [
    service,
    environmentId ? { kind: 'environment', id: environmentId } : undefined,
    projectId ? { kind: 'project', id: projectId } : undefined,
  ];
  return starts.flatMap((start) => {
    const next = start === undefined ? -1 : chain.findIndex(({ listing }) => listing.parent === start.kind);
    if (start === undefined || next < 1) return [];
    return [
      {
        from: pathTo(index.get(lookup.principal, start.kind, start.id) ?? start, lookup.principal, index),
        steps: chain.slice(next),
      },
    ];
  });
}

const alignNames = (steps: ListChain, segments: readonly string[]): SearchRoute['names'] =>
  steps.map((_, index) => segments[index - (steps.length - segments.length)]);

/** The organizations that routes start from: those with the given name; without one, the caller's or the token's. */
async function organizationRoots(
  search: Search,
  { lists }: ResolverContext,
  name?: string,
): Promise<readonly ResourcePath[]> {
  const { organizationId } = search.lookup.within ?? {};
  if (organizationId !== undefined && name === undefined) return [[{ kind: 'organization', id: organizationId }]];
  if (name !== undefined)
    return filterByName(
      (await lists.organizations(search)).map((resource) => [resource]),
      name,
    );
  const organization = await lists.organization(search);
  return organization ? [[organization]] : [];
}

/**
 * The routes that segments can mean, in groups in the order to try them: first from the caller's context, the innermost
 * first, then from the organization, those with the fewest unnamed steps first.
 * @param options `isOnlyInside`: only resources inside the caller's context can be meant.
 */
export async function routesFor(
  chains: readonly ListChain[],
  segments: readonly string[],
  search: Search,
  context: ResolverContext,
  { isOnlyInside = false } = {},
): Promise<readonly (readonly SearchRoute[])[]> {
  await context.index.loaded();
  const fromInside = chains.flatMap((chain) =>
    innerStarts(chain, search, context)
      .filter(({ steps }) => segments.length <= steps.length && segments.length < chain.length)
      .map(({ from, steps }): SearchRoute => ({ from: [from], steps, names: alignNames(steps, segments) })),
  );
  if (isOnlyInside) return fromInside.map((route) => [route]);
  const fitting = chains.filter((chain) => segments.length <= chain.length);
  const roots = fitting.length > 0 ? await organizationRoots(search, context) : [];
  const fromRoots = fitting.map((steps): SearchRoute => ({ from: roots, steps, names: alignNames(steps, segments) }));
  const [first, ...rest] = segments;
  const withOrganization = chains.filter((chain) => segments.length === chain.length + 1);
  const namedRoots =
    withOrganization.length > 0 && first !== undefined ? await organizationRoots(search, context, first) : [];
  const fromNamedRoots = withOrganization.map((steps): SearchRoute => ({ from: namedRoots, steps, names: rest }));
  const openSteps = ({ names }: SearchRoute): number => names.filter((name) => name === undefined).length;
  // Shorter chains have fewer unnamed steps, and come first.
  const byOpenSteps = Map.groupBy(
    [...fromNamedRoots, ...fromRoots].filter(({ from }) => from.length > 0),
    openSteps,
  );
  return [...fromInside.map((route) => [route]), ...byOpenSteps.values()];
}
