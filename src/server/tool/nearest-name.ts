import { closest, distance } from 'fastest-levenshtein';

/** How many letters a known name differs from one that was given; undefined when it can't have been meant: more than a third of it, and more than two letters. */
export function editDistance(name: string, known: string): number | undefined {
  const letters = distance(name, known);
  return letters <= Math.max(2, known.length / 3) ? letters : undefined;
}

/** The known name that was probably meant. Undefined when none is that near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const candidate = closest(name, [...known]);
  return editDistance(name, candidate) === undefined ? undefined : candidate;
}
