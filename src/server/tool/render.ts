import { naming, type TextPart } from './tool-text.ts';
import { periodText, repeatsText } from '../../analysis/index.ts';
import { maximumPageSize } from '../../contract/index.ts';
import { at, isRecord, omit, pick, pickPaths, pruneRecord, rootOf, type JsonRecord } from '../json/index.ts';

/**
 * Shows the changes of a call, one line each, below the identifying members.
 * @param shown the members that the answer always has.
 */
export const changeRecord = (shown: readonly string[]): Renderer => {
  const rest = record();
  return {
    shown,
    view: pruneRecord,
    text: ({ changes = [], ...view }) =>
      [rest.text(view), ...(changes as string[])].filter((line) => line !== '').join('\n'),
    keep: 'first',
  };
};

/**
 * How a tool shows an answer. Text and structured content are created from the same view, so that both contain the same
 * facts, whichever of them a client shows to its model.
 */
export interface Renderer {
  /** Members of a row (or of the record, if there are no rows) that are shown; all if undefined. */
  readonly shown?: readonly string[];
  /** Members that are never shown. */
  readonly omitted?: readonly string[];
  /** Picks the part of an answer to show. */
  readonly view: (answer: JsonRecord) => JsonRecord;
  /** The view as text, most relevant first. */
  readonly text: (view: JsonRecord) => string;
  /** Which rows to keep if there are too many. */
  readonly keep: 'first' | 'last' | ((view: JsonRecord) => 'first' | 'last');
  /** How to get the other rows, if not from the next page. */
  readonly rest?: TextPart;
  /** The same renderer with these columns only; absent if columns can't be chosen. */
  readonly only?: (columns: readonly string[]) => Renderer;
  /** The columns to choose from, as dotted paths; any member of a row if absent. */
  readonly columns?: readonly string[];
  /** Whether timestamps are shown without their age, as in logs. */
  readonly plainTimes?: boolean;
}

/** A value as text: strings as they are, everything else as one line of JSON, undefined as an empty string. */
export const compact = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const line = ([name, value]: readonly [string, unknown]): string => {
  const text = compact(value);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
};

/** Members that are left out by default, because a model can't use them. */
const decoration = ['icon_uri'];

/**
 * A record with one member per line, nested ones as compact JSON. `first` members come first, `omitted` members are
 * left out.
 */
export const record = ({
  first = ['name', 'id'],
  omitted = decoration,
}: { first?: readonly string[]; omitted?: readonly string[] } = {}): Renderer => ({
  omitted,
  view: (answer) => {
    const shown = pruneRecord(omit(answer, omitted));
    return { ...pick(shown, first), ...omit(shown, first) };
  },
  text: (view) => Object.entries(view).map(line).join('\n'),
  keep: 'first',
});

// A cell is one line; a reference to another resource is printed as its id.
const cell = (value: unknown): string => {
  if (value === undefined) return '';
  const isPointer = isRecord(value) && Object.keys(value).length === 1 && typeof value['id'] === 'string';
  const text = compact(isPointer ? value['id'] : value);
  return text.replaceAll('\n', '\\n').replaceAll('|', '\\|');
};

/** Rows as a text table, one per line, without columns that are empty in all rows. Columns are dotted paths. */
export function tableText(rows: readonly JsonRecord[], columns: readonly string[]): string {
  const filled = columns.filter((column) => rows.some((row) => at(row, column) !== undefined));
  return [filled.join(' | '), ...rows.map((row) => filled.map((column) => cell(at(row, column))).join(' | '))].join(
    '\n',
  );
}

const rowsOf = (view: JsonRecord): JsonRecord[] =>
  Array.isArray(view['results']) ? (view['results'] as JsonRecord[]) : [];

