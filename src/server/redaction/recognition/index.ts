import { recognizeAssignments } from './assignments.ts';
import { commandRecognizers } from './commands.ts';
import { keyRecognizers } from './keys.ts';
import { hiddenSecret } from '../../../contract/primitives.ts';
import { hideSpans, isMark } from './spans.ts';
import { userinfoRecognizers } from './userinfo.ts';

export { isSecretName } from './secret-names.ts';
export { hasUserinfo } from './userinfo.ts';
export { looksLikeSecret } from './secret-values.ts';

const recognizers = [...keyRecognizers, ...userinfoRecognizers, recognizeAssignments, ...commandRecognizers];

// Hiding one secret can show that another begins beside it. A few rounds settle every text; more would not be linear.
const mostRounds = 4;

// What a program wrote in the manner of a mark may hold the secret itself.
const lookalike = /\[hidden[^\]\n]{1,300}\]/g;

/** Most texts are ids, times and single words: what has none of the signs before a secret and is shorter than any key needs no look. */
const isPlain = (text: string): boolean => /^(?:[\w./-]{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{1,20}Z)$/i.test(text);

/**
 * Recognises secrets in a text by their form, or by the name that stands before them, and puts the mark `[hidden]` in their place.
 * Doing it twice changes nothing. Takes time in proportion to the length of the text, whatever it holds.
 * @param text without terminal escapes and invisible characters: they could split what is looked for.
 */
export function maskShapes(text: string): string {
  if (isPlain(text)) return text;
  let masked = text.replaceAll(lookalike, (found) => (isMark(found) ? found : hiddenSecret));
  for (let round = 0; round < mostRounds; round += 1) {
    const next = hideSpans(masked, recognizers.flatMap((find) => find(masked)));
    if (next === masked) return masked;
    masked = next;
  }
  return masked;
}
