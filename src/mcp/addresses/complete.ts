import type { AddressKind, Look } from './address.ts';
import { findAll } from './find.ts';
import { folded, segmentsOf } from './names.ts';
import { addressOf, trailTo, type Trail } from './trail.ts';
import { fits, waysFor } from './tree.ts';
import type { Ground } from './walk.ts';

/** Most completions of one text: what the protocol allows. */
const mostCompletions = 100;

/** How well an address completes a text, 0 the best; undefined when it doesn't. */
function rank(typed: string, { path, name, id }: { readonly path: string; readonly name: string; readonly id: string }): number | undefined {
  const order = [path.startsWith(typed), name.startsWith(typed), path.includes(typed), typed !== '' && id.startsWith(typed)];
  const index = order.indexOf(true);
  return index === -1 ? undefined : index;
}

/** What was seen of a kind, whatever the platform lists. */
const seenOf = (kind: AddressKind, { principal }: Look, { seen }: Ground): readonly Trail[] =>
  seen
    .filter(principal, [...new Set(waysFor(kind).flatMap((way) => way.at(-1)?.kinds ?? []))], (thing) => fits(thing.kind, kind))
    .map((thing) => trailTo(thing, principal, seen));

/**
 * Paths that what was typed can become, best first; ids where no path is known, or where an id was begun.
 * @throws ApiError as the platform fails.
 */
export async function completions(kind: AddressKind, typed: string, look: Look, ground: Ground): Promise<readonly string[]> {
  const outer = segmentsOf(typed).slice(0, -1);
  const along = await findAll(kind, outer, look, ground);
  // The names typed so far need not begin at the top.
  const trails = along.length > 0 || outer.length === 0 ? along : await findAll(kind, [], look, ground);
  const wanted = folded(typed);
  const ranked = [...trails, ...seenOf(kind, look, ground)].flatMap((trail) => {
    const { id, name = '', path = id } = addressOf(trail);
    const at = rank(wanted, { path: folded(path), name: folded(name), id });
    return at === undefined ? [] : [{ at, text: at === 3 ? id : path }];
  });
  const texts = ranked.toSorted((one, other) => one.at - other.at || one.text.localeCompare(other.text)).map(({ text }) => text);
  return [...new Set(texts)].slice(0, mostCompletions);
}
