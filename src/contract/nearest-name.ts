import { closest, distance } from 'fastest-levenshtein';

/**
 * Levenshtein distance of a name to a known one; undefined if it is too large for a typing error: more than two letters
 * and more than a third of the known name.
 */
export function editDistance(name: string, known: string): number | undefined {
  const letters = distance(name, known);
  return letters <= Math.max(2, known.length / 3) ? letters : undefined;
}

/** The known name that was probably meant; undefined if none is near enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const candidate = closest(name, [...known]);
  return editDistance(name, candidate) === undefined ? undefined : candidate;
}
