import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { styled } from './style.ts';

const gap = '  ';

const sides = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'] as const;
const chars = { ...(Object.fromEntries(sides.map((side) => [side, ''])) as Record<(typeof sides)[number], string>), middle: gap };

const longestWord = (cell: string): number => Math.max(...stripVTControlCharacters(cell).split(/\s+/).map(({ length }) => length));

/**
 * Makes columns narrower, the widest first, until they fit into the room. None gets narrower than its longest word:
 * where that is too wide, the terminal breaks lines.
 */
function fitWidths(natural: readonly number[], lines: readonly (readonly string[])[], room: number): number[] {
  const least = natural.map((width, column) => Math.min(width, Math.max(...lines.map((cells) => longestWord(cells[column]!)))));
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - room;
    const slack = widths.map((width, column) => (width > least[column]! ? width : 0));
    const widest = Math.max(...slack);
    if (excess <= 0 || widest === 0) return widths;
    const column = slack.indexOf(widest);
    const sharing = slack.filter((width) => width === widest).length;
    widths[column] = Math.max(least[column]!, widest - Math.ceil(excess / sharing));
  }
}

/**
 * A table for a terminal: a heading, then a row a line, columns two spaces apart. In a terminal, long cells are wrapped
 * where the table would be wider, and no word is cut; elsewhere a row is always one line.
 * @param stream where it will be written.
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
