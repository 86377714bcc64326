import { clean } from '../../server/redaction/index.ts';
import type { Style } from './style.ts';
import { textWidth } from './width.ts';

/** A text with one style. */
export interface Piece {
  readonly text: string;
  readonly style?: Style;
  /** A shorter text with the same meaning, used where the whole text doesn't fit. */
  readonly short?: string;
}

/** The content of one cell of a table. Several pieces are separated by spaces. */
export type Cell = string | Piece | readonly (string | Piece)[];

/** A unit that is never broken: a word, or a command to type. */
export interface Word {
  readonly text: string;
  readonly style?: Style;
  /** The spaces before it, which are omitted at the start of a line. */
  readonly before: string;
  readonly width: number;
}

// A command keeps its subcommand, options and code.
const unit = /(?<before>\s*)(?<text>infra-mcp(?: [a-z]+)?(?: (?:--?[\w-]+|[A-Z][A-Z\d-]+)(?![\w-]))*|\S+)/g;

/** Splits a text into words. */
export const wordsIn = (text: string, style?: Style): Word[] =>
  [...text.matchAll(unit)].map(({ groups }) => ({
    text: groups!['text']!,
    before: groups!['before']!.replaceAll(/\s/g, ' '),
    style,
    width: textWidth(groups!['text']!),
  }));

const asPiece = (piece: string | Piece): Piece => (typeof piece === 'string' ? { text: piece } : piece);

/**
 * The words of a cell. Control characters are escaped, so that no name can move the cursor.
 * @param isShort uses the short texts of pieces that have one.
 */
export function wordsOf(cell: Cell, isShort: boolean): Word[] {
  const pieces = (Array.isArray(cell) ? (cell as readonly (string | Piece)[]) : [cell as string | Piece]).map(asPiece);
  return pieces.flatMap(({ text, style, short }, index) => {
    const [first, ...others] = wordsIn(clean((isShort ? short : undefined) ?? text), style);
    if (!first) return [];
    return [{ ...first, before: index === 0 ? '' : ' ' }, ...others];
  });
}
