import { chmodSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { makeFolder, namesIn } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import { databaseFile, hasUnmovedRecords } from '../../platform/store/index.ts';
import { typedCommand } from './typed-command.ts';
import { readTextFile, replaceSecretFile } from './secret-file.ts';
import { dataPlace, UnusablePlace } from './written-places.ts';

const lockFile = 'serving.lock';
const endpointFile = 'serving.json';

// SQLITE_BUSY: another process holds the lock.
const sqliteBusy = 5;

const Endpoint = z.object({ url: z.string(), pid: z.int() });
/** The URL of a data directory's platform and the process that serves it. */
export type Endpoint = z.infer<typeof Endpoint>;

/** The exclusive right to serve a data directory. It is released when the process exits, even by a crash. */
export interface DataDirClaim {
  /** Publishes the platform's URL for other processes. */
  publish(url: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Requires that the data directory exists, so that a command neither creates a mistyped one nor calls it empty.
 * @throws Error that names the directory, UnreadablePath if this user may not read it or it is a file
 */
export function requireDataDir({ dataDir }: Pick<Config, 'dataDir'>): void {
  if (namesIn(dataDir)) return;
  throw new Error(
    `There is no data directory at ${dataDir}. Check --data-dir; a server or a platform creates it when it first needs it.`,
  );
}

/** Opens the file that is locked while a directory is claimed. @throws UnusablePlace */
function openLock(dataDir: string): DatabaseSync {
  const path = join(dataDir, lockFile);
  try {
    makeFolder(dataDir);
    const lock = new DatabaseSync(path, { timeout: 0 });
    chmodSync(path, 0o600);
    return lock;
  } catch (error) {
    throw new UnusablePlace(dataPlace(dataDir), error);
  }
}

/**
 * Claims a data directory for this process. It holds an exclusive lock on a separate database file, which the operating
 * system releases when the process dies.
 * @returns undefined if the directory is claimed already, by any process.
 * @throws UnusablePlace
 */
export async function claimDataDir(dataDir: string): Promise<DataDirClaim | undefined> {
  const lock = openLock(dataDir);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  const path = join(dataDir, endpointFile);
  // A file left by a crashed process is stale.
  await rm(path, { force: true });
  // For a process that ends before it could release the claim. The lock goes with it.
  const atExit = (): void => rmSync(path, { force: true });
  process.once('exit', atExit);
  return {
    publish: (url) => replaceSecretFile(path, JSON.stringify({ url, pid: process.pid } satisfies Endpoint)),
    release: async () => {
      process.off('exit', atExit);
      await rm(path, { force: true });
      lock.close();
    },
  };
}

/** Records in a database belong to no directory. Any number of processes serve them, each at its own address. */
const nothingToClaim: DataDirClaim = { publish: async () => undefined, release: async () => undefined };

/**
 * Requires that a data directory has no unmoved records when a database is served.
 * @throws Error that names the command to move them
 */
function requireNoUnmovedRecords(config: Pick<Config, 'dataDir'>): void {
  const { dataDir } = config;
  if (!hasUnmovedRecords(join(dataDir, databaseFile))) return;
  throw new Error(
    `There are records in ${dataDir} that were not moved to the database at INFRA_DATABASE_URL, and would not be found there. Nothing was changed. ` +
      `Move them first: ${typedCommand(config, 'migrate')}. If they are no longer needed, set INFRA_DATA_DIR to another directory.`,
  );
}

/**
 * Claims the right to serve the configured records for this process.
 * @returns undefined if they are in a data directory that is claimed already.
 * @throws UnusablePlace
 * @throws Error when records in a database are served while the directory still has unmoved records.
 */
export async function claimRecords(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<DataDirClaim | undefined> {
  if (config.databaseUrl === undefined) return claimDataDir(config.dataDir);
  requireNoUnmovedRecords(config);
  return nothingToClaim;
}

/** The error for a data directory that another process serves. @param advice what the user can do. */
export async function alreadyServedError(dataDir: string, advice: string): Promise<Error> {
  const endpoint = await endpointOf(dataDir);
  const by = endpoint ? ` by process ${endpoint.pid}, at ${endpoint.url}` : ' by another process';
  return new Error(`${dataDir} is already being served${by}. ${advice}`);
}

/** The endpoint of the process that claimed a data directory; undefined until it is ready. */
export async function endpointOf(dataDir: string): Promise<Endpoint | undefined> {
  const text = await readTextFile(join(dataDir, endpointFile));
  return text === undefined ? undefined : Endpoint.parse(JSON.parse(text));
}
