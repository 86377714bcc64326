import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config/index.ts';
import type { LogPlace } from '../../server/audit/index.ts';
import { auditFilesOf } from './guard.ts';

/** The log that a word names: a server's data directory, or one file of its log. */
function fileNamed(word: string, logName: string): string {
  const path = resolve(word);
  if (!existsSync(path)) throw new Error(`There is no ${word}. Name the data directory of a server, or the files of its log.`);
  return statSync(path).isDirectory() ? join(path, logName) : path;
}

/**
 * The logs of several servers, and their heads. Files of one folder are one log, whose heads are in the folder's `audit-heads`;
 * the configured log has its own.
 * @param words data directories or copies of them, and files of logs, those of one log oldest first. Default: the configured log.
 * @throws Error if there is no such directory or file
 */
export function logPlacesOf(config: Config, words: readonly string[]): LogPlace[] {
  const { file, heads } = auditFilesOf(config);
  if (words.length === 0) return [{ files: [file], heads }];
  const own = dirname(resolve(file));
  const files = words.map((word) => fileNamed(word, basename(file)));
  return [...Map.groupBy(files, dirname)].map(([folder, ofOne]) => ({ files: ofOne, heads: folder === own ? heads : join(folder, basename(heads)) }));
}
