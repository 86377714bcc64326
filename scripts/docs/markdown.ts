const cellOf = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(' | ')} |`;

/** A Markdown table; cells may hold any text. */
export const markdownTable = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map(line).join('\n');

export const code = (text: string): string => `\`${text}\``;

const markOf = (name: string) => ({ begin: `<!-- generated: ${name} -->`, end: `<!-- end of ${name} -->` });

/**
 * Puts text between the marks that a hand-written page has for it.
 * @throws Error when the page lacks the marks.
 */
export function replaceGenerated(page: string, name: string, text: string): string {
  const { begin, end } = markOf(name);
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page has no marks "${begin}" and "${end}"`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
