import Table from 'cli-table3';
import { styled } from './style.ts';

const gap = '  ';

/** Narrowest that a column is made, in characters. */
const narrowest = 12;

const sides = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'] as const;
const chars = { ...(Object.fromEntries(sides.map((side) => [side, ''])) as Record<(typeof sides)[number], string>), middle: gap };

/** Makes columns narrower, the widest first, until they fit into the room; as they are where they can't. */
function fitting(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - room;
    const widest = Math.max(...widths);
    if (excess <= 0 || widest <= narrowest) return widths;
    const sharing = widths.filter((width) => width === widest).length;
    widths[widths.indexOf(widest)] = Math.max(narrowest, widest - Math.ceil(excess / sharing));
  }
}

/**
 * A table for a terminal: a heading, then a row a line, columns two spaces apart. In a terminal, long cells are wrapped
 * where the table would be wider; elsewhere a row is always one line.
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
  const { text } = stream.isTTY ? draw(fitting(natural.widths, stream.columns)) : natural;
  return text.split('\n').map((line) => `${line.trimEnd()}\n`).join('');
}
