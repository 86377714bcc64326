import { isRecord, omit, pick, pruneRecord, type JsonRecord } from './values.ts';

/**
 * How a tool shows an answer. Text and structured content are made from the same view, so that
 * both carry the same facts whichever of them a client shows to its model.
 */
export interface Renderer {
  /** Members of a row (of the record, where there are no rows) that are shown; all of them when undefined. */
  readonly shown?: readonly string[];
  /** What of an answer is worth showing. */
  readonly view: (answer: JsonRecord) => JsonRecord;
  /** The view in words: most relevant first. */
  readonly text: (view: JsonRecord) => string;
  /** Which rows stay when there are too many. */
  readonly keep: 'first' | 'last';
}

const compact = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const line = ([name, value]: readonly [string, unknown]): string => {
  const text = compact(value);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
};

const firstThen = (record: JsonRecord, first: readonly string[]): JsonRecord => ({ ...pick(record, first), ...omit(record, first) });

/** One member per line, nested ones as compact JSON. `first` come first, `left` are left out. */
export const record = ({ first = ['name', 'id'], left = ['icon_uri'] }: { first?: readonly string[]; left?: readonly string[] } = {}): Renderer => ({
  view: (answer) => firstThen(pruneRecord(omit(answer, left)), first),
  text: (view) => Object.entries(view).map(line).join('\n'),
  keep: 'first',
});

// A cell is one line; a pointer to another resource is its id.
const cell = (value: unknown): string => {
  if (value === undefined) return '';
  const text = isRecord(value) && Object.keys(value).length === 1 ? compact(Object.values(value)[0]) : compact(value);
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('|', '\\|');
};

/** Rows as a table without the columns that no row fills. */
export function tableText(rows: readonly JsonRecord[], columns: readonly string[]): string {
  const filled = columns.filter((column) => rows.some((row) => row[column] !== undefined));
  return [filled.join(' | '), ...rows.map((row) => filled.map((column) => cell(row[column])).join(' | '))].join('\n');
}

const rowsOf = (view: JsonRecord): JsonRecord[] => (Array.isArray(view['results']) ? (view['results'] as JsonRecord[]) : []);

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;

interface Page {
  page: number;
  page_size: number;
  total_count?: number;
  total_pages?: number;
}

const pageOf = (view: JsonRecord): Page | undefined => (view['pagination'] ?? (view['page'] !== undefined ? view : undefined)) as Page | undefined;

const pageText = (page: Page | undefined): string => {
  if (!page) return '';
  const of = page.total_pages === undefined ? '' : ` of ${page.total_pages}, ${page.total_count} in total`;
  return `, page ${page.page}${of} (page_size ${page.page_size})`;
};

/** `{results}` as a table of these columns. `noun` names one row. */
export const table = (noun: string, columns: readonly string[]): Renderer => ({
  shown: columns,
  view: (answer) => ({
    ...pruneRecord(pick(answer, ['pagination', 'page', 'page_size'])),
    results: rowsOf(answer).map((row) => pick(pruneRecord(row), columns)),
  }),
  text: (view) => {
    const rows = rowsOf(view);
    const head = `${plural(rows.length, noun)}${pageText(pageOf(view))}`;
    return rows.length === 0 ? head : `${head}\n${tableText(rows, columns)}`;
  },
  keep: 'first',
});

/** `{results}` of log lines, oldest first: time, pod, message. */
export const logLines: Renderer = {
  shown: ['created_at', 'pod_name', 'message'],
  view: (answer) => ({ results: rowsOf(answer).map((row) => pick(pruneRecord(row), ['created_at', 'pod_name', 'message'])) }),
  text: (view) => {
    const rows = rowsOf(view);
    if (rows.length === 0) return 'No log lines.';
    return [`${plural(rows.length, 'line')}, oldest first`, ...rows.map((row) => [row['created_at'], row['pod_name'], row['message']].map(cell).join(' '))].join('\n');
  },
  keep: 'last',
};
