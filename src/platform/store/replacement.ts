import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Insertable } from 'kysely';
import { keyFile, keyMatches, type Vault } from './vault.ts';
import { refused } from '../problem.ts';
import { copyDatabase, isUnreadable } from './copy-database.ts';
import { databaseFile, openDatabase } from './database.ts';
import type { ApiTokenTable } from './schema/schema.ts';
import { findSnapshot } from './snapshots.ts';

type Token = Insertable<ApiTokenTable>;

const tokenColumns = ['id', 'name', 'permission', 'hash', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'] as const satisfies readonly (keyof Token)[];

/** Records that are ready to take the place of a data directory's. */
export interface Replacement {
  /** Puts them in place; see `prepareReplacement`. */
  commit(): Promise<void>;
  /** Lets go of them, in place or not. */
  discard(): Promise<void>;
}

const stagingPrefix = 'replacing-';

/** The tokens of a database that is there and can be read; none otherwise. */
const tokensIn = (path: string): Token[] => {
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path);
  try {
    const known = database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'api_token'`).get();
    return known ? (database.prepare(`SELECT ${tokenColumns.join(', ')} FROM api_token`).all() as unknown as Token[]) : [];
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  } finally {
    database.close();
  }
};

/** Tokens stay those of now, so that none that was revoked comes back; what workers held is free for whoever is next. */
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

/** Puts one file in the place of records that can't be read, which are kept beside it. */
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
 * Gets records ready beside those of a data directory. Nothing changes until `commit`, and that is all or nothing,
 * also when the process is killed; nobody may be at work on the directory meanwhile. Its tokens stay as they are.
 * @param fill makes the new records in an empty directory
 */
export async function prepareReplacement(dataDir: string, fill: (staging: string) => Promise<void>): Promise<Replacement> {
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

/** Clears away what processes left that were killed while they replaced records. Only for whoever has claimed the directory. */
export async function removeStaleReplacements(dataDir: string): Promise<void> {
  const left = (await readdir(dataDir)).filter((name) => name.startsWith(stagingPrefix));
  for (const name of left) await rm(join(dataDir, name), { recursive: true, force: true });
}

const requireIntact = (path: string): void => {
  const database = new DatabaseSync(path);
  try {
    const found = database.prepare('PRAGMA integrity_check(1)').get();
    if (found?.['integrity_check'] !== 'ok') throw new Error(String(found?.['integrity_check']));
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
  throw refused(`The snapshot ${name} was made with another key than the ${keyFile} in ${dataDir}, and its secrets would stay closed. Put the key file of that time back first. Nothing was changed.`);
};

/**
 * Gets a snapshot ready to be restored: copied, found whole, brought up to this program's schema.
 * @throws ApiProblem 404 where there is no such snapshot, 400 where it can't be restored; both say why
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
