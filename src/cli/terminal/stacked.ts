import { type Word, wordsIn } from './cell.ts';
import { breakLines, styledLine, widthOfLine } from './lines.ts';

const indent = '  ';
const between = '  ';

/** A cell with its heading before it, as words. */
const labelled = (heading: string, cell: readonly Word[]): Word[] => [
  ...wordsIn(`${heading}:`, 'dim'),
  ...cell.map((word, index) => (index === 0 ? { ...word, before: ' ' } : word)),
];

/** The lines below the first line of a row: as many cells side by side as fit, and long cells on separate lines. */
function detailLines(cells: readonly (readonly Word[])[], width: number): Word[][] {
  const lines: Word[][] = [];
  let used = Infinity;
  for (const cell of cells) {
    const cellWidth = widthOfLine(cell);
    if (used + between.length + cellWidth <= width) {
      lines.at(-1)!.push(...cell.map((word, index) => (index === 0 ? { ...word, before: between } : word)));
      used += between.length + cellWidth;
    } else {
      const [first = [], ...more] = breakLines(cell, width);
      lines.push(first, ...more.flatMap((line) => breakLines(line, width)));
      used = more.length === 0 ? cellWidth : Infinity;
    }
  }
  return lines;
}

/** Cells side by side, as words. */
const besideEachOther = (cells: readonly (readonly Word[])[]): Word[] =>
  cells.flatMap((cell) => cell.map((word, index) => (index === 0 ? { ...word, before: between } : word)));

/**
 * Formats rows that are too wide for a table: the first cells on a line, and the others below with their headings.
 * Empty cells are left out.
 * @param titles the number of cells on the first line, after those without a heading.
 */
export function stacked(
  heading: readonly string[],
  rows: readonly (readonly (readonly Word[])[])[],
  titles: number,
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  const first = heading.findIndex((name) => name !== '') + titles;
  return rows.flatMap((row) => {
    const details = row
      .slice(first)
      .flatMap((cell, index) => (cell.length === 0 ? [] : [labelled(heading[first + index]!, cell)]));
    return [
      ...breakLines(besideEachOther(row.slice(0, first)), width).map((line) => styledLine(line, stream)),
      ...detailLines(details, width - indent.length).map((line) => indent + styledLine(line, stream)),
    ];
  });
}
