import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Length of a key file. */
export const keyBytes = 32;

/** The purpose of a key. Each purpose has its own key, so that no key can open another's seal. */
export type KeyPurpose = 'audit' | 'audit head' | 'approval' | 'waiting call' | 'plan' | 'question' | 'plan token' | 'operator session' | 'check';

/** The keys of one data directory, by purpose. */
export type KeyProvider = (purpose: KeyPurpose) => Buffer;

/** Whether others than this user may read a file. Its group may where it isn't this user's own file: only so do Kubernetes' secrets reach a user. */
const isReadableByOthers = (path: string): boolean => {
  if (process.platform === 'win32') return false;
  const { mode, uid } = statSync(path);
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o007)) !== 0;
};

/** Creates a key file atomically, unless it exists: if several processes try, one wins. */
export function createKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
export function readKeyFile(path: string): Buffer | undefined {
  try {
    if (isReadableByOthers(path)) throw new Error(`${path} holds a key, and others may read it. Make it private with: chmod 600 ${path}`);
    const key = readFileSync(path);
    if (key.length !== keyBytes) throw new Error(`${path} should hold a key of ${keyBytes} bytes, and holds ${key.length}. Restore it; without it older records can't be verified.`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Derives a key for each purpose with HKDF. Keys are cached, because every call seals records. */
export function deriveKeys(master: Uint8Array): KeyProvider {
  const derived = new Map<KeyPurpose, Buffer>();
  return (purpose) => {
    const key = derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, '', purpose, keyBytes));
    derived.set(purpose, key);
    return key;
  };
}

/**
 * Keys derived from a file of mode 0600. The file is read when a key is first needed, and created if it is missing.
 * @throws Error, from the returned function, that names the file if it can't be used.
 */
export function keysFromFile(path: string): KeyProvider {
  let keys: KeyProvider | undefined;
  return (purpose) => {
    if (!keys) {
      const existing = readKeyFile(path);
      if (!existing) createKeyFile(path);
      keys = deriveKeys(existing ?? readKeyFile(path)!);
    }
    return keys(purpose);
  };
}

/** Keys from a random secret that lives as long as the process. */
export const ephemeralKeys = (): KeyProvider => deriveKeys(randomBytes(keyBytes));
