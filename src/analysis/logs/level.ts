import type { Level } from './log-line.ts';

const words: Readonly<Record<string, Level>> = {
  emerg: 'error', emergency: 'error', alert: 'error', panic: 'error', crit: 'error', critical: 'error', fatal: 'error', severe: 'error',
  error: 'error', err: 'error', warning: 'warn', warn: 'warn', notice: 'info', info: 'info', information: 'info', log: 'info', statement: 'info',
  debug: 'debug', trace: 'debug', verbose: 'debug', fine: 'debug', silly: 'debug',
};

/** Numbers that bunyan and pino write for levels. */
const ofNumber = (value: number): Level => (value >= 50 ? 'error' : value >= 40 ? 'warn' : value >= 30 ? 'info' : 'debug');

const ofWord = (word: string | undefined): Level | undefined => (word === undefined ? undefined : words[word.toLowerCase()]);

// Where loggers put the level: a member of a JSON record or of key=value pairs.
const named = /["']?\b(?:level|severity|lvl|loglevel|levelname)["']?\s?[:=]\s?["']?([A-Za-z]{3,11}|[1-6]0)\b/i;
// … or in brackets, or as a word in capitals, after time and names at most.
const bracketed = /[[<(](emerg|alert|crit|critical|fatal|severe|error|err|warn|warning|notice|info|debug|trace)[\])>]/i;
const capitals = /(?:^|[\s|\]:])(EMERGENCY|PANIC|CRITICAL|FATAL|SEVERE|ERROR|ERR!?|WARNING|WARN|NOTICE|INFO|LOG|DEBUG|TRACE)(?=[\s:|\]!]|$)/;
// … or as the word that begins the line: "npm error", "error: …", "Warning  Unhealthy".
const leading = /^(?:#\d+\s(?:\d+\.\d+\s)?)?(?:\[[^\]]{0,60}\]\s?)?(?:npm |pip |yarn |pnpm |[│╷╵|]\s?)?(error|err!|fatal|panic|warning|warn|info|debug)(?=[:\s[]|$)/i;
// klog: E1121 10:03:11.123456
const klog = /^([FEWI])\d{4} \d\d:\d\d:\d\d\./;
// An exception that a runtime reports, and what begins a report of one.
const exception = /^(?:#\d+\s(?:\d+\.\d+\s)?)?(?:Uncaught\s|Exception in thread |Traceback \(most recent call last\)|Caused by: |panic: |thread '[^']{0,80}' panicked|[\w.$]{0,120}(?:Error|Exception)(?:\s\[\w+\])?(?::\s|$))/;

const klogLevels: Readonly<Record<string, Level>> = { F: 'error', E: 'error', W: 'warn', I: 'info' };

/** Only the head of a line tells its level; what stands later is the message. */
const headLength = 240;

/** The level that a clean line tells, undefined when it tells none. */
export function toldLevel(text: string): Level | undefined {
  const head = text.slice(0, headLength);
  const value = named.exec(head)?.[1];
  const byName = value === undefined ? undefined : /^\d/.test(value) ? ofNumber(Number(value)) : ofWord(value);
  if (byName !== undefined) return byName;
  const short = head.slice(0, 120);
  const word = bracketed.exec(short)?.[1] ?? capitals.exec(short)?.[1] ?? leading.exec(head)?.[1];
  const byKlog = klog.exec(head)?.[1];
  return ofWord(word?.replace('!', '')) ?? (byKlog === undefined ? undefined : klogLevels[byKlog]) ?? (exception.test(head) ? 'error' : undefined);
}
