import { isCredentialHeader } from './headers.ts';
import type { AssignedName } from './assigned-name.ts';
import { isSecretName } from './secret-names.ts';
import type { Scalar } from './scalar-values.ts';
import { isMark } from '../marks.ts';
import type { Span } from './spans.ts';
import { canBeSecret, isPlaceholder, looksLikeSecret } from './secret-values.ts';

const nameMember = /^(?:name|key|header|header_?name|variable|param(?:eter)?|property|attribute)$/i;
const valueMember = /^value$/i;

/** Whether a member holds a name or its value, as in `{name: …, value: …}`. */
export const isPairMember = (name: string): boolean => nameMember.test(name) || valueMember.test(name);

/** Whether the `value` next to a name is secret. */
const isSecretPair = (name: string, value: string): boolean =>
  canBeSecret(value) &&
  !isPlaceholder(value) &&
  (isMark(value) || isSecretName(name, value) || isCredentialHeader(name) || looksLikeSecret(name, value));

interface PairMember {
  readonly isName: boolean;
  readonly start: number;
  readonly scalar: Scalar;
}

/** Maximum number of characters between a name and its value. */
const farthest = 300;

// Separates members of different objects: a brace, the next item of a list, an empty line.
const separates = /[{}<>]|\n[ \t]*-[ \t]|\n[ \t]*\n/;

const longestValue = 4096;

/** Pairs names with values of the same object, in either order. Members are added in the order of the text. */
export function createPairs(text: string): {
  add: (member: AssignedName, scalar: Scalar) => void;
  spans: () => readonly Span[];
} {
  const spans: Span[] = [];
  let last: PairMember | undefined;
  const textOf = ({ scalar }: PairMember): string =>
    text.slice(scalar.start, Math.min(scalar.end, scalar.start + longestValue));
  const areTogether = (one: PairMember, other: PairMember): boolean => {
    const gap = other.start - one.scalar.after;
    return gap >= 0 && gap <= farthest && !separates.test(text.slice(one.scalar.after, other.start));
  };
  return {
    add: (member, scalar) => {
      const part: PairMember = { isName: nameMember.test(member.name), start: member.start, scalar };
      const before = last !== undefined && areTogether(last, part) ? last : undefined;
      if (before && before.isName !== part.isName) {
        const [name, value] = part.isName ? [part, before] : [before, part];
        if (isSecretPair(textOf(name), textOf(value))) spans.push({ start: value.scalar.start, end: value.scalar.end });
      }
      // Of two names, the one that names a secret wins.
      if (before?.isName && part.isName && isSecretName(textOf(before)))
        last = { ...before, scalar: { ...before.scalar, after: part.scalar.after } };
      else last = part;
    },
    spans: () => spans,
  };
}
