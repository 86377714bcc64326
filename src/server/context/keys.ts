import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const keyBytes = 32;

/** What a key is for. Each purpose has a key of its own, so that what one seals another never opens. */
export type KeyPurpose = 'audit' | 'audit head' | 'approval' | 'plan' | 'question' | 'plan token';

/** The keys of one data directory, by purpose. */
export type KeyProvider = (purpose: KeyPurpose) => Buffer;

const isReadableByOthers = (path: string): boolean => process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;

/** Puts a new key at the path unless there is one: of several processes that try at once one wins, whole. */
function createKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(fresh, randomBytes(keyBytes), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh);
  }
}

function readKeyFile(path: string): Buffer | undefined {
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

/** Each key is derived once: records are sealed with every call. */
function deriveKeys(master: Uint8Array): KeyProvider {
  const known = new Map<KeyPurpose, Buffer>();
  return (purpose) => {
    const key = known.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, '', purpose, keyBytes));
    known.set(purpose, key);
    return key;
  };
}

/**
 * The keys kept in a file of mode 0600, which is made when it isn't there. The file is read when a key is first
 * asked for.
 * @throws Error, from the returned function, that names the file when it can't be used.
 */
export function keysFromFile(path: string): KeyProvider {
  let keys: KeyProvider | undefined;
  return (purpose) => {
    if (!keys) {
      const known = readKeyFile(path);
      if (!known) createKeyFile(path);
      keys = deriveKeys(known ?? readKeyFile(path)!);
    }
    return keys(purpose);
  };
}

/** Keys that live as long as the process. */
export const ephemeralKeys = (): KeyProvider => deriveKeys(randomBytes(keyBytes));
