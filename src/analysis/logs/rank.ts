import { toldLevel } from './level.ts';
import type { Level } from './log-line.ts';

const ofLevel: Readonly<Record<Level, number>> = { error: 4, warn: 2, info: 0, debug: -1 };

const telling: readonly RegExp[] = [
  /\b(?:fail(?:ed|ure|s)?|fatal|refused|denied|timed out|timeout|killed|cannot|can't|could not|unable to|not found|exceeded|abort(?:ed|ing))\b/i,
  /\bexit(?:ed)?(?: with)?(?: status| code):? [1-9]/i,
];
// Words of trouble in lines that tell of none, and lines that only frame others.
const harmless: readonly RegExp[] = [
  /\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|vulnerabilities)\b|\berrors?[:=]\s?0\b|\bdeprecated\b/i,
  /^\s+at |^\s*File "|^[-=─│╷╵|\s]*$|^Traceback |A complete log of this run/,
];

/**
 * How much a line tells of what went wrong; 0 and below: nothing. The frames of a stack trace tell nothing by
 * themselves, so it is the line's own level that counts.
 */
export function weightOf(text: string): number {
  if (harmless.some((pattern) => pattern.test(text))) return 0;
  return ofLevel[toldLevel(text) ?? 'info'] + telling.filter((pattern) => pattern.test(text)).length;
}
