import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './database.ts';
import { readSetting, writeSetting } from './settings.ts';

/** Keeps secrets encrypted at rest. What it seals, only the same data directory's key opens. */
export interface Vault {
  seal(plain: string): string;
  /** @throws Error when the text was not sealed with this key, or was changed. */
  open(sealed: string): string;
  /** A signature of the text, base64url: HMAC-SHA256 with a key of its own. */
  sign(text: string): string;
}

/** Name of the key file in the data directory. */
export const keyFile = 'secret.key';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

const derive = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes));

/** Makes a vault of a 32-byte key. */
export function createVault(key: Buffer): Vault {
  const sealing = derive(key, 'seal');
  const signing = derive(key, 'sign');
  return {
    seal: (plain) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
    sign: (text) => createHmac('sha256', signing).update(text).digest('base64url'),
  };
}

/** The directory's key, or undefined where none was made yet. */
const readKey = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Writes a key aside and links it into place: of two processes that start at once, both then read the first one's. */
const writeKey = (path: string): void => {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(keyBytes));
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft);
  }
};

/**
 * The vault of a data directory that has a key; undefined where it has none.
 * @throws Error when the key file can't be read or is damaged: without its key what is sealed stays closed.
 */
export function openExistingVault(dataDir: string): Vault | undefined {
  const path = join(dataDir, keyFile);
  const key = readKey(path);
  if (!key) return undefined;
  if (key.length !== keyBytes) throw new Error(`The key file ${path} is damaged: it must hold ${keyBytes} bytes. Put back the backup of it that you kept.`);
  return createVault(key);
}

/**
 * The vault of a data directory. Its key is made on first use, in a file only the owner can read.
 * @throws Error as `openExistingVault`.
 */
export function openVault(dataDir: string): Vault {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const present = openExistingVault(dataDir);
  if (present) return present;
  writeKey(join(dataDir, keyFile));
  return openExistingVault(dataDir)!;
}

const keySignature = (vault: Vault): string => vault.sign('key check');

/** Whether the vault's key is the one that secrets in these records were sealed with; true where nothing says. */
export async function keyMatches(db: Db, vault: Vault): Promise<boolean> {
  const kept = await readSetting(db, 'key_check');
  return kept === undefined || kept === keySignature(vault);
}

/**
 * Sees that the data directory's key is that of its records, and notes the key where that was never done.
 * @throws Error when it is another: every secret would stay closed
 */
export async function requireMatchingKey(db: Db, vault: Vault, dataDir: string): Promise<void> {
  if (!(await keyMatches(db, vault))) {
    throw new Error(`The key file ${keyFile} in ${dataDir} is not the one its secrets were sealed with. Put the right one back; without it, begin anew in another directory.`);
  }
  if ((await readSetting(db, 'key_check')) === undefined) await writeSetting(db, 'key_check', keySignature(vault));
}
