import { LRUCache } from 'lru-cache';
import { createValueFinder, minimumMaskedLength, type ValueFinder } from '../../client/secret-masking.ts';
import { withoutInvisible } from '../../contract/plain-text.ts';
import { clean } from './untrusted-text.ts';

/** Longest value that is looked for because somebody mentioned it, in characters. */
const longestMentioned = 4_096;

/** What is remembered for one principal at most: values, and characters of all of them. */
const mostValues = 200;
const mostCharacters = 16_384;

/** Principals for whom something is remembered: those that called last. */
const mostPrincipals = 500;

/** Principals whose values are kept ready to be found. */
const mostReady = 20;

/** Most characters of all that one call mentions. */
const mostOfCall = 65_536;

const shortestDistinctive = 8;
const longOnItsOwn = 16;

/** Whether a secret can be told from ordinary words, so that it can be masked wherever else it stands. */
export const isDistinctive = (value: string): boolean =>
  value.length >= longOnItsOwn || (value.length >= shortestDistinctive && [/[a-z]/i, /[^a-z]/i].every((kind) => kind.test(value)) && !/^\d+$/.test(value));

/** Whether a value that was mentioned is looked for: what is nearly nothing, or nothing but space, would riddle every text. */
const isSearchable = (value: string): boolean => value.length <= longestMentioned && value.trim().length >= minimumMaskedLength;

/** The newest values that keep within bounds, each once, oldest first. */
function newestWithin(values: readonly string[], most: { readonly values: number; readonly characters: number }): readonly string[] {
  let characters = 0;
  const distinct = [...new Set(values.toReversed())].slice(0, most.values);
  return distinct.filter((value) => (characters += value.length) <= most.characters).toReversed();
}

/** What one call mentions that is looked for while it runs. */
export const searchableIn = (values: readonly string[]): readonly string[] => newestWithin(values.filter(isSearchable), { values: Infinity, characters: mostOfCall });

// Texts are cleaned before they are looked through, so a value that isn't clean stands there in another form.
const formsOf = (value: string): readonly string[] => [value, ...[clean(value), withoutInvisible(value)].filter(({ length }) => length >= minimumMaskedLength)];

/** Finds these values in texts that were cleaned. */
export const finderFor = (values: readonly string[]): ValueFinder => createValueFinder(values.flatMap(formsOf));

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.length === other.length && one.every((value, index) => value === other[index]);

/** Remembers what finds the last list of values: most texts are looked through for the same ones. */
function cachedFinder(values: () => readonly string[]): () => ValueFinder {
  let ready: { readonly values: readonly string[]; readonly find: ValueFinder } | undefined;
  return () => {
    const now = values();
    if (!ready || !isSame(ready.values, now)) ready = { values: [...now], find: finderFor(now) };
    return ready.find;
  };
}

/** Which values are secret, by who knows them. */
export interface KnownSecrets {
  /** Finds what this server is configured with. */
  readonly configured: () => ValueFinder;
  /** Finds what a principal mentioned earlier, in calls that were let pass. */
  readonly mentionedBy: (principal: string) => ValueFinder;
  /** Remembers what a principal mentioned, for it alone: the newest values, few and short ones. */
  readonly remember: (principal: string, values: readonly string[]) => void;
}

/** @param configured what this server is configured with, at the moment. */
export function createKnownSecrets(configured: () => readonly string[]): KnownSecrets {
  const mentioned = new LRUCache<string, readonly string[]>({ max: mostPrincipals });
  const ready = new LRUCache<string, () => ValueFinder>({ max: mostReady });
  return {
    configured: cachedFinder(() => configured().filter(({ length }) => length >= minimumMaskedLength)),
    mentionedBy: (principal) => {
      const find = ready.get(principal) ?? cachedFinder(() => mentioned.get(principal) ?? []);
      ready.set(principal, find);
      return find();
    },
    remember: (principal, values) => {
      const worth = values.filter((value) => isSearchable(value) && isDistinctive(value));
      if (worth.length === 0) return;
      mentioned.set(principal, newestWithin([...(mentioned.get(principal) ?? []), ...worth], { values: mostValues, characters: mostCharacters }));
    },
  };
}
