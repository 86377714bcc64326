import { recordedCallerText, recordedTargetText, type RecordedCall } from '../../../../server/audit/index.ts';

/** The fields by which records are found, in the order of the form. */
export const filterFields = ['who', 'tool', 'place', 'from', 'to'] as const;

/** What records are wanted, as typed: an empty text is no condition. */
export type Filter = Readonly<Record<(typeof filterFields)[number], string>>;

/** Maximum length of each text. */
const longest = 200;

/** The filter in a query. */
export const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterFields.map((name) => [name, (query.get(name) ?? '').trim().slice(0, longest)])) as Filter;

/** Whether a filter has any condition. */
export const isFiltering = (filter: Filter): boolean => filterFields.some((name) => filter[name] !== '');

/** A day, or a time to the minute or second, in UTC. */
const timeForm = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?Z?$/;

/** The milliseconds since 1970 of a typed time; undefined if it is none. Without a zone it is one of UTC. */
export function timeIn(text: string): number | undefined {
  if (!timeForm.test(text)) return undefined;
  const [day = '', time = '00:00'] = text.replace(/Z$/, '').split(/[T ]/);
  const at = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** The fields that have a text which is no time. */
export const faultyTimes = (filter: Filter): readonly ('from' | 'to')[] =>
  (['from', 'to'] as const).filter((name) => filter[name] !== '' && timeIn(filter[name]) === undefined);

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/**
 * Whether a record is wanted. Names are found by a part of them, times from the first to before the last.
 * @param filter without faulty times.
 */
export function matches(filter: Filter, call: RecordedCall): boolean {
  const at = Date.parse(call.at);
  const [from, to] = [timeIn(filter.from), timeIn(filter.to)];
  return (
    has(recordedCallerText(call), filter.who) &&
    has(call.tool, filter.tool) &&
    has(recordedTargetText(call), filter.place) &&
    (from === undefined || at >= from) &&
    (to === undefined || at < to)
  );
}
