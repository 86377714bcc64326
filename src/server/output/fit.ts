import { firstPart, maximumPageSize } from '../../contract/index.ts';
import { visibleText, type Renderer } from '../tool/index.ts';
import { isRecord, mapStrings, type JsonRecord } from '../json/index.ts';

/** Maximum length of a result, in characters: about 8,000 tokens. */
export const maximumCharacters = 24_000;

/** The first limit on strings of a result that is too long, in characters. */
const maximumString = 4_000;

/** A view that fits, its text, and a note for the caller if something was left out. */
export interface Fitted {
  readonly view: JsonRecord;
  readonly text: string;
  readonly omission?: string;
}

const shorten =
  (limit: number) =>
  (text: string): string => {
    const first = firstPart(text, limit);
    return first === text ? text : `${first}… (${text.length - first.length} more characters)`;
  };

const fits = (text: string): boolean => text.length <= maximumCharacters;

const kept = ({ keep }: Renderer, view: JsonRecord): 'first' | 'last' => (typeof keep === 'string' ? keep : keep(view));

/** The view with as many rows as fit, from the start or the end as the renderer specifies. Searches by bisection. */
function fittingRows(view: JsonRecord, rows: readonly unknown[], renderer: Renderer): JsonRecord {
  const withRows = (count: number): JsonRecord => ({
    ...view,
    results: kept(renderer, view) === 'last' ? rows.slice(rows.length - count) : rows.slice(0, count),
  });
  let [enough, tooMany] = [0, rows.length];
  while (tooMany - enough > 1) {
    const middle = Math.floor((enough + tooMany) / 2);
    if (fits(renderer.text(withRows(middle)))) enough = middle;
    else tooMany = middle;
  }
  return withRows(enough);
}

/** The context in which a result is shown. */
interface FitOptions {
  /** Names of tools that clients don't see: the note must not mention them. */
  readonly hidden?: readonly string[];
  /** Whether the caller can request other pages. Default: true. */
  readonly hasPages?: boolean;
}

/** How to request the rows that don't fit: with smaller pages, so that the first of them are the rows already shown. */
function restNote(shown: number, view: JsonRecord): string {
  const { page, page_size: size } = isRecord(view['pagination']) ? view['pagination'] : view;
  const most = Math.min(shown, maximumPageSize);
  if (!Number.isInteger(page) || !Number.isInteger(size) || Number(page) <= 1)
    return ` For the rest ask with page_size ${most} and page 2, 3 …`;
  let smaller = most;
  while (Number(size) % smaller !== 0) smaller -= 1;
  const next = ((Number(page) - 1) * Number(size)) / smaller + 2;
  return ` For the rest ask with page_size ${smaller} and page ${next}, ${next + 1} …`;
}

const rowsNote = (
  shown: number,
  all: number,
  renderer: Renderer,
  { hidden = [], hasPages = true }: FitOptions,
  view: JsonRecord,
): string =>
  kept(renderer, view) === 'last'
    ? visibleText(
        [
          `Only the newest ${shown} of ${all} rows are shown, because all of them would be too long.`,
          ...(renderer.rest === undefined ? [] : [renderer.rest]),
        ],
        hidden,
      )
    : `Only the first ${shown} of ${all} rows are shown, because all of them would be too long.${hasPages ? restNote(shown, view) : ''}`;

/**
 * Shortens a view until its text fits in one result: first long strings, then rows.
 */
export function fit(full: JsonRecord, renderer: Renderer, options: FitOptions = {}): Fitted {
  const whole = renderer.text(full);
  if (fits(whole)) return { view: full, text: whole };
  const rows = full['results'];
  const limits = [maximumString, 1_000, 200, 40];
  for (const limit of limits) {
    const short = mapStrings(full, shorten(limit)) as JsonRecord;
    const text = renderer.text(short);
    if (fits(text))
      return {
        view: short,
        text,
        omission: `Values longer than ${limit} characters are cut short; never send a cut value back.`,
      };
    if (Array.isArray(rows)) {
      const view = fittingRows(short, short['results'] as unknown[], renderer);
      const shown = (view['results'] as unknown[]).length;
      if (shown > 0)
        return {
          view: { ...view, shown_rows: shown, all_rows: rows.length },
          text: renderer.text(view),
          omission: rowsNote(shown, rows.length, renderer, options, view),
        };
    }
  }
  const text = firstPart(whole, maximumCharacters);
  return { view: { text }, text, omission: `Only the first ${text.length} of ${whole.length} characters are shown.` };
}
