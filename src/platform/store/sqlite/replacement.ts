import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFile } from '../../../database/index.ts';
import type { Insertable } from 'kysely';
import { keyFile, keyMatches, type Vault } from '../vault.ts';
import { refused } from '../../common/index.ts';
import { copyDatabase, isUnreadable } from './copy-database.ts';
import { databaseFile, openDatabase } from './database.ts';
import type { ApiTokenTable } from '../schema/schema.ts';
import { findSnapshot } from './snapshots.ts';

type Token = Insertable<ApiTokenTable>;

const tokenColumns = [
  'id',
  'name',
  'permission',
  'hash',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
] as const satisfies readonly (keyof Token)[];

/** Prepared records, ready to replace those of a data directory. */
export interface Replacement {
  /** Replaces the records; see `prepareReplacement`. */
  commit(): Promise<void>;
  /** Removes the prepared files, whether or not they were committed. */
  discard(): Promise<void>;
}

/** The prefix of the names of directories in which records are prepared. */
export const stagingPrefix = 'replacing-';

/** The tokens of a database; none if it is missing or unreadable. */
const tokensIn = (path: string): Token[] => {
  if (!existsSync(path)) return [];
  const database = openFile(path);
  try {
    const hasTokens = database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'api_token'`).get();
    return hasTokens
      ? (database.prepare(`SELECT ${tokenColumns.join(', ')} FROM api_token`).all() as unknown as Token[])
      : [];
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  } finally {
    database.close();
  }
};

/**
 * Copies the current tokens into the new records, so that no revoked one comes back. Frees the claims of all workers.
 */
const carryOverTokens = async (staging: string, tokens: readonly Token[]): Promise<void> => {
  const db = await openDatabase(staging);
  try {
    await db.write(async (trx) => {
      await trx.deleteFrom('worker').execute();
      if (tokens.length === 0) return;
      await trx.deleteFrom('api_token').execute();
      for (const token of tokens) await trx.insertInto('api_token').values(token).execute();
    });
  } finally {
    await db.destroy();
  }
};

/** Replaces unreadable records, and keeps a copy of them. */
const replaceUnreadable = async (staged: string, records: string): Promise<void> => {
  await copyFile(records, `${records}.damaged`);
  for (const companion of ['-wal', '-shm']) await rm(`${records}${companion}`, { force: true });
  await rename(staged, records);
};

const installRecords = async (staged: string, records: string): Promise<void> => {
  if (!existsSync(records)) await writeFile(records, '', { mode: 0o600 });
  try {
    await copyDatabase(staged, records);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    await replaceUnreadable(staged, records);
  }
};

/**
 * Prepares new records next to those of a data directory. Nothing changes until `commit`, which is atomic even if the
 * process is killed. Nothing else may work on the records during a commit. The directory's tokens are kept.
 * @param fill creates the new records in an empty directory
 */
export async function prepareReplacement(
  dataDir: string,
  fill: (staging: string) => Promise<void>,
): Promise<Replacement> {
  const staging = await mkdtemp(join(dataDir, stagingPrefix));
  const records = join(dataDir, databaseFile);
  const discard = () => rm(staging, { recursive: true, force: true });
  try {
    await fill(staging);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    commit: async () => {
      await carryOverTokens(staging, tokensIn(records));
      await installRecords(join(staging, databaseFile), records);
    },
    discard,
  };
}

/**
 * Removes the leftovers of processes that were killed while they prepared records. Call it only after claiming the
 * directory.
 */
export async function removeStaleReplacements(dataDir: string): Promise<void> {
  const stale = (await readdir(dataDir)).filter((name) => name.startsWith(stagingPrefix));
  for (const name of stale) await rm(join(dataDir, name), { recursive: true, force: true });
}

/** @throws Error of SQLite if the database is damaged */
export const requireIntact = (path: string): void => {
  const database = openFile(path);
  try {
    const result = database.prepare('PRAGMA integrity_check(1)').get();
    if (result?.['integrity_check'] !== 'ok') throw new Error(String(result?.['integrity_check']));
  } finally {
    database.close();
  }
};

const requireKey = async (staging: string, name: string, dataDir: string, vault: Vault): Promise<void> => {
  const db = await openDatabase(staging);
  try {
    if (await keyMatches(db, vault)) return;
  } finally {
    await db.destroy();
  }
  throw refused(
    `The snapshot ${name} was made with another key than the ${keyFile} in ${dataDir}, and its secrets would stay closed. Put the key file of that time back first. Nothing was changed.`,
  );
};

/**
 * Prepares to restore a snapshot: copies it, checks its integrity, and migrates the copy.
 * @throws ApiProblem 404 for an unknown snapshot, 400 if it can't be restored
 */
export async function prepareRestore(dataDir: string, name: string, vault: Vault): Promise<Replacement> {
  const path = await findSnapshot(dataDir, name);
  return prepareReplacement(dataDir, async (staging) => {
    const copy = join(staging, databaseFile);
    await copyFile(path, copy);
    try {
      requireIntact(copy);
      await (await openDatabase(staging)).destroy();
    } catch (error) {
      throw refused(`The snapshot ${name} can't be restored: ${(error as Error).message}. Nothing was changed.`);
    }
    await requireKey(staging, name, dataDir, vault);
  });
}
