import { findAssignments } from './assignments.ts';
import { commandFinders } from './commands.ts';
import { keyFinders } from './keys.ts';
import { hideSpans } from './spans.ts';
import { userinfoFinders } from './userinfo.ts';

export { nameTells } from './names.ts';
export { hasUserinfo } from './has-userinfo.ts';
export { valueTells } from './values.ts';

const finders = [...keyFinders, ...userinfoFinders, findAssignments, ...commandFinders];

// Hiding one secret can show that another begins beside it. A few rounds settle every text; more would not be linear.
const mostRounds = 4;

/**
 * Recognises secrets in a text by their form, or by the name that stands before them, and puts the mark `[hidden]` in their place.
 * Doing it twice changes nothing. Takes time in proportion to the length of the text, whatever it holds.
 * @param text without terminal escapes and invisible characters: they could split what is looked for.
 */
export function maskShapes(text: string): string {
  let masked = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const next = hideSpans(masked, finders.flatMap((find) => find(masked)));
    if (next === masked) return masked;
    masked = next;
  }
  return masked;
}
