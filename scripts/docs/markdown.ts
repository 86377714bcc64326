const cellOf = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(' | ')} |`;

/** A Markdown table. Cells can contain any text. */
export const markdownTable = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map(line).join('\n');

/** Text as inline code. */
export const code = (text: string): string => `\`${text}\``;

const markOf = (name: string) => ({ begin: `<!-- generated: ${name} -->`, end: `<!-- end of ${name} -->` });

/**
 * Replaces the text between two markers of a hand-written page.
 * @throws Error if the page lacks the markers.
 */
export function replaceGenerated(page: string, name: string, text: string): string {
  const { begin, end } = markOf(name);
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page has no marks "${begin}" and "${end}"`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
