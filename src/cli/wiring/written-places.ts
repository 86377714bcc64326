import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { namesIn, tryWriting, unwritableBecause } from '../../files/index.ts';
import type { Config } from '../config/index.ts';

/** A folder or file that a command writes. */
interface WrittenPlace {
  readonly what: 'data directory' | 'keys directory' | 'audit log';
  readonly path: string;
  /** The options that set it. */
  readonly setBy: string;
  /** @throws Error of the file system that says why it can't be written. Leaves nothing behind. */
  readonly tryIt: (path: string) => void;
}

export const dataPlace = (path: string): WrittenPlace => ({
  what: 'data directory',
  path,
  setBy: 'INFRA_DATA_DIR or --data-dir',
  tryIt: tryWriting,
});

/** Tries a log that need not exist. One that exists may be in a folder that this user can't write in. */
const tryFile = (path: string): void =>
  existsSync(path) ? accessSync(path, constants.W_OK) : tryWriting(dirname(path));

/** A folder or file that can't be created or written. The message says what to set instead. */
export class UnusablePlace extends Error {
  constructor({ what, path, setBy }: WrittenPlace, cause: unknown) {
    super(
      `The ${what} ${path} can't be used (${unwritableBecause(cause)}): set ${setBy} to one that this user may create and write in.`,
      { cause },
    );
  }
}

/** Whether a folder has keys. Then it may be read-only, as a mounted secret is. */
function hasKeys(folder: string): boolean {
  try {
    return namesIn(folder)?.some((name) => name.endsWith('.key')) === true;
  } catch {
    // What can't be read is tried like a folder without keys.
    return false;
  }
}

/** What a configuration has that has to be writable. What it lacks is not needed. */
const writtenPlaces = ({
  dataDir,
  keysDir,
  auditFile,
  auditCommand,
}: Partial<Pick<Config, 'dataDir' | 'keysDir' | 'auditFile' | 'auditCommand'>>): readonly WrittenPlace[] => [
  ...(dataDir === undefined ? [] : [dataPlace(dataDir)]),
  ...(keysDir === undefined || keysDir === dataDir || hasKeys(keysDir)
    ? []
    : [{ what: 'keys directory', path: keysDir, setBy: 'INFRA_KEYS_DIR or --keys-dir', tryIt: tryWriting } as const]),
  ...(auditFile === undefined || auditCommand !== undefined
    ? []
    : [{ what: 'audit log', path: auditFile, setBy: 'INFRA_AUDIT_FILE or --audit-file', tryIt: tryFile } as const]),
];

/** What this user can neither write nor create, with the reason of each. Leaves nothing behind. */
export const unwritablePlaces = (
  config: Parameters<typeof writtenPlaces>[0],
): readonly { readonly place: WrittenPlace; readonly cause: unknown }[] =>
  writtenPlaces(config).flatMap((place) => {
    try {
      place.tryIt(place.path);
      return [];
    } catch (cause) {
      return [{ place, cause }];
    }
  });

/**
 * Requires that this user can write in the data directory, that of the keys and the audit log, or create them.
 * Leaves nothing behind.
 * @param config those to examine
 * @throws UnusablePlace
 */
export function requireWritable(config: Parameters<typeof writtenPlaces>[0]): void {
  const [first] = unwritablePlaces(config);
  if (first) throw new UnusablePlace(first.place, first.cause);
}
