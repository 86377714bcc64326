import { recognizeAssignments } from './assignments.ts';
import { commandForms } from './commands.ts';
import { keyForms } from './keys.ts';
import { finish, hiddenSecret, hiddenStart, type Steps } from '../../../contract/index.ts';
import { isMark } from '../marks.ts';
import { hideSpans, longestStep, type Form, type Span } from './spans.ts';
import { traitsOf } from './traits.ts';
import { userinfoForms } from './userinfo.ts';

export { isCredentialHeader } from './headers.ts';
export { isCarrier, isNestedSecret, nestedKindOf, type NestedKind } from './nested-values.ts';
export { isSecretName, isSecretNumber } from './secret-names.ts';
export { hasUserinfo } from './userinfo.ts';
export { looksLikeSecret } from './secret-values.ts';

const forms: readonly Form[] = [
  ...keyForms,
  ...userinfoForms,
  { needs: 0, find: recognizeAssignments },
  ...commandForms,
];

// Hiding one secret can reveal the start of an adjacent one. A few rounds are enough; more would not be linear.
const mostRounds = 4;

// Text that only resembles a mark may contain the secret itself.
const lookalike = new RegExp(`\\${hiddenStart}[^\\]\\n]{1,300}\\]`, 'g');

/** Whether a text can't contain a secret: an id, a timestamp, or a word shorter than any key. True for most texts. */
const isPlain = (text: string): boolean =>
  /^(?:[\w./-]{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{1,20}Z)$/i.test(text);

/** `maskShapes` in steps, between which other work may run. */
export function* maskShapesInSteps(text: string): Steps<string> {
  if (isPlain(text)) return text;
  const isLong = text.length > longestStep;
  let masked = text.includes(hiddenStart)
    ? text.replaceAll(lookalike, (found) => (isMark(found) ? found : hiddenSecret))
    : text;
  for (let round = 0; round < mostRounds; round += 1) {
    const spans: Span[] = [];
    const has = traitsOf(masked, isLong);
    for (const { needs, find } of forms) {
      if ((needs & ~has) !== 0) continue;
      const found = find(masked);
      for (const span of 'next' in found ? yield* found : found) spans.push(span);
      if (isLong) yield;
    }
    const next = yield* hideSpans(masked, spans);
    if (next === masked) return masked;
    masked = next;
  }
  return masked;
}

/**
 * Recognises secrets in a text by their form, or by the name before them, and replaces them with `[hidden]`.
 * Idempotent. Takes time linear in the length of the text, whatever it contains.
 * @param text as it is shown, or a reading of it without characters that could split a secret.
 */
export const maskShapes = (text: string): string => (isPlain(text) ? text : finish(maskShapesInSteps(text)));
