import { type Word, wordsIn } from './cell.ts';
import { plainMessage } from './plain-message.ts';
import { styled } from './style.ts';
import { lineWidth, textWidth } from './width.ts';
import { clean } from '../../server/redaction/index.ts';

/** The width of words in one line, in columns. */
export const widthOfLine = (words: readonly Word[]): number =>
  words.reduce((sum, { before, width }, index) => sum + (index === 0 ? 0 : before.length) + width, 0);

/** Splits a command that is wider than a line into its words. */
const splitCommand = (word: Word, width: number): readonly Word[] =>
  word.width <= width || !word.text.includes(' ')
    ? [word]
    : word.text
        .split(' ')
        .map((text, index) => ({ ...word, text, before: index === 0 ? word.before : ' ', width: text.length }));

/**
 * Breaks words into lines. A single word that is too wide gets its own line, because a broken one couldn't be copied.
 */
export function breakLines(words: readonly Word[], width: number): Word[][] {
  const lines: Word[][] = [];
  let used = 0;
  for (const word of words.flatMap((one) => splitCommand(one, width))) {
    const line = lines.at(-1);
    if (line && used + word.before.length + word.width <= width) {
      line.push(word);
      used += word.before.length + word.width;
    } else {
      lines.push([word]);
      used = word.width;
    }
  }
  return lines;
}

/** A line as text, with its styles. */
export function styledLine(words: readonly Word[], stream: NodeJS.WriteStream): string {
  const runs: { text: string; readonly style: Word['style']; readonly before: string }[] = [];
  for (const { text, style, before } of words) {
    const run = runs.at(-1);
    if (run && run.style === style) run.text += before + text;
    else runs.push({ text, style, before: run ? before : '' });
  }
  return runs
    .map(({ text, style, before }) => before + (style === undefined ? text : styled(style, text, stream)))
    .join('');
}

const wrapParagraph = (line: string, width: number, stream: NodeJS.WriteStream): string => {
  const indent = /^ */.exec(line)![0];
  return breakLines(wordsIn(line), width - indent.length)
    .map((words) => `${indent}${styledLine(words, stream)}`)
    .join('\n');
};

/**
 * Breaks lines that are too long for a terminal between words, and indents the continuation like the original line.
 * Spaces within a line and texts for other streams stay unchanged. The text must be cleaned, and may be styled.
 */
export function wrapped(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const width = lineWidth(stream);
  return width === Infinity
    ? text
    : text
        .split('\n')
        .map((line) => wrapParagraph(line, width, stream))
        .join('\n');
}

/** The indentation of a fact's continuation lines. */
const hanging = '    ';

/** Breaks a word that is wider than a line between its characters. */
function splitWord(word: Word, width: number): readonly Word[] {
  if (word.width <= width) return [word];
  const parts: Word[] = [];
  for (const { segment } of new Intl.Segmenter().segment(word.text)) {
    const [last, own] = [parts.at(-1), textWidth(segment)];
    if (last && last.width + own <= width)
      parts[parts.length - 1] = { ...last, text: last.text + segment, width: last.width + own };
    else parts.push({ ...word, text: segment, before: last ? '' : word.before, width: own });
  }
  return parts;
}

const wrapFact = (line: string, width: number, stream: NodeJS.WriteStream): string => {
  const indent = /^ */.exec(line)![0];
  const room = Math.max(width - hanging.length - indent.length, 1);
  return breakLines(
    wordsIn(line).flatMap((word) => splitWord(word, room)),
    room,
  )
    .map((words, index) => `${index === 0 ? '' : hanging}${indent}${styledLine(words, stream)}`)
    .join('\n');
};

/**
 * Like `wrapped`, for facts of one line each. Only a fact may start at the left edge: continuation lines are indented,
 * and no word is left for the terminal to break. Otherwise text in a fact could look like the next fact.
 */
export function wrappedFacts(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const width = lineWidth(stream);
  return width === Infinity
    ? text
    : text
        .split('\n')
        .map((line) => wrapFact(line, width, stream))
        .join('\n');
}

/** Writes an error to stderr, prefixed with the name of the program. */
export const reportError = (error: unknown): void =>
  void process.stderr.write(wrapped(`infra-mcp: ${clean(plainMessage(error))}\n`, process.stderr));
