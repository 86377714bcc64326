import { chmodSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { readTextFile, replaceSecretFile } from './secret-file.ts';

const lockFile = 'serving.lock';
const endpointFile = 'serving.json';

// What SQLite says when another process holds the lock.
const sqliteBusy = 5;

const Endpoint = z.object({ url: z.string(), pid: z.int() });
/** Where the platform of a data directory is served, and by which process. */
export type Endpoint = z.infer<typeof Endpoint>;

/** The right to serve a data directory. One process has it at a time; when the process ends, however, it is free. */
export interface DataDirClaim {
  /** Tells the other processes where the platform is. */
  publish(url: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Claims a data directory for this process.
 * An exclusive lock on a database file of its own: the operating system lets go of it when the process dies.
 * @returns undefined while another process, or this one, has it.
 * @throws Error when the directory can't be written.
 */
export async function claimDataDir(dataDir: string): Promise<DataDirClaim | undefined> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lockPath = join(dataDir, lockFile);
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  chmodSync(lockPath, 0o600);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  const path = join(dataDir, endpointFile);
  // What a process that died has left here leads nowhere.
  await rm(path, { force: true });
  return {
    publish: (url) => replaceSecretFile(path, JSON.stringify({ url, pid: process.pid } satisfies Endpoint)),
    release: async () => {
      await rm(path, { force: true });
      lock.close();
    },
  };
}

/** Why a data directory can't be claimed: another process serves it. @param instead what to do about it */
export async function alreadyServedError(dataDir: string, instead: string): Promise<Error> {
  const endpoint = await endpointOf(dataDir);
  const by = endpoint ? ` by process ${endpoint.pid}, at ${endpoint.url}` : ' by another process';
  return new Error(`${dataDir} is already being served${by}. ${instead}`);
}

/** Where the process that has claimed a data directory serves its platform; undefined until it is ready. */
export async function endpointOf(dataDir: string): Promise<Endpoint | undefined> {
  const text = await readTextFile(join(dataDir, endpointFile));
  return text === undefined ? undefined : Endpoint.parse(JSON.parse(text));
}
