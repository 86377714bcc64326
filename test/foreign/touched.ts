import { chosen, type Choice, type DifferenceName } from '../other-platform/differences.ts';
import { type Asked, everything } from './calls.ts';
import table from './touched-calls.json' with { type: 'json' };

/**
 * What is known of a call: the differences with which other requests or answers belong to it, and the earlier calls
 * that it finds something of.
 */
export interface TouchedCall {
  readonly touchedBy: readonly DifferenceName[];
  readonly needs: readonly string[];
}

/**
 * The measured table, by the labels of calls. A call that isn't in it is made everywhere. `measure-touched.test.ts`
 * writes it.
 */
export const touchedCalls = table as unknown as Readonly<Record<string, TouchedCall | undefined>>;

/** The labels of calls and of all that they need, in turn. */
export function withNeeds(
  labels: readonly string[],
  known: Readonly<Record<string, Pick<TouchedCall, 'needs'> | undefined>>,
): ReadonlySet<string> {
  const all = new Set<string>();
  const add = (label: string): void => {
    if (all.has(label)) return;
    all.add(label);
    for (const needed of known[label]?.needs ?? []) add(needed);
  };
  for (const label of labels) add(label);
  return all;
}

/**
 * What is asked of a platform with these differences.
 * @param onlyTouched whether a single difference gets only the calls that it touches
 */
export function askedOf(differences: Choice, onlyTouched: boolean): readonly Asked[] {
  const made = everything.filter(({ isMade }) => isMade({ on: chosen(differences) }));
  if (!onlyTouched || typeof differences === 'string') return made;
  const names = Object.keys(differences) as DifferenceName[];
  const touched = made.filter(
    ({ label }) => touchedCalls[label]?.touchedBy.some((name) => names.includes(name)) ?? true,
  );
  const labels = withNeeds(
    touched.map(({ label }) => label),
    touchedCalls,
  );
  return made.filter(({ label }) => labels.has(label));
}
