import { randomUUID } from 'node:crypto';
import { link, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFile } from '../../../database/index.ts';
import { isThere, makeFolder, namesIn } from '../../../files/index.ts';
import * as z from 'zod';
import { ApiProblem, invalid } from '../../common/index.ts';
import { copyDatabase } from './copy-database.ts';
import { databaseFile } from './database.ts';
import { requireNotMoved } from './moved-records.ts';

/** A snapshot's name. It becomes a file name, so it must not contain a path. */
export const SnapshotName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
    error:
      'must be 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or a digit; a snapshot has a name, never a path',
  });

/** A copy of a data directory's records. */
export interface Snapshot {
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly bytes: number;
}

const extension = '.db';
const staleMilliseconds = 3_600_000;

const folderOf = (dataDir: string): string => join(dataDir, 'snapshots');

const fileOf = (dataDir: string, name: string): string => {
  const checked = SnapshotName.safeParse(name);
  if (!checked.success) throw invalid('name', checked.error.issues[0]!.message);
  return join(folderOf(dataDir), `${name}${extension}`);
};

/** Removes the drafts of processes that were killed while copying. */
const removeStaleDrafts = async (folder: string): Promise<void> => {
  for (const file of (namesIn(folder) ?? []).filter((each) => each.startsWith('.'))) {
    const path = join(folder, file);
    if (Date.now() - (await stat(path)).mtimeMs > staleMilliseconds) await rm(path, { force: true });
  }
};

/** Converts a database to a single file, without a write-ahead log. */
const makeSingleFile = (path: string): void => {
  const database = openFile(path);
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
};

const describeSnapshot = async (path: string, name: string): Promise<Snapshot> => {
  const { mtime, size } = await stat(path);
  return { name, created_at: mtime.toISOString(), bytes: size };
};

/**
 * Copies a data directory's records, even while they are in use. Only the owner can read the file. It contains
 * everything except the key that sealed the secrets.
 * @throws ApiProblem 400 for an invalid or taken name; Error if there is no platform, or its records were moved
 * elsewhere
 */
export async function takeSnapshot(dataDir: string, name: string): Promise<Snapshot> {
  const path = fileOf(dataDir, name);
  const records = join(dataDir, databaseFile);
  if (!isThere(records)) throw new Error(`There is no platform in ${dataDir}. Check --data-dir.`);
  requireNotMoved(records);
  const folder = folderOf(dataDir);
  makeFolder(folder);
  await removeStaleDrafts(folder);
  const draft = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(draft, '', { mode: 0o600, flag: 'wx' });
    await copyDatabase(records, draft);
    makeSingleFile(draft);
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw invalid('name', `a snapshot is called ${name} already: give another name, or remove the file ${path} first`);
  } finally {
    await rm(draft, { force: true });
  }
  return describeSnapshot(path, name);
}

/** Lists the snapshots of a data directory, oldest first. @throws UnreadablePath */
export async function listSnapshots(dataDir: string): Promise<Snapshot[]> {
  const folder = folderOf(dataDir);
  const names = (namesIn(folder) ?? [])
    .filter((file) => file.endsWith(extension) && !file.startsWith('.'))
    .map((file) => file.slice(0, -extension.length));
  const snapshots = await Promise.all(names.map((name) => describeSnapshot(join(folder, `${name}${extension}`), name)));
  return snapshots.toSorted(
    (one, other) => one.created_at.localeCompare(other.created_at) || one.name.localeCompare(other.name),
  );
}

/**
 * Finds the file of a snapshot.
 * @throws ApiProblem 400 for an invalid name, 404 with the existing names for an unknown one
 */
export async function findSnapshot(dataDir: string, name: string): Promise<string> {
  const path = fileOf(dataDir, name);
  if (isThere(path)) return path;
  const names = (await listSnapshots(dataDir)).map((snapshot) => snapshot.name);
  throw new ApiProblem(
    404,
    `No snapshot is called ${name}. ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none.'}`,
  );
}

/** Deletes a snapshot. @throws as `findSnapshot` */
export const removeSnapshot = async (dataDir: string, name: string): Promise<void> =>
  rm(await findSnapshot(dataDir, name));
