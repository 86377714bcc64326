import {
  finish,
  invisibleCharacters,
  isPrintableAscii,
  maskPatternSource,
  styleMark,
  terminalEscapes,
  type Steps,
} from '../contract/index.ts';

/**
 * Secrets are recognised in a text as it is shown, and in readings of it without anything that may split a word: escape
 * sequences, invisible characters, and their written-out forms. Where nothing is masked, the omitted parts are
 * restored, so that no text disappears.
 */

const invisible = String.raw`(?!\r)(?:${invisibleCharacters.source})|<U\+[\dA-F]{4,6}>|${styleMark}|\r(?=\n)`;
// The written-out forms of `terminalEscapes`: text that was already shown once is read like the original.
const writtenSequences = [
  String.raw`<U\+(?:001B>\]|009D>)(?:(?!<U\+00(?:07|1B|9C|9D)>)[^])*(?:<U\+00(?:07|9C)>|<U\+001B>\\)`,
  String.raw`<U\+(?:001B>\[|009B>)[0-?]*[ -/]*[@-~]?`,
  String.raw`<U\+001B>[ -/]*[0-~]?`,
].join('|');

// The bracket of a mark ends no sequence: a mark stays whole.
const sequences = `${terminalEscapes.source}|${writtenSequences}`.replaceAll(
  /\[[0@]-~\]\?/g,
  (last) => `(?:(?!${maskPatternSource})${last.slice(0, -1)})?`,
);

/**
 * The parts that each reading leaves out. Two of them leave out sequences including their printable characters; the
 * third keeps these, because a secret could be among them.
 */
const leftOut = [`${sequences}|${invisible}`, String.raw`${sequences}|\r(?=\n)`, invisible].map(
  // Most characters are told at a glance to begin nothing of it.
  (source) => new RegExp(String.raw`(?![\n\t\u0020-;=-\u007E])(?:${source})`, 'gu'),
);

/** Whether no reading leaves out anything of a text. */
export const isWhole = (text: string): boolean => isPrintableAscii(text) && !text.includes('<U+');

// For the recognition of secrets, a lone carriage return also ends a line.
const asLines = (text: string): string => text.replaceAll('\r', '\n');

const reading = (text: string, pattern: RegExp): string => asLines(text.replaceAll(pattern, ''));

/** All readings of a text, those that equal it included. */
export const readingsOf = (text: string): readonly string[] =>
  isWhole(text) ? [text] : leftOut.map((pattern) => reading(text, pattern));

/** The first reading of a text: without escape sequences and invisible characters, and their written-out forms. */
export const visibleReading = (text: string): string => (isWhole(text) ? text : reading(text, leftOut[0]!));

const marks = new RegExp(maskPatternSource, 'g');

/** Parts of a text, as indices of the first code unit and the one after the last. */
type Part = readonly [start: number, end: number];

/**
 * The positions of the parts between the marks of a masked text in the text before masking; undefined if it has other
 * text. Where two marks touch, it isn't known where the first ends: omitted parts between their secrets are masked with
 * them.
 */
function visibleParts(text: string, masked: string): Part[] | undefined {
  const pieces = masked.split(marks);
  const parts: Part[] = [];
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    // A mark replaces at least one character.
    const earliest = index === 0 ? 0 : end + 1;
    const start =
      index === 0 ? 0 : index === pieces.length - 1 ? text.length - piece.length : text.indexOf(piece, earliest);
    if (start < earliest || !text.startsWith(piece, start)) return undefined;
    end = start + piece.length;
    parts.push([start, end]);
  }
  return parts;
}

/** A part of the text that a reading leaves out at one place. */
interface Gap {
  /** The index in the reading. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /** Whether it may be masked with an adjacent secret, because it contains no words. */
  readonly isWordless: boolean;
}

// A colour, or a single character, which is invisible. Other sequences may include letters of the text.
// oxlint-disable-next-line no-control-regex
const wordless = /^(?:(?:\u001B\[|<U\+001B>\[|\u009B|<U\+009B>)[\d;:]*m|<U\+[\dA-F]{4,6}>|.)$/su;

/** The parts of a text that a pattern leaves out, in order; adjacent ones are one gap. */
function gapsIn(text: string, pattern: RegExp): Gap[] {
  const gaps: Gap[] = [];
  let before = 0;
  for (const { index, 0: found } of text.matchAll(pattern)) {
    const [last, isWordless] = [gaps.at(-1), wordless.test(found)];
    if (last?.end === index)
      gaps[gaps.length - 1] = { ...last, end: index + found.length, isWordless: last.isWordless && isWordless };
    else gaps.push({ at: index - before, start: index, end: index + found.length, isWordless });
    before += found.length;
  }
  return gaps;
}

/** Replaces secrets in a text with marks and leaves the rest as it is; other work may run between its steps. */
type MaskInSteps = (text: string) => Steps<string>;

/** Masks the secrets found in a text without the matches of a pattern. The rest of the text stays unchanged. */
function* maskReading(text: string, pattern: RegExp, mask: MaskInSteps): Steps<string> {
  const read = reading(text, pattern);
  if (read === text) return text;
  yield;
  const masked = yield* mask(read);
  if (masked === read) return text;
  const parts = visibleParts(read, masked);
  if (!parts) return masked;
  const gaps = gapsIn(text, pattern);
  let next = 0;
  let before = 0;
  /**
   * Converts an index in the reading, where a mark starts or ends, to one in the text. Wordless gaps are part of the
   * mark.
   */
  const indexOf = (at: number, beginsMark: boolean): number => {
    for (
      let gap = gaps[next];
      gap && (gap.at < at || (gap.at === at && beginsMark !== gap.isWordless));
      gap = gaps[next]
    ) {
      before = gap.end - gap.at;
      next += 1;
    }
    return at + before;
  };
  const foundMarks = masked.match(marks) ?? [];
  return parts
    .map(([start, end], index) => {
      const from = index === 0 ? 0 : indexOf(start, false);
      const to = index === parts.length - 1 ? text.length : indexOf(end, true);
      return text.slice(from, to) + (foundMarks[index] ?? '');
    })
    .join('');
}

/** `maskReadings` in steps, between which other work may run. */
export function* maskReadingsInSteps(text: string, mask: MaskInSteps): Steps<string> {
  let current = text;
  for (const pattern of leftOut) {
    current = yield* maskReading(current, pattern, mask);
    yield;
  }
  return current;
}

/**
 * Masks the secrets found in any reading of a text.
 * @param mask replaces secrets with marks and leaves the rest as it is.
 */
export const maskReadings = (text: string, mask: (text: string) => string): string =>
  finish(
    // oxlint-disable-next-line require-yield -- it has no place to stop
    maskReadingsInSteps(text, function* (one) {
      return mask(one);
    }),
  );
