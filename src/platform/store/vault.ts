import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../files/index.ts';
import type { Db } from './store.ts';
import { readSetting, writeSetting } from './settings.ts';

/** Encrypts secrets at rest, with a key in a file. */
export interface Vault {
  seal(plain: string): string;
  /** @throws Error if the text was sealed with another key, or was modified */
  open(sealed: string): string;
  /** Signs a text with HMAC-SHA256, under a separate derived key. Returns base64url. */
  sign(text: string): string;
}

/** The name of the key file in its directory. */
export const keyFile = 'secret.key';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

const derive = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes));

/** Creates a vault from a 32-byte key. */
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
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
    sign: (text) => createHmac('sha256', signing).update(text).digest('base64url'),
  };
}

/** Reads the key; undefined if there is none yet. */
const readKey = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Writes a new key to a draft file and links it into place. If two processes start at once, both use the first one's
 * key.
 */
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
 * Opens the vault of a directory of keys; undefined if it has no key.
 * @throws Error if the key file can't be read or is damaged, because sealed values could not be opened
 */
export function openExistingVault(keysDir: string): Vault | undefined {
  const path = join(keysDir, keyFile);
  const key = readKey(path);
  if (!key) return undefined;
  if (key.length !== keyBytes)
    throw new Error(
      `The key file ${path} is damaged: it must hold ${keyBytes} bytes. Put back the backup of it that you kept.`,
    );
  return createVault(key);
}

/**
 * Opens the vault of a directory of keys. Creates its key on first use, in a file that only the owner can read.
 * @throws Error like `openExistingVault`
 */
export function openVault(keysDir: string): Vault {
  makeFolder(keysDir);
  const existing = openExistingVault(keysDir);
  if (existing) return existing;
  writeKey(join(keysDir, keyFile));
  return openExistingVault(keysDir)!;
}

/** The value by which records recognize the key of a vault. */
export const keyCheckOf = (vault: Vault): string => vault.sign('key check');

/** Whether the vault's key sealed the secrets in these records. True if the records have no key check yet. */
export async function keyMatches(db: Db, vault: Vault): Promise<boolean> {
  const stored = await readSetting(db, 'key_check');
  return stored === undefined || stored === keyCheckOf(vault);
}

/**
 * Checks that the key is the one that sealed its records. Stores a key check on first use.
 * @throws Error for another key, because no secret could be opened
 */
export async function requireMatchingKey(db: Db, vault: Vault, keysDir: string): Promise<void> {
  if (!(await keyMatches(db, vault))) {
    throw new Error(
      `The key file ${keyFile} in ${keysDir} is not the one that the secrets of these records were sealed with. Put the right one there; without it, start over in another directory or database.`,
    );
  }
  if ((await readSetting(db, 'key_check')) === undefined) await writeSetting(db, 'key_check', keyCheckOf(vault));
}
