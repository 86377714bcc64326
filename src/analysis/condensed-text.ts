import { clip } from './events.ts';

/** A statement, and the names that it is about: `stopped` and `web`, `search`. */
export interface Statement {
  /** Empty if there is nothing to tell. */
  readonly text: string;
  /** Listed after the text. */
  readonly names?: readonly string[];
  /** Said at the end, also where names are left out. */
  readonly end?: string;
}

/** Maximum number of names listed in one statement. */
const mostNames = 3;

/** Maximum lengths of the whole, and of one text or name, in characters. */
const longestWhole = 260;
const longestPart = 100;

/** A statement with its first names, so many of them: without any, only their number is left. */
function shownWith({ text, names, end = '' }: Statement, most: number): string {
  if (names === undefined) return `${clip(text, longestPart)}${end}`;
  if (most === 0) return `${text}: ${names.length}${end}`;
  const first = names.slice(0, most).map((name) => clip(name, longestPart));
  const more = names.length - first.length;
  return `${text}: ${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}${end}`;
}

/**
 * Statements in one text, the most urgent first. While it is too long, the longest statement loses a name, in the end
 * all but their number. No statement is left out, even if the text then is longer than intended.
 */
export function condensed(statements: readonly Statement[]): string {
  const told = statements.filter(({ text }) => text !== '');
  const fitting = (most: readonly number[]): string => {
    const parts = told.map((statement, index) => shownWith(statement, most[index]!));
    const whole = parts.join('; ');
    const lengths = parts.map((part, index) => (most[index]! > 0 ? part.length : 0));
    // Of equally long ones the least urgent.
    const longest = lengths.lastIndexOf(Math.max(...lengths, 1));
    return whole.length <= longestWhole || longest === -1 ? whole : fitting(most.with(longest, most[longest]! - 1));
  };
  return fitting(told.map(({ names = [] }) => Math.min(mostNames, names.length)));
}
