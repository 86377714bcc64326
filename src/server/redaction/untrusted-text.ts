import { isWhole, maskReadingsInSteps } from '../../client/index.ts';
import { finish, writtenOut, type Steps } from '../../contract/index.ts';

export { writtenOut as clean } from '../../contract/index.ts';

// Hiding a secret can reveal the start of another one, as in `maskShapes`.
const mostRounds = 4;

/** `cleanThenMask` in steps, between which other work may run. */
export function* cleanThenMaskInSteps(text: string, mask: (text: string) => Steps<string>): Steps<string> {
  if (isWhole(text)) return yield* mask(text);
  // Most readings are the same in each round.
  const results = new Map<string, string>();
  const maskOnce = function* (reading: string): Steps<string> {
    const known = results.get(reading) ?? (yield* mask(reading));
    results.set(reading, known);
    return known;
  };
  let masked = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const shown = writtenOut(yield* maskReadingsInSteps(masked, maskOnce));
    yield;
    const next = yield* maskOnce(shown);
    if (next === masked) break;
    masked = next;
  }
  return masked;
}

/**
 * Masks a text and writes out its invisible characters. Also finds secrets that invisible characters or escape
 * sequences split. Idempotent.
 * @param mask hides secrets.
 */
export const cleanThenMask = (text: string, mask: (text: string) => string): string =>
  isWhole(text)
    ? mask(text)
    : finish(
        // oxlint-disable-next-line require-yield -- it has no place to stop
        cleanThenMaskInSteps(text, function* (reading) {
          return mask(reading);
        }),
      );

const openMark = '<platform-data>';
const closeMark = '</platform-data>';
const delimiterLookalike = /<(?=[\s/]*platform-data)/gi;

// Prevents the content from ending the delimited text: the `<` of anything like a delimiter is replaced.
const neutralize = (text: string): string => text.replaceAll(delimiterLookalike, '‹');

/**
 * Puts text from the platform between marks that label it as data, not instructions. Expects cleaned and masked text.
 */
export const delimited = (text: string): string => `${openMark}\n${neutralize(text)}\n${closeMark}`;

/** `delimited` for use within a sentence. */
export const delimitedInline = (text: string): string => `${openMark}${neutralize(text)}${closeMark}`;

/** The delimiters, for the instructions that explain them. */
export const delimiters = { open: openMark, close: closeMark };
