const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** A duration in seconds, in its largest unit: `28 s`, `3 min`, `2 h`, `5 d`. */
export function spanText(seconds: number): string {
  const [unit, length] = units.find(([, one]) => seconds >= 1.5 * one) ?? ['s', 1];
  return `${Math.round(seconds / length)} ${unit}`;
}

/**
 * How long ago a time was, or in how long it will be; undefined if it is no time.
 * @param now milliseconds since the epoch
 */
export function agoText(at: string, now: number): string | undefined {
  const seconds = (now - Date.parse(at)) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return seconds >= 0 ? `${spanText(seconds)} ago` : `in ${spanText(-seconds)}`;
}

const timestamp = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A text in parts, of which those that are times (ISO 8601, in UTC) are marked. */
export const partsWithTimes = (text: string): readonly { readonly text: string; readonly isTime: boolean }[] =>
  text.split(timestamp).flatMap((part, index) => (part === '' ? [] : [{ text: part, isTime: index % 2 === 1 }]));

/** A time to the second, in UTC; the text itself if it is no time. */
export function exactText(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
