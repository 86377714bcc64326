import type { Db } from '../store/database.ts';
import { readSetting, writeSetting } from '../store/settings.ts';
import { keyFile, type Vault } from '../store/vault.ts';

const mark = (vault: Vault): string => vault.sign('key check');

/** Whether the vault's key is the one that secrets in these records were sealed with; true where nothing says. */
export async function keyFits(db: Db, vault: Vault): Promise<boolean> {
  const kept = await readSetting(db, 'key_check');
  return kept === undefined || kept === mark(vault);
}

/**
 * Sees that the data directory's key is that of its records, and notes the key where that was never done.
 * @throws Error when it is another: every secret would stay closed
 */
export async function requireOwnKey(db: Db, vault: Vault, dataDir: string): Promise<void> {
  if (!(await keyFits(db, vault))) {
    throw new Error(`The key file ${keyFile} in ${dataDir} is not the one its secrets were sealed with. Put the right one back; without it, begin anew in another directory.`);
  }
  if ((await readSetting(db, 'key_check')) === undefined) await writeSetting(db, 'key_check', mark(vault));
}
