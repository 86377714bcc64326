import { hiddenSecret } from '../contract/primitives.ts';

/** What stands where a credential or secret stood. */
export const mask = hiddenSecret;

/** Shorter values are words as often as secrets: masking them would riddle ordinary text, and tell by its holes what they are. */
export const shortestSecret = 6;

/** Longest text of a platform that an error carries, in characters. */
const longestDetail = 300;

// Enough markup to find the words of an error page in.
const longestMarkup = 10_000;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);

/** The ways a server may write down a value it was sent. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
];

/**
 * Gives a function that masks these values in a text, however they are spelled and in any case.
 * @param mark what stands for a secret.
 */
export function masking(secrets: readonly string[], mark: (secret: string) => string = () => mask): (text: string) => string {
  const known = new Map(secrets.filter((secret) => secret !== '').flatMap((secret) => spellings(secret).map((spelling) => [spelling.toLowerCase(), secret])));
  if (known.size === 0) return (text) => text;
  const longestFirst = [...known.keys()].toSorted((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(longestFirst.join('|'), 'gi');
  return (text) => text.replaceAll(pattern, (spelling) => mark(known.get(spelling.toLowerCase()) ?? spelling));
}

// Replaced by spaces, never removed: a value split by such characters must not come together again.
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
  // Masked before anything is cut, or half a secret could remain at the edge.
  const whole = masked(text);
  return cut(oneLine(isMarkup(whole) ? withoutMarkup(whole) : whole)) || undefined;
}
