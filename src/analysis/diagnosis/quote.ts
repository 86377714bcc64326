const longest = 160;

/** Text of a log within a sentence: in quotation marks, cut short, on one line. */
export const quote = (text: string): string => JSON.stringify(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** `before value`, or nothing where there is no value. */
export const given = (before: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${before}${typeof value === 'number' ? value : quote(value)}`;
