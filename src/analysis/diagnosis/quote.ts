const maximumQuoteLength = 160;

/** Quotes text from a log in a sentence: in quotation marks, truncated, on one line. */
export const quote = (text: string): string => JSON.stringify(text.length > maximumQuoteLength ? `${text.slice(0, maximumQuoteLength - 1)}…` : text);

/** `value` with a prefix and, if it is text, quoted; empty if there is no value. */
export const prefixedValue = (before: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${before}${typeof value === 'number' ? value : quote(value)}`;
