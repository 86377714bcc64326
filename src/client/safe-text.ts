import { withoutInvisible } from '../contract/plain-text.ts';

/** Longest text of a platform that an error carries, in characters. */
const longestDetail = 300;

// Enough markup to find the words of an error page in.
const longestMarkup = 10_000;

const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();

const cut = (text: string): string => (text.length > longestDetail ? `${text.slice(0, longestDetail - 1).toWellFormed()}…` : text);

const withoutMarkup = (text: string): string =>
  text.slice(0, longestMarkup).replaceAll(/<(?:script|style)\b[^<]*/gi, ' ').replaceAll(/<[^<>]*>/g, ' ');

/** True for a page where JSON was expected. */
export const isMarkup = (text: string): boolean => /^\s*</.test(text);

/**
 * A text from outside, fit for an error: masked, without markup, one line without control characters, cut short.
 * Undefined when nothing is left.
 */
export function safeDetail(text: string, masked: (text: string) => string): string | undefined {
  // Characters that nobody sees may split a secret, so they go first. Masked before anything is cut, or half a secret could
  // remain at the edge.
  const whole = masked(withoutInvisible(text));
  return cut(oneLine(isMarkup(whole) ? withoutMarkup(whole) : whole)) || undefined;
}
