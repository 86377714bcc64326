import type { AddressKind, Lookup } from '../tool/address.ts';
import { findAll } from './find.ts';
import { folded, segmentsOf } from './names.ts';
import { addressOf, written } from './trail.ts';
import type { Ground } from './walk.ts';

/** Most completions of one text: what the protocol allows. */
const mostCompletions = 100;

/** The rank of what is completed by its id. */
const idBegun = 3;

/** How well an address completes a text, 0 the best; undefined when it doesn't. */
function rank(typed: string, { path, name, id }: { readonly path: string; readonly name: string; readonly id: string }): number | undefined {
  const order = [path.startsWith(typed), name.startsWith(typed), path.includes(typed), typed !== '' && id.startsWith(typed)];
  const index = order.indexOf(true);
  return index === -1 ? undefined : index;
}

/**
 * Paths that what was typed can become, best first; ids where no path is known, or where an id was begun.
 * @throws ApiError as the platform fails.
 */
export async function completions(kind: AddressKind, typed: string, look: Lookup, ground: Ground): Promise<readonly string[]> {
  const outer = segmentsOf(typed).slice(0, -1);
  const along = await findAll(kind, outer, look, ground);
  // The names typed so far need not begin at the top.
  const trails = along.length > 0 || outer.length === 0 ? along : await findAll(kind, [], look, ground);
  const addresses = trails.map(addressOf);
  const texts = written(addresses);
  const wanted = folded(typed);
  const ranked = addresses.flatMap(({ id, name = '' }, index) => {
    const path = texts[index]!;
    const at = rank(wanted, { path: folded(path), name: folded(name), id });
    return at === undefined ? [] : [{ at, text: at === idBegun ? id : path }];
  });
  return ranked.toSorted((one, other) => one.at - other.at || one.text.localeCompare(other.text)).map(({ text }) => text).slice(0, mostCompletions);
}
