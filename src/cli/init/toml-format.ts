import { parse, stringify } from 'smol-toml';
import { type ConfigFormat, type ConfigValue, type EntryPath, lineBreakOf } from './config-format.ts';

/** The name of a table in its header; undefined for every other line. */
const tableOf = (line: string): string | undefined =>
  /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '');
const isHeader = (line: string): boolean => /^\s*\[\[?[^[\]]+\]\]?\s*(?:#.*)?$/.test(line);

const tablesOf = (path: EntryPath, entry: ConfigValue): string =>
  stringify({ [path[0]]: { [path[1]]: entry } }).trimEnd();

/** The lines of an entry: its table and those below it, each up to its last line with content. */
function linesOf(lines: readonly string[], path: EntryPath): { readonly from: number; readonly to: number }[] {
  const name = path.join('.');
  return lines.flatMap((line, from) => {
    const table = tableOf(line);
    if (table !== name && !table?.startsWith(`${name}.`)) return [];
    const next = lines.findIndex((other, index) => index > from && isHeader(other));
    const end = next < 0 ? lines.length : next;
    // Comments and blank lines before the next table belong to the next table.
    const last = lines
      .slice(from, end)
      .findLastIndex((other) => other.trim() !== '' && !other.trimStart().startsWith('#'));
    return [{ from, to: from + last + 1 }];
  });
}

/** Replaces the lines of an entry with new lines, at the position of the first. */
function replaceLines(text: string, path: EntryPath, by: readonly string[]): string {
  const lines = text.split(/\r?\n/);
  const ranges = linesOf(lines, path);
  const [first] = ranges;
  const kept = lines.flatMap((line, index) => {
    if (index === first?.from) return by;
    const range = ranges.find(({ from, to }) => index >= from && index < to);
    // The blank line between its tables is removed with them.
    const isGap =
      line.trim() === '' && ranges.some(({ to }) => to === index) && ranges.some(({ from }) => from === index + 1);
    return range || isGap ? [] : [line];
  });
  return kept.join(lineBreakOf(text));
}

function parseToml(text: string): ConfigValue {
  try {
    // The library's tables have no prototype.
    return structuredClone<ConfigValue>(parse(text));
  } catch (error) {
    const { line } = error as { line?: number };
    throw new Error(`${line === undefined ? 'it' : `line ${line}`} is not valid TOML`, { cause: error });
  }
}

/** TOML. An entry is added at the end, as separate tables. */
export const tomlFormat: ConfigFormat = {
  parse: parseToml,
  set: (text, path, entry) => {
    const tables = tablesOf(path, entry).split('\n');
    if (linesOf(text.split(/\r?\n/), path).length > 0) return replaceLines(text, path, tables);
    const br = lineBreakOf(text);
    const start = text === '' || text.endsWith('\n') ? text : `${text}${br}`;
    return `${start}${start.trim() === '' ? '' : br}${tables.join(br)}${br}`;
  },
  // Empty tables are not written, so there is no member to remove.
  remove: (text, path) => replaceLines(text, path, []),
  show: tablesOf,
};
