import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, namesIn } from '../../files/index.ts';

/** Rotating keys, newest first. The first one seals; all of them can open. */
export type KeyRing = () => readonly KeyProvider[];

const ringFile = /^question-.+\.key$/;

/**
 * The key ring in a directory of keys: its files `question-….key`, each of 32 bytes and mode 0600. The name that sorts
 * last is the newest. The directory is read whenever keys are needed, so that files can be added and removed while
 * servers run.
 * @throws Error, from the returned function, that names the directory or file if it can't be used.
 */
export function keyRingIn(keysDir: string): KeyRing {
  // A file is read again only after it has changed.
  const read = new Map<string, KeyProvider>();
  const keysOf = (name: string): [string, KeyProvider][] => {
    const path = join(keysDir, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    const version = `${name} ${stats.ino} ${stats.mtimeMs}`;
    const known = read.get(version);
    if (known) return [[version, known]];
    const key = readKeyFile(path);
    return key ? [[version, deriveKeys(key)]] : [];
  };
  return () => {
    const present = ringFilesOf(keysDir).toSorted().toReversed().flatMap(keysOf);
    if (present.length === 0)
      throw new Error(
        `${keysDir} holds no question key. Make one with: (umask 077; head -c ${keyBytes} /dev/urandom > ${join(keysDir, 'question-1.key')})`,
      );
    read.clear();
    for (const [version, keys] of present) read.set(version, keys);
    return present.map(([, keys]) => keys);
  };
}

/** The names of the question keys in a directory, which may be missing. */
const ringFilesOf = (keysDir: string): string[] => namesIn(keysDir)?.filter((name) => ringFile.test(name)) ?? [];

/**
 * The key ring of a directory, with a new first key if it has none.
 * @throws Error that names the file if it can't be created.
 */
export function keyRingOrNewIn(keysDir: string): KeyRing {
  if (ringFilesOf(keysDir).length === 0) createKeyFile(join(keysDir, 'question-1.key'));
  return keyRingIn(keysDir);
}

/** Length of a key file. */
const keyBytes = 32;

/** The purpose of a key. Each purpose has its own key, so that no key can open another's seal. */
type KeyPurpose =
  | 'audit'
  | 'audit head'
  | 'approval'
  | 'waiting call'
  | 'chat decision'
  | 'chat button'
  | 'plan'
  | 'question'
  | 'plan token'
  | 'operator session'
  | 'operator cookie'
  | 'check';

/** The keys of one data directory, by purpose. */
export type KeyProvider = (purpose: KeyPurpose) => Buffer;

/**
 * Whether users other than this one may read a file. Its group may if another user owns the file: Kubernetes secrets
 * can only be mounted that way.
 */
const isReadableByOthers = (path: string): boolean => {
  if (process.platform === 'win32') return false;
  const { mode, uid } = statSync(path);
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o007)) !== 0;
};

/** Creates a key file atomically, unless it exists: if several processes try, one wins. */
function createKeyFile(path: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, randomBytes(keyBytes), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** The key in a file; undefined if there is none. @throws Error that names the file if it can't be used. */
function readKeyFile(path: string): Buffer | undefined {
  try {
    if (isReadableByOthers(path))
      throw new Error(`${path} holds a key, and others may read it. Make it private with: chmod 600 ${path}`);
    const key = readFileSync(path);
    if (key.length !== keyBytes)
      throw new Error(
        `${path} should hold a key of ${keyBytes} bytes, and holds ${key.length}. Restore it; without it older records can't be verified.`,
      );
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Derives a key for each purpose with HKDF. Keys are cached, because every call seals records. */
function deriveKeys(master: Uint8Array): KeyProvider {
  const derived = new Map<KeyPurpose, Buffer>();
  return (purpose) => {
    const key = derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, '', purpose, keyBytes));
    derived.set(purpose, key);
    return key;
  };
}

/** Keys derived from a file, which is read when a key is first needed. @param create makes the file if it is missing. */
function derivedFrom(path: string, create: (path: string) => void): KeyProvider {
  let keys: KeyProvider | undefined;
  return (purpose) => {
    if (!keys) {
      const existing = readKeyFile(path);
      if (!existing) create(path);
      keys = deriveKeys(existing ?? readKeyFile(path)!);
    }
    return keys(purpose);
  };
}

/**
 * Keys derived from a file of mode 0600. The file is read when a key is first needed, and created if it is missing.
 * @throws Error, from the returned function, that names the file if it can't be used.
 */
export const keysFromFile = (path: string): KeyProvider => derivedFrom(path, createKeyFile);

/** The same from a file that is never created. @throws Error, from the returned function, also if it is missing. */
export const keysFromExistingFile = (path: string): KeyProvider =>
  derivedFrom(path, () => {
    throw new Error(
      `There is no ${path}, with which these records were sealed. Name the directory of the key with --keys-dir, or copy the key there.`,
    );
  });

/** Keys from a random secret that lives as long as the process. */
export const ephemeralKeys = (): KeyProvider => deriveKeys(randomBytes(keyBytes));