const count = (rows: number, noun: string): string =>
  `${rows} ${rows === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

const pagingMembers = ['pagination', 'page', 'page_size', 'without_pages'];

/**
 * For the histories of platforms without pages: how to get older rows. Only a list of the requested length may have
 * more.
 */
function longerText(view: JsonRecord): string {
  const [page, size] = [Number(view['page'] ?? 1), Number(view['page_size'])];
  if (rowsOf(view).length < size || page * size >= maximumPageSize) return '';
  return ` (there may be older ones: give page_size ${Math.min(maximumPageSize, (page + 1) * size)}, since this platform has no pages of them)`;
}

function pageText(view: JsonRecord): string {
  if (view['without_pages'] === true) return longerText(view);
  const page = isRecord(view['pagination']) ? view['pagination'] : view;
  if (page['page'] === undefined) return '';
  const of =
    page['total_pages'] === undefined
      ? ''
      : ` of ${compact(page['total_pages'])}, ${compact(page['total_count'])} in total`;
  // Histories have no total count: only a page that isn't full is known to be the last.
  const isFull = of === '' && rowsOf(view).length === page['page_size'];
  return `, page ${compact(page['page'])}${of} (page_size ${compact(page['page_size'])}${isFull ? `; it is full, for more ask for page ${Number(page['page']) + 1}` : ''})`;
}

const listText = (view: JsonRecord, noun: string, body: (rows: readonly JsonRecord[]) => string): string => {
  const rows = rowsOf(view);
  const head = `${count(rows.length, noun)}${pageText(view)}`;
  return rows.length === 0 ? head : `${head}\n${body(rows)}`;
};

const listView = (answer: JsonRecord, row: (row: JsonRecord) => JsonRecord): JsonRecord => ({
  ...pruneRecord(pick(answer, pagingMembers)),
  results: rowsOf(answer).map((one) => row(pruneRecord(one))),
});

/** Shows `{results}` as a table of these columns. `noun` is the name of one row. */
export const table = (noun: string, columns: readonly string[]): Renderer => ({
  shown: [...new Set(columns.map(rootOf))],
  view: (answer) => listView(answer, (row) => pickPaths(row, columns)),
  text: (view) => listText(view, noun, (rows) => tableText(rows, columns)),
  keep: 'first',
  columns,
  only: (chosen) => table(noun, chosen),
});

/** Shows `{results}` as a table of these columns, with the rest of each row in a last column `more`. */
export const wholeTable = (
  noun: string,
  columns: readonly string[],
  omitted: readonly string[] = decoration,
): Renderer => ({
  omitted,
  view: (answer) => listView(answer, (row) => omit(row, omitted)),
  text: (view) =>
    listText(view, noun, (rows) =>
      tableText(
        rows.map((row) => pruneRecord({ ...pick(row, columns), more: omit(row, columns) })),
        [...columns, 'more'],
      ),
    ),
  keep: 'first',
  only: (chosen) => table(noun, chosen),
});

const logColumns = ['created_at', 'pod_name', 'message'];

const repeatsOf = ({ repeats, created_at: time }: JsonRecord): readonly string[] => {
  if (!isRecord(repeats) || typeof repeats['count'] !== 'number') return [];
  const { with_other_numbers: isOther, ranges, first_at: first, last_at: last } = repeats;
  const told = {
    count: repeats['count'],
    isExact: isOther !== true,
    ...(Array.isArray(ranges) && { ranges: ranges.map(String) }),
    ...(typeof first === 'string' && { first }),
    ...(typeof last === 'string' && { last }),
  };
  return [repeatsText(told, typeof time === 'string' ? time : undefined)];
};

/** How many messages there are and how many of them are shown; of raw lines, only those that are shown. */
const messagesText = ({ messages, different, shown, results }: JsonRecord): string => {
  if (typeof messages !== 'number')
    return Array.isArray(results) && results.length > 0 ? `The newest ${count(results.length, 'line')}:` : '';
  if (messages === 0) return '';
  return `${count(messages, 'message')}${different === messages ? '' : `, ${compact(different)} different`}${shown === different ? '' : `; the newest ${compact(shown)} are shown`}.`;
};

/**
 * Shows `{results}` as log lines in the platform's order: time, pod, message, and how often it came. Says which period
 * they cover.
 */
export const logLines: Renderer = {
  ...table('line', logColumns),
  shown: undefined,
  view: (answer) => ({
    ...pruneRecord(pick(answer, ['logs', 'messages', 'different', 'shown'])),
    results: rowsOf(answer).map((row) => pick(pruneRecord(row), [...logColumns, 'repeats'])),
  }),
  text: (view) =>
    [
      [periodText(view['logs'], 'Read'), messagesText(view)].filter((part) => part !== '').join(' '),
      ...rowsOf(view).map((row) => [...logColumns.map((column) => cell(row[column])), ...repeatsOf(row)].join(' ')),
    ].join('\n'),
  keep: 'last',
  rest: naming`Older ones are found by ${'search_logs'} with pattern "." and, as until, the time of the first line shown.`,
  only: undefined,
  plainTimes: true,
};
