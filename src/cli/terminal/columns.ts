import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { styled } from './style.ts';

const gap = '  ';

const sides = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'] as const;
const chars = { ...(Object.fromEntries(sides.map((side) => [side, ''])) as Record<(typeof sides)[number], string>), middle: gap };

const longestWord = (cell: string): number => Math.max(...stripVTControlCharacters(cell).split(/\s+/).map(({ length }) => length));

/**
 * Shrinks columns, the widest first, until they fit the available width. No column gets narrower than its longest word:
 * if that is still too wide, the terminal wraps the line.
 */
function fitWidths(natural: readonly number[], lines: readonly (readonly string[])[], available: number): number[] {
  const least = natural.map((width, column) => Math.min(width, Math.max(...lines.map((cells) => longestWord(cells[column]!)))));
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
    const slack = widths.map((width, column) => (width > least[column]! ? width : 0));
    const widest = Math.max(...slack);
    if (excess <= 0 || widest === 0) return widths;
    const column = slack.indexOf(widest);
    const sharing = slack.filter((width) => width === widest).length;
    widths[column] = Math.max(least[column]!, widest - Math.ceil(excess / sharing));
  }
}

/**
 * Formats a table: a heading, then one line for each row, with columns two spaces apart. In a terminal, cells of a table that is
 * too wide are wrapped between words. Elsewhere a row is always one line.
 * @param stream the stream that the table will be written to.
 */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[], stream: NodeJS.WriteStream = process.stdout): string {
  const draw = (colWidths?: number[]) => {
    const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
    const table = new Table({ head: heading.map((cell) => styled('bold', cell, stream)), chars, style, ...(colWidths && { colWidths, wordWrap: true }) });
    table.push(...rows.map((cells) => [...cells]));
    return { text: table.toString(), widths: table.options.colWidths as number[] };
  };
  const natural = draw();
  const { text } = stream.isTTY ? draw(fitWidths(natural.widths, [heading, ...rows], stream.columns)) : natural;
  return text.split('\n').map((line) => `${line.trimEnd()}\n`).join('');
}
