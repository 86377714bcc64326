const maximumQuoteLength = 160;

/** Text of a log within a sentence: in quotation marks, cut short, on one line. */
export const quote = (text: string): string => JSON.stringify(text.length > maximumQuoteLength ? `${text.slice(0, maximumQuoteLength - 1)}…` : text);

/** `before value`, or nothing where there is no value. */
export const prefixedValue = (before: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${before}${typeof value === 'number' ? value : quote(value)}`;
