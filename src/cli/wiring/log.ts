import type { Logger, LoggerOptions } from 'pino';
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isThere } from '../../files/index.ts';
import type { logLevels, Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { LogPlace } from '../../server/audit/index.ts';
import { auditFilesOf } from './guard.ts';

/** The log file for an argument, which is a server's data directory or one file of its log. */
function fileNamed(word: string, logName: string): string {
  const path = resolve(word);
  if (!isThere(path))
    throw new Error(`There is no ${word}. Name the data directory of a server, or the files of its log.`);
  return statSync(path).isDirectory() ? join(path, logName) : path;
}

/**
 * The logs of several servers, and their heads. Files of one folder form one log, whose heads are in the folder's
 * `audit-heads`. The configured log has its configured heads.
 * @param words data directories or copies of them, and files of logs, those of one log oldest first. Default: the
 *   configured log.
 * @throws Error if there is no such directory or file
 */
export function logPlacesOf(config: Config, words: readonly string[]): LogPlace[] {
  const { file, heads } = auditFilesOf(config);
  if (words.length === 0) return [{ files: [file], heads }];
  const own = dirname(resolve(file));
  const files = words.map((word) => fileNamed(word, basename(file)));
  return [...Map.groupBy(files, dirname)].map(([folder, ofOne]) => ({
    files: ofOne,
    heads: folder === own ? heads : join(folder, basename(heads)),
  }));
}

/** Members that are masked in logged objects. */
const secretMembers = [
  'value',
  'token',
  'password',
  'secret_access_key',
  'vendor_secret_key',
  'target_secret',
  'authorization',
];

const settings: LoggerOptions = {
  redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`]), censor: '[masked]' },
};

const levels = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Creates a log of JSON lines on stderr, because stdout belongs to the protocol. The logging library is loaded with the
 * first line.
 */
export function createLog(level: (typeof logLevels)[number]): ServerLogger {
  let pino: Promise<Logger> | undefined;
  const load = async (): Promise<Logger> => {
    const { default: create } = await import('pino');
    return create({ ...settings, level }, create.destination({ fd: 2, sync: true }));
  };
  const enabled = level === 'silent' ? [] : levels.slice(levels.indexOf(level));
  const writer = (name: (typeof levels)[number]) => (fields: object, message: string) => {
    if (enabled.includes(name)) void (pino ??= load()).then((log) => log[name](fields, message));
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}
