import type { Config } from '../config/read-config.ts';
import { prepareRestore, removeStaleReplacements } from '../../platform/store/replacement.ts';
import { findSnapshot } from '../../platform/store/snapshots.ts';
import { keyFile, openExistingVault } from '../../platform/store/vault.ts';
import { listBackups } from './backup.ts';
import { claimDataDir, alreadyServedError } from '../wiring/data-dir-claim.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * `infra-mcp restore`: puts the records of a backup in the place of the platform's, all or nothing. Without a name it lists
 * the backups.
 * @throws Error when there is no such backup, it can't be restored, or a process serves the data directory.
 */
export async function restoreCommand(config: Config, name: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const { dataDir } = config;
  if (name === undefined) return listBackups(config, { json });
  await findSnapshot(dataDir, name);
  const claimed = await claimDataDir(dataDir);
  if (!claimed) throw await alreadyServedError(dataDir, 'End that process first: what it works on is not exchanged under it. Nothing was changed.');
  try {
    const vault = openExistingVault(dataDir);
    if (!vault) throw new Error(`There is no ${keyFile} in ${dataDir}, and the secrets in the backup would stay closed. Put the key file of that time there first. Nothing was changed.`);
    await removeStaleReplacements(dataDir);
    const replacement = await withProgress('Checking and copying the backup', () => prepareRestore(dataDir, name, vault));
    try {
      await replacement.commit();
    } finally {
      await replacement.discard();
    }
    process.stderr.write(`Restored ${name} in ${dataDir}. Tokens are as they were before.\n`);
    if (json) process.stdout.write(`${JSON.stringify({ restored: name })}\n`);
  } finally {
    await claimed.release();
  }
}
