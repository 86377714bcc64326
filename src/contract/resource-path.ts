import { Uuid } from './primitives.ts';
import { serviceKinds } from './resources/service.ts';

/** A service's name that reads as a kind and a name: paths write services of one name like this. */
const kindPrefix = new RegExp(`^(${serviceKinds.join('|')}):`, 'i');

/**
 * A name as a segment of a path. Percent-encodes `/` and `%`, and a character that would let it pass for an id or for a
 * name with its kind.
 */
export function segmentOf(name: string): string {
  const escaped = name.replace(/[%/]/g, encodeURIComponent).replace(kindPrefix, '$1%3A');
  return Uuid.safeParse(name).success ? escaped.replace('-', '%2D') : escaped;
}

/** The path of a resource, from the names on the way to it. Leaves out those that are unknown. */
export const joinPath = (names: readonly (string | null | undefined)[]): string =>
  names.flatMap((name) => (name ? [segmentOf(name)] : [])).join('/');

/** The segments of a path, still escaped. */
export const segmentsOf = (path: string): readonly string[] =>
  path
    .trim()
    .replaceAll(/^\/+|\/+$/g, '')
    .split('/');

/** The name in a segment of a path. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The names on the way to a resource, from its path. */
export const namesIn = (path: string): readonly string[] => segmentsOf(path).map(unescaped);
