import { type Cell, type Word, wordsIn, wordsOf } from './cell.ts';
import { breakLines, styledLine, widthOfLine } from './lines.ts';
import { stacked } from './stacked.ts';
import { lineWidth } from './width.ts';

/** A row of a table, each cell as its words. */
type Row = readonly (readonly Word[])[];

/** The minimum width of longer texts, in columns. Narrower texts are hard to read. */
const leastTextWidth = 24;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const largest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0);

/**
 * Column widths that fit: the widest columns are limited to the same width. No column is narrower than its longest
 * word, or than readable text.
 * @returns undefined if they can't fit.
 */
function fitWidths(heading: Row, rows: readonly Row[], available: number): number[] | undefined {
  const bodies = heading.map((_, column) => largest(rows.map((row) => widthOfLine(row[column]!))));
  const words = heading.map((_, column) =>
    largest([heading, ...rows].flatMap((row) => row[column]!.map(({ width }) => width))),
  );
  const least = words.map((width, column) => Math.max(width, Math.min(bodies[column]!, leastTextWidth)));
  const natural = heading.map((cell, column) => Math.max(widthOfLine(cell), bodies[column]!));
  if (sum(least) > available) return undefined;
  let limit = Math.min(largest(natural), available);
  const limited = (): number[] => natural.map((width, column) => Math.max(least[column]!, Math.min(width, limit)));
  while (sum(limited()) > available) limit -= 1;
  return limited();
}

/** The lines of a row of a table. */
function rowLines(row: Row, widths: readonly number[], gap: string, stream: NodeJS.WriteStream): string[] {
  const cells = row.map((cell, column) => breakLines(cell, widths[column]!));
  const height = largest(cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => {
    const parts = cells.map((lines, column) => {
      const line = lines[at] ?? [];
      return styledLine(line, stream) + ' '.repeat(widths[column]! - widthOfLine(line));
    });
    return parts.join(gap).trimEnd();
  });
}

/** The forms of a table, from the widest to the narrowest. */
const forms = [
  { isShort: false, gap: '  ' },
  { isShort: true, gap: '  ' },
  { isShort: true, gap: ' ' },
];

/** A table as lines, in the widest form that fits; undefined if none does. */
function tableLines(
  headings: Row,
  bodies: (isShort: boolean) => readonly Row[],
  available: number,
  stream: NodeJS.WriteStream,
): string[] | undefined {
  for (const { isShort, gap } of forms) {
    const rows = bodies(isShort);
    const widths = fitWidths(headings, rows, available - gap.length * (headings.length - 1));
    if (widths) return [headings, ...rows].flatMap((row) => rowLines(row, widths, gap, stream));
  }
  return undefined;
}

/**
 * The maximum ratio of a table's lines to those of a stack. A table is easier to read, but not if its columns are long
 * and narrow.
 */
const linesOfTableToStack = 1.5;

const clearer = (table: string[] | undefined, stack: string[]): string[] =>
  table && table.length <= stack.length * linesOfTableToStack ? table : stack;

/** The output stream and the layout of a table. */
export interface TableLayout {
  /** The stream that the table will be written to. Default: stdout. */
  readonly stream?: NodeJS.WriteStream;
  /** The indentation that the caller adds, in columns. */
  readonly indent?: number;
  /** The number of cells on the first line of a stacked row. Default: one. */
  readonly titles?: number;
}

/**
 * Formats a table: a heading, then one line for each row, with columns two spaces apart. In a terminal, a table that is
 * too wide uses the short texts of its cells, wrapped between words. If that doesn't fit, or needs many more lines, the
 * cells of a row are stacked. Elsewhere a row is always one line.
 */
export function columns(
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
  { stream = process.stdout, indent = 0, titles = 1 }: TableLayout = {},
): string {
  const available = lineWidth(stream) - indent;
  const bodies = (isShort: boolean): Row[] => rows.map((row) => row.map((cell) => wordsOf(cell, isShort)));
  const headings = heading.map((name) => wordsIn(name, 'bold'));
  const table = tableLines(headings, bodies, available, stream);
  // One line per row is the shortest possible form.
  const lines =
    rows.length === 0 || table?.length === rows.length + 1
      ? (table ?? [heading.join(' ')])
      : clearer(table, stacked(heading, bodies(true), titles, available, stream));
  return lines.map((line) => `${line}\n`).join('');
}
