import { LRUCache } from 'lru-cache';
import { createValueFinder, minimumMaskedLength, type ValueFinder } from '../../contract/index.ts';
import { readingsOf } from '../../client/index.ts';
import { clean } from './untrusted-text.ts';

/** Maximum length of a mentioned value that is searched for, in characters. */
const longestMentioned = 4_096;

/** Maximum number of values remembered for one principal, and of their characters in total. */
const mostValues = 200;
const mostCharacters = 16_384;

/** Maximum number of principals with remembered values; the least recently used are dropped. */
const mostPrincipals = 500;

/** Maximum number of principals with a cached finder. */
const mostReady = 20;

/** Maximum number of characters of all values that one call mentions. */
const mostOfCall = 65_536;

const shortestDistinctive = 8;
const longOnItsOwn = 16;

/** Whether a secret differs enough from ordinary words to be masked wherever else it appears. */
export const isDistinctive = (value: string): boolean =>
  value.length >= longOnItsOwn ||
  (value.length >= shortestDistinctive &&
    [/[a-z]/i, /[^a-z]/i].every((kind) => kind.test(value)) &&
    !/^\d+$/.test(value));

/** Whether a mentioned value is searched for: very short or blank values would match in every text. */
const isSearchable = (value: string): boolean =>
  value.length <= longestMentioned && value.trim().length >= minimumMaskedLength;

/** The newest values within the limits, without duplicates, oldest first. */
function newestWithin(
  values: readonly string[],
  limits: { readonly values: number; readonly characters: number },
): readonly string[] {
  let characters = 0;
  const distinct = [...new Set(values.toReversed())].slice(0, limits.values);
  return distinct.filter((value) => (characters += value.length) <= limits.characters).toReversed();
}

/** The mentioned values that are searched for during a call. */
export const searchableIn = (values: readonly string[]): readonly string[] =>
  newestWithin(values.filter(isSearchable), { values: Infinity, characters: mostOfCall });

// Texts are searched in the form shown, and in readings without characters that may split a word.
const formsOf = (value: string): readonly string[] => [
  value,
  ...[clean(value), ...readingsOf(value)].filter(({ length }) => length >= minimumMaskedLength),
];

/** Finds these values in cleaned texts. */
export const finderFor = (values: readonly string[]): ValueFinder => createValueFinder(values.flatMap(formsOf));

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** Caches the finder of the last list of values: most texts are searched for the same ones. */
function cachedFinder(values: () => readonly string[]): () => ValueFinder {
  let cached: { readonly values: readonly string[]; readonly find: ValueFinder } | undefined;
  return () => {
    const current = values();
    if (!cached || !isSame(cached.values, current)) cached = { values: [...current], find: finderFor(current) };
    return cached.find;
  };
}

/** Secret values, by their origin. */
export interface KnownSecrets {
  /** Finds the secrets that this server is configured with. */
  readonly configured: () => ValueFinder;
  /** Finds the secrets that a principal mentioned in earlier calls that were allowed. */
  readonly mentionedBy: (principal: string) => ValueFinder;
  /** Remembers the secrets that a principal mentioned, for that principal only, within limits of number and length. */
  readonly remember: (principal: string, values: readonly string[]) => void;
}

/** No values remembered yet. @param configured returns the secrets that this server is currently configured with. */
export function createKnownSecrets(configured: () => readonly string[]): KnownSecrets {
  const mentioned = new LRUCache<string, readonly string[]>({ max: mostPrincipals });
  const cached = new LRUCache<string, () => ValueFinder>({ max: mostReady });
  return {
    configured: cachedFinder(() => configured().filter(({ length }) => length >= minimumMaskedLength)),
    mentionedBy: (principal) => {
      const find = cached.get(principal) ?? cachedFinder(() => mentioned.get(principal) ?? []);
      cached.set(principal, find);
      return find();
    },
    remember: (principal, values) => {
      const memorable = values.filter((value) => isSearchable(value) && isDistinctive(value));
      if (memorable.length === 0) return;
      mentioned.set(
        principal,
        newestWithin([...(mentioned.get(principal) ?? []), ...memorable], {
          values: mostValues,
          characters: mostCharacters,
        }),
      );
    },
  };
}
