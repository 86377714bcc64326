import type { Level } from './log-line.ts';

const levelWords: Readonly<Record<string, Level>> = {
  emerg: 'error',
  emergency: 'error',
  alert: 'error',
  panic: 'error',
  crit: 'error',
  critical: 'error',
  fatal: 'error',
  severe: 'error',
  error: 'error',
  err: 'error',
  warning: 'warn',
  warn: 'warn',
  notice: 'info',
  info: 'info',
  information: 'info',
  log: 'info',
  statement: 'info',
  debug: 'debug',
  trace: 'debug',
  verbose: 'debug',
  fine: 'debug',
  silly: 'debug',
};

/** The level that a single word names; undefined if it names none. */
export const levelOfWord = (word: string | null | undefined): Level | undefined => ofWord(word ?? undefined);

/** The numeric levels of bunyan and pino. */
const ofNumber = (value: number): Level =>
  value >= 50 ? 'error' : value >= 40 ? 'warn' : value >= 30 ? 'info' : 'debug';

const ofWord = (word: string | undefined): Level | undefined =>
  word === undefined ? undefined : levelWords[word.toLowerCase()];

// The places where loggers put the level: in a member of a JSON record or a key=value pair …
const namedLevel = /["']?\b(?:level|severity|lvl|loglevel|levelname)["']?\s?[:=]\s?["']?([A-Za-z]{3,11}|[1-6]0)\b/i;
// … or in brackets, or as a word in capitals, preceded only by time and names …
const bracketedLevel =
  /[[<(](emerg|alert|crit|critical|fatal|severe|error|err|warn|warning|notice|info|debug|trace)[\])>]/i;
const capitalizedLevel =
  /(?:^|[\s|\]:])(EMERGENCY|PANIC|CRITICAL|FATAL|SEVERE|ERROR|ERR!?|WARNING|WARN|NOTICE|INFO|LOG|DEBUG|TRACE)(?=[\s:|\]!]|$)/;
// … or as the first word of the line: "npm error", "error: …", "Warning  Unhealthy".
const leadingLevel =
  /^(?:#\d+\s(?:\d+\.\d+\s)?)?(?:\[[^\]]{0,60}\]\s?)?(?:npm |pip |yarn |pnpm |[│╷╵|]\s?)?(error|err!|fatal|panic|warning|warn|info|debug)(?=[:\s[]|$)/i;
// klog: E1121 10:03:11.123456
const klogPrefix = /^([FEWI])\d{4} \d\d:\d\d:\d\d\./;
// An exception that nothing caught, as a runtime reports it …
const crashReport =
  /^(?:#\d+\s(?:\d+\.\d+\s)?)?(?:Uncaught\s|Exception in thread |panic: |thread '[^']{0,80}' panicked)/;
// … and any exception, or the line that introduces one.
const exceptionReport =
  /^(?:#\d+\s(?:\d+\.\d+\s)?)?(?:Traceback \(most recent call last\)|Caused by: |[\w.$]{0,120}(?:Error|Exception)(?:\s\[\w+\])?(?::\s|$))/;
// A warning of Node itself: (node:1) MaxListenersExceededWarning: …
const nodeWarning = /^\(node:\d+\) (?:\[\w+\] )?\w*Warning: /;

const klogLevels: Readonly<Record<string, Level>> = { F: 'error', E: 'error', W: 'warn', I: 'info' };

/** Number of characters of a line that may contain its level; the rest is the message. */
const headLength = 240;

/** The level that a cleaned line states, or that of a crash; undefined if there is none. */
export function statedLevel(text: string): Level | undefined {
  const head = text.slice(0, headLength);
  const value = namedLevel.exec(head)?.[1];
  const byName = value === undefined ? undefined : /^\d/.test(value) ? ofNumber(Number(value)) : ofWord(value);
  if (byName !== undefined) return byName;
  const short = head.slice(0, 120);
  const word = bracketedLevel.exec(short)?.[1] ?? capitalizedLevel.exec(short)?.[1] ?? leadingLevel.exec(head)?.[1];
  const byKlog = klogPrefix.exec(head)?.[1];
  return (
    ofWord(word?.replace('!', '')) ??
    (byKlog === undefined ? undefined : klogLevels[byKlog]) ??
    (crashReport.test(head) ? 'error' : nodeWarning.test(head) ? 'warn' : undefined)
  );
}

/** The level in a cleaned line, that of an exception included; undefined if there is none. */
export const detectLevel = (text: string): Level | undefined =>
  statedLevel(text) ?? (exceptionReport.test(text.slice(0, headLength)) ? 'error' : undefined);

const levelWeights: Readonly<Record<Level, number>> = { error: 4, warn: 2, info: 0, debug: -1 };

const failurePatterns: readonly RegExp[] = [
  /\b(?:fail(?:ed|ure|s)?|fatal|refused|denied|timed out|timeout|killed|cannot|can't|could not|unable to|not found|exceeded|abort(?:ed|ing))\b/i,
  /\bexit(?:ed)?(?: with)?(?: status| code):? [1-9]/i,
];
// Lines with words of failure that report none, and lines that only frame others.
const harmlessPatterns: readonly RegExp[] = [
  /\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|vulnerabilities)\b|\berrors?[:=]\s?0\b|\bdeprecated\b/i,
  /^\s+at |^\s*File "|^[-=─│╷╵|\s]*$|^Traceback |A complete log of this run/,
  // Nothing after the level: tools print empty lines this way.
  /^(?:#\d+ (?:\d+\.\d+ )?)?(?:npm |pip |yarn |pnpm )?(?:error|err!|warn)[:!]?\s*$/i,
];

/**
 * How much a line says about a failure; 0 or less means nothing. Uses the line's own level rather than its record's,
 * because the frames of a stack trace say nothing by themselves.
 * @param declared the level that the platform attached to the line
 */
export function weightOf(text: string, declared?: Level): number {
  if (harmlessPatterns.some((pattern) => pattern.test(text))) return 0;
  return (
    levelWeights[declared ?? detectLevel(text) ?? 'info'] +
    failurePatterns.filter((pattern) => pattern.test(text)).length
  );
}
