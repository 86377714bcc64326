import { shortened } from '../../contract/index.ts';

const maximumQuoteLength = 160;

/** Quotes text from a log in a sentence: in quotation marks, truncated, on one line. */
export const quote = (text: string): string => JSON.stringify(shortened(text, maximumQuoteLength));

/** `value` with a prefix and, if it is text, quoted; empty if there is no value. */
export const prefixedValue = (before: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${before}${typeof value === 'number' ? value : quote(value)}`;

/** The name of a person or token, in texts of our own; `somebody` if it could be read as a sentence. */
export const whoText = (by: string | undefined): string => (by !== undefined && /^(?:[\w.@+-]{1,60}|\p{Lu}[\p{L}.'-]{0,30} \p{Lu}[\p{L}.'-]{0,30})$/u.test(by) ? by : 'somebody');
