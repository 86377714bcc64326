/** A piece of a line in one style. */
export interface Span {
  readonly text: string;
  /** Names of styles: `bold`, `dim`, or a colour. */
  readonly styles: readonly string[];
}

export type StyledLine = readonly Span[];

interface Cell {
  readonly character: string;
  readonly styles: readonly string[];
}

/** What a code of a terminal sets, and what it ends. */
const codes: Readonly<Record<string, { readonly sets?: string; readonly ends: readonly string[] }>> = (() => {
  const colours = { 31: 'red', 32: 'green', 33: 'yellow', 35: 'magenta', 36: 'cyan' };
  const all = Object.values(colours);
  return {
    1: { sets: 'bold', ends: [] },
    2: { sets: 'dim', ends: [] },
    22: { ends: ['bold', 'dim'] },
    39: { ends: all },
    ...Object.fromEntries(Object.entries(colours).map(([code, colour]) => [code, { sets: colour, ends: all }])),
  };
})();

// eslint-disable-next-line no-control-regex -- what starts a style in a terminal
const styleCode = /\u001B\[(\d+)m/;

/** @throws Error if the text has a code that has no style here. */
function cellsOf(line: string): Cell[] {
  let styles: readonly string[] = [];
  return line.split(styleCode).flatMap((part, index) => {
    if (index % 2 === 0) return Array.from(part, (character) => ({ character, styles }));
    const code = codes[part];
    if (!code) throw new Error(`The style ${part} of a terminal has no name in scripts/pictures/styled-lines.ts.`);
    styles = [...styles.filter((style) => !code.ends.includes(style)), ...(code.sets === undefined ? [] : [code.sets])];
    return [];
  });
}

const spansOf = (cells: readonly Cell[]): StyledLine =>
  cells.reduce<Span[]>((spans, { character, styles }) => {
    const last = spans.at(-1);
    if (last?.styles.join(' ') === styles.join(' '))
      return [...spans.slice(0, -1), { text: last.text + character, styles }];
    return [...spans, { text: character, styles }];
  }, []);

const isSpace = ({ character }: Cell): boolean => character === ' ';

/** The rows that a line takes, broken between words; what continues it is indented like it. */
function rowsOf(cells: readonly Cell[], columns: number, indent: readonly Cell[]): Cell[][] {
  if (cells.length <= columns) return [[...cells]];
  const space = cells.slice(0, columns + 1).findLastIndex((cell, index) => index > indent.length && isSpace(cell));
  const end = space < 0 ? columns : space;
  return [cells.slice(0, end), ...rowsOf([...indent, ...cells.slice(space < 0 ? end : end + 1)], columns, indent)];
}

/** A line of a terminal with its styles, in as many rows as it needs. */
export function styledRows(line: string, columns: number): StyledLine[] {
  const cells = cellsOf(line);
  const start = cells.findIndex((cell) => !isSpace(cell));
  const indent = Array.from({ length: Math.max(0, start) + 2 }, () => ({ character: ' ', styles: [] }));
  return rowsOf(cells, columns, indent).map(spansOf);
}
