import type { AssignedName } from './assigned-name.ts';
import { isCredentialHeader } from './headers.ts';
import { isPairMember } from './name-value-pairs.ts';
import { nestedKindOf, type NestedKind } from './nested-values.ts';
import { remembered } from './remembered.ts';
import { canOpen } from './scalar-values.ts';
import { isSecretIfRandom, mayBeSecretName } from './secret-names.ts';

/** What a name tells of its value. */
export interface Meaning {
  readonly role: 'header' | 'pair' | 'secret';
  /** The kind of secrets in a list or map with this name. */
  readonly nested: NestedKind | undefined;
  /** Whether only a random value is secret. */
  readonly onlyRandom: boolean;
}

const roleOf = (name: string): Meaning['role'] | undefined =>
  isCredentialHeader(name) ? 'header' : isPairMember(name) ? 'pair' : mayBeSecretName(name) ? 'secret' : undefined;

/** What a name tells of its value; null if it tells nothing. */
export const meaningOf = remembered((name): Meaning | null => {
  const role = roleOf(name);
  return role ? { role, nested: nestedKindOf(name), onlyRandom: isSecretIfRandom(name) } : null;
});

/** A name of interest, and its position. */
export type Member = AssignedName<Meaning>;

const [firstVisible, firstBeyond] = [0x21, 0x7f];

/** Characters that can begin a quote, a tag, a list or a map, and those that a name can follow. */
const notInWord = new Set(Array.from('{[(?&"\'', (char) => char.charCodeAt(0)));
const notOfWord = new Set(Array.from('{[!&', (char) => char.charCodeAt(0)));

const isVisible = (code: number): boolean => code >= firstVisible && code < firstBeyond;
const isInWord = (code: number): boolean => isVisible(code) && !notInWord.has(code);
const beginsWord = (code: number): boolean => isVisible(code) && !notOfWord.has(code) && !canOpen(code);

/**
 * Whether a name with a colon stands where no value is a secret, told by the characters around them: it is among other
 * words, and the value begins right after the colon. As `isSecretValue` says, but without reading the value.
 */
export function isAmongWords(text: string, { separator, quote, line, before, valueAt, meaning }: Member): boolean {
  if (separator !== ':' || quote !== '' || line !== undefined || meaning.role !== 'secret') return false;
  return isInWord(before.charCodeAt(0)) && beginsWord(text.charCodeAt(valueAt));
}
