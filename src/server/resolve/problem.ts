import { difference } from '../tool/nearest.ts';
import type { AddressKind } from '../tool/address.ts';
import { distinct, mostRequests, type Findings } from './find.ts';
import { folded, isId } from './names.ts';
import { addressOf, endOf, type Trail } from './trail.ts';
import { fits } from './tree.ts';
import type { AddressProblem } from '../failure/failure.ts';

/** Most things that are proposed instead. */
const mostNear = 8;

/** How far a name is from a thing's, with names that hold it among the nearest; undefined when it is nothing like it. */
function farness(name: string, trail: Trail): number | undefined {
  const [given, known] = [folded(name), folded(endOf(trail).name ?? '')];
  if (known === '') return undefined;
  return known.includes(given) || given.includes(known) ? 0 : difference(given, known);
}

/** The things whose names are like one that isn't there; where none is, some of those that are there. Of ids none is like another. */
function nearOf({ stops }: Findings): readonly Trail[] {
  const far = stops.filter(({ name }) => !isId(name)).flatMap(({ name, instead }) => instead.map((trail) => ({ trail, by: farness(name, trail) })));
  const near = far.flatMap(({ trail, by }) => (by === undefined ? [] : [{ trail, by }])).toSorted((one, other) => one.by - other.by);
  return distinct((near.length > 0 ? near : far).map(({ trail }) => trail)).slice(0, mostNear);
}

function notesOn({ search }: Findings): readonly string[] {
  const unlisted = [...search.unlisted].map((kind) => kind.replaceAll('_', ' '));
  const { only } = search.look;
  return [
    ...(only ? [only.note] : []),
    ...(unlisted.length > 0 ? [`This platform does not list these: ${unlisted.join(', ')}. What is known of them comes from ids seen earlier and is not complete.`] : []),
    ...(search.cutShort ? [`The search ended after ${mostRequests} requests and did not see everything: give more of the path.`] : []),
  ];
}

/** What to tell where something stands for nothing, or for more than one thing. */
export function problemOf(kind: AddressKind, given: string, findings: Findings): AddressProblem {
  const { trails, stops, search } = findings;
  const notes = notesOn(findings);
  if (trails.length > 0) return { kind, given, why: 'ambiguous', candidates: trails.map(addressOf), near: [], notes };
  const near = nearOf(findings).map(addressOf);
  const [stop] = stops;
  const last = stop?.step.kinds.some((one) => fits(one, kind));
  const missing = stop && !last ? { kind: stop.step.kinds[0]!, name: stop.name } : undefined;
  return { kind, given, why: search.unlisted.size > 0 ? 'not_listable' : 'unknown', candidates: [], near, ...(missing && { missing }), notes };
}
