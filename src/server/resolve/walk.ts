import type { Lists, Search } from './lists.ts';
import { called } from './names.ts';
import type { Seen } from './seen.ts';
import type { Thing } from './thing.ts';
import { endOf, trailTo, type Trail } from './trail.ts';
import type { Step, Way } from './tree.ts';

/** What a walk down the tree needs. */
export interface Ground {
  readonly lists: Lists;
  readonly seen: Seen;
}

/** A way down with a name for each step; undefined where anything goes. */
export interface Route {
  readonly from: readonly Trail[];
  readonly steps: Way;
  readonly names: readonly (string | undefined)[];
}

/** Where a walk found nothing: what was looked for, and what there is instead. */
export interface Stop {
  readonly step: Step;
  readonly name: string;
  readonly instead: readonly Trail[];
}

/** Where a walk ended. */
export interface Arrival {
  readonly trails: readonly Trail[];
  readonly stop?: Stop;
}

const isLookedFor = ({ kind, id }: Thing, { only }: Search['look']): boolean => {
  if (kind === 'project') return only?.projectId === undefined || only.projectId === id;
  return kind !== 'environment' || only?.environmentId === undefined || only.environmentId === id;
};

/** What lies in the last thing of a trail. Where the platform doesn't list it, what was seen of it earlier stands in. */
async function below(trail: Trail, { listing }: Step, search: Search, { lists, seen }: Ground): Promise<readonly Trail[]> {
  const { id } = endOf(trail);
  const { principal } = search.look;
  const listed = await lists.inside(listing, id, search);
  if (listed === undefined) await seen.loaded();
  const things = listed ?? seen.filter(principal, listing.kinds, { kind: listing.parent, id });
  return things.filter((thing) => isLookedFor(thing, search.look)).map((thing) => [...trail, thing]);
}

const chosen = (siblings: readonly Trail[], name: string | undefined): readonly Trail[] => (name === undefined ? siblings : called(siblings, name, endOf));

/** Walks down a route, reading only what lies along it. */
export async function walk({ from, steps, names }: Route, search: Search, ground: Ground): Promise<Arrival> {
  let trails = from;
  for (const [index, step] of steps.entries()) {
    const name = names[index];
    const found = await Promise.all(trails.map((trail) => below(trail, step, search, ground)));
    const wanted = found.map((siblings) => siblings.filter((trail) => step.kinds.includes(endOf(trail).kind)));
    trails = wanted.flatMap((siblings) => chosen(siblings, name));
    if (trails.length > 0 || name === undefined) continue;
    // Something else of that very name may be what was meant.
    const others = found.flatMap((siblings) => called(siblings, name, endOf));
    return { trails, stop: { step, name, instead: others.length > 0 ? others : wanted.flat() } };
  }
  return { trails };
}

/** The places to set out from, the innermost first, each with the steps of the way that are left from there. */
function insides(way: Way, { look }: Search, { seen }: Ground): { readonly from: Trail; readonly steps: Way }[] {
  const { service, environmentId, projectId } = look.within ?? {};
  const places: (Thing | undefined)[] = [service, environmentId ? { kind: 'environment', id: environmentId } : undefined, projectId ? { kind: 'project', id: projectId } : undefined];
  return places.flatMap((place) => {
    const next = place === undefined ? -1 : way.findIndex(({ listing }) => listing.parent === place.kind);
    if (place === undefined || next < 1) return [];
    return [{ from: trailTo(seen.get(look.principal, place.kind, place.id) ?? place, look.principal, seen), steps: way.slice(next) }];
  });
}

const named = (steps: Way, segments: readonly string[]): Route['names'] => steps.map((_, index) => segments[index - (steps.length - segments.length)]);

/** The organization to set out from. */
async function organizationOf(search: Search, { lists }: Ground, name?: string): Promise<readonly Trail[]> {
  const { organizationId } = search.look.within ?? {};
  if (organizationId !== undefined && name === undefined) return [[{ kind: 'organization', id: organizationId }]];
  const trails = (await lists.organization(search)).map((thing) => [thing]);
  return chosen(trails, name);
}

/**
 * The routes that segments can mean, in the order to try them: what leaves least open first, and from the inside out
 * where there is a place to begin.
 */
export async function routesFor(ways: readonly Way[], segments: readonly string[], search: Search, ground: Ground): Promise<readonly (readonly Route[])[]> {
  await ground.seen.loaded();
  const near = ways.flatMap((way) =>
    insides(way, search, ground)
      .filter(({ steps }) => segments.length <= steps.length && segments.length < way.length)
      .map(({ from, steps }): Route => ({ from: [from], steps, names: named(steps, segments) })),
  );
  const whole = ways.filter((way) => segments.length <= way.length);
  const all = whole.length > 0 ? await organizationOf(search, ground) : [];
  const far = whole.map((steps): Route => ({ from: all, steps, names: named(steps, segments) }));
  const [first, ...rest] = segments;
  const longer = ways.filter((way) => segments.length === way.length + 1);
  const ours = longer.length > 0 && first !== undefined ? await organizationOf(search, ground, first) : [];
  const full = longer.map((steps): Route => ({ from: ours, steps, names: rest }));
  const open = ({ names }: Route): number => names.filter((name) => name === undefined).length;
  // Shorter ways leave less open, and they come first.
  const byOpen = Map.groupBy([...full, ...far].filter(({ from }) => from.length > 0), open);
  return [...near.map((route) => [route]), ...byOpen.values()];
}
