import { existsSync } from 'node:fs';
import type { Config } from '../config/index.ts';

/**
 * Requires that the data directory exists, so that a command neither creates a mistyped one nor calls it empty.
 * @throws Error that names the directory
 */
export function requireDataDir({ dataDir }: Pick<Config, 'dataDir'>): void {
  if (existsSync(dataDir)) return;
  throw new Error(
    `There is no data directory at ${dataDir}. Check --data-dir; a server or a platform creates it when it first needs it.`,
  );
}
