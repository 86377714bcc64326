/** A table for a terminal: a heading, then a row a line, columns two spaces apart. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  return lines.map((cells) => `${cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd()}\n`).join('');
}
