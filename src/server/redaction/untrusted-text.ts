import { maskReadings } from '../../client/index.ts';
import { isPrintableAscii, writtenOut } from '../../contract/index.ts';

export { writtenOut as clean } from '../../contract/index.ts';

// Hiding a secret can reveal the start of another one, as in `maskShapes`.
const mostRounds = 4;

/**
 * Masks a text and writes out its invisible characters. Also finds secrets that invisible characters or escape
 * sequences split. Idempotent.
 * @param mask hides secrets.
 */
export function cleanThenMask(text: string, mask: (text: string) => string): string {
  if (isPrintableAscii(text) && !text.includes('<U+')) return mask(text);
  // Most readings are the same in each round.
  const results = new Map<string, string>();
  const maskOnce = (reading: string): string => {
    const known = results.get(reading) ?? mask(reading);
    results.set(reading, known);
    return known;
  };
  let masked = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const next = maskOnce(writtenOut(maskReadings(masked, maskOnce)));
    if (next === masked) break;
    masked = next;
  }
  return masked;
}

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
