import { firstPart, shortened, writtenOut } from '../contract/index.ts';
import { maskReadings } from './readings.ts';

/** Longest text of a platform in an error, in characters. */
export const longestDetail = 300;

// Enough markup, in characters, to contain the text of an error page.
const longestMarkup = 10_000;

const oneLine = (text: string): string => text.replaceAll(/[\t-\r\p{Z}]+/gu, ' ').trim();

const withoutMarkup = (text: string): string =>
  firstPart(text, longestMarkup)
    .replaceAll(/<(?:script|style)\b[^<]*/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ');

/** Whether a body is markup, such as an HTML error page. */
export const isMarkup = (text: string): boolean => /^\s*</.test(text);

/**
 * Makes a platform's text safe for an error: masked, without markup, on one line, with invisible characters written
 * out, truncated. Undefined if nothing is left.
 */
export function safeDetail(text: string, masked: (text: string) => string): string | undefined {
  // Masking comes before truncation, which could otherwise leave half a secret at the end.
  const whole = masked(maskReadings(text, masked));
  return shortened(writtenOut(oneLine(isMarkup(whole) ? withoutMarkup(whole) : whole)), longestDetail) || undefined;
}
