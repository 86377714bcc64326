import { naming, type TextPart } from './tool-text.ts';
import { at, isRecord, omit, pick, pickPaths, pruneRecord, rootOf, type JsonRecord } from '../json/values.ts';

/**
 * How a tool shows an answer. Text and structured content are made from the same view, so that
 * both carry the same facts whichever of them a client shows to its model.
 */
export interface Renderer {
  /** Members of a row (of the record, where there are no rows) that are shown; all of them when undefined. */
  readonly shown?: readonly string[];
  /** Members that are never shown. */
  readonly left?: readonly string[];
  /** What of an answer is worth showing. */
  readonly view: (answer: JsonRecord) => JsonRecord;
  /** The view in words: most relevant first. */
  readonly text: (view: JsonRecord) => string;
  /** Which rows stay when there are too many. */
  readonly keep: 'first' | 'last';
  /** How to get the rows that did not stay, where it isn't the next page. */
  readonly rest?: TextPart;
  /** The same with these columns only; absent where there are none to choose from. */
  readonly only?: (columns: readonly string[]) => Renderer;
  /** The columns there are, dotted paths; any member of a row where left out. */
  readonly columns?: readonly string[];
  /** Whether timestamps stay without how long ago they were, as in logs. */
  readonly plainTimes?: boolean;
}

/** A value on one line: text as it is, everything else as JSON; nothing for what isn't there. */
export const compact = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const line = ([name, value]: readonly [string, unknown]): string => {
  const text = compact(value);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
};

/** What `record` leaves out unless told otherwise: it says nothing to a model. */
const decoration = ['icon_uri'];

/** One member per line, nested ones as compact JSON. `first` come first, `left` are left out. */
export const record = ({ first = ['name', 'id'], left = decoration }: { first?: readonly string[]; left?: readonly string[] } = {}): Renderer => ({
  left,
  view: (answer) => {
    const shown = pruneRecord(omit(answer, left));
    return { ...pick(shown, first), ...omit(shown, first) };
  },
  text: (view) => Object.entries(view).map(line).join('\n'),
  keep: 'first',
});

// A cell is one line; a pointer to another resource is its id.
const cell = (value: unknown): string => {
  if (value === undefined) return '';
  const isPointer = isRecord(value) && Object.keys(value).length === 1 && typeof value['id'] === 'string';
  const text = compact(isPointer ? value['id'] : value);
  return text.replaceAll('\n', '\\n').replaceAll('|', '\\|');
};

/** Rows as a table, one a line, without the columns that no row fills. Columns are dotted paths. */
export function tableText(rows: readonly JsonRecord[], columns: readonly string[]): string {
  const filled = columns.filter((column) => rows.some((row) => at(row, column) !== undefined));
  return [filled.join(' | '), ...rows.map((row) => filled.map((column) => cell(at(row, column))).join(' | '))].join('\n');
}

const rowsOf = (view: JsonRecord): JsonRecord[] => (Array.isArray(view['results']) ? (view['results'] as JsonRecord[]) : []);

const count = (rows: readonly unknown[], noun: string): string => `${rows.length} ${noun}${rows.length === 1 ? '' : 's'}`;

const pagingMembers = ['pagination', 'page', 'page_size'];

function pageText(view: JsonRecord): string {
  const page = isRecord(view['pagination']) ? view['pagination'] : view;
  if (page['page'] === undefined) return '';
  const of = page['total_pages'] === undefined ? '' : ` of ${compact(page['total_pages'])}, ${compact(page['total_count'])} in total`;
  // Histories don't tell how much there is: only a page that isn't full shows that it is the last.
  const isFull = of === '' && rowsOf(view).length === page['page_size'];
  return `, page ${compact(page['page'])}${of} (page_size ${compact(page['page_size'])}${isFull ? `; it is full, for more ask for page ${Number(page['page']) + 1}` : ''})`;
}

const listText = (view: JsonRecord, noun: string, body: (rows: readonly JsonRecord[]) => string): string => {
  const rows = rowsOf(view);
  const head = `${count(rows, noun)}${pageText(view)}`;
  return rows.length === 0 ? head : `${head}\n${body(rows)}`;
};

const listView = (answer: JsonRecord, row: (row: JsonRecord) => JsonRecord): JsonRecord => ({
  ...pruneRecord(pick(answer, pagingMembers)),
  results: rowsOf(answer).map((one) => row(pruneRecord(one))),
});

/** `{results}` as a table of these columns. `noun` names one row. */
export const table = (noun: string, columns: readonly string[]): Renderer => ({
  shown: [...new Set(columns.map(rootOf))],
  view: (answer) => listView(answer, (row) => pickPaths(row, columns)),
  text: (view) => listText(view, noun, (rows) => tableText(rows, columns)),
  keep: 'first',
  columns,
  only: (chosen) => table(noun, chosen),
});

/** `{results}` as a table of these columns, with everything else of a row in a last one. */
export const wholeTable = (noun: string, columns: readonly string[], left: readonly string[] = decoration): Renderer => ({
  left,
  view: (answer) => listView(answer, (row) => omit(row, left)),
  text: (view) =>
    listText(view, noun, (rows) =>
      tableText(rows.map((row) => pruneRecord({ ...pick(row, columns), more: omit(row, columns) })), [...columns, 'more']),
    ),
  keep: 'first',
  only: (chosen) => table(noun, chosen),
});

const logColumns = ['created_at', 'pod_name', 'message'];

/** `{results}` of log lines in the platform's order: time, pod, message. */
export const logLines: Renderer = {
  ...table('line', logColumns),
  text: (view) => listText(view, 'line', (rows) => rows.map((row) => logColumns.map((column) => cell(row[column])).join(' ')).join('\n')),
  keep: 'last',
  rest: naming`Older ones are found by ${'search_logs'} with pattern "." and, as until, the time of the first line shown.`,
  only: undefined,
  plainTimes: true,
};
