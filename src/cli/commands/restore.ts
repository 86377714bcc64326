import type { Config } from '../config/index.ts';
import {
  findSnapshot,
  keyFile,
  openExistingVault,
  prepareRestore,
  removeStaleReplacements,
} from '../../platform/store/index.ts';
import { listBackups } from './backup.ts';
import { isForDatabaseTools } from './database-dumps.ts';
import { claimDataDir, alreadyServedError, requireDataDir } from '../wiring/data-dir-claim.ts';
import { wrapped } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * `infra-mcp restore`: replaces the platform's records with those of a backup, atomically. Without a name, lists the
 * backups.
 * @throws Error if there is no such backup, it can't be restored, or a process serves the data directory.
 */
export async function restoreCommand(
  config: Config,
  name: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  if (await isForDatabaseTools('restore', config, { json })) return;
  const { dataDir, keysDir } = config;
  if (name === undefined) return listBackups(config, { json });
  requireDataDir(config);
  await findSnapshot(dataDir, name);
  const claim = await claimDataDir(dataDir);
  if (!claim) throw await alreadyServedError(dataDir, 'Stop that process first. Nothing was changed.');
  try {
    const vault = openExistingVault(keysDir);
    if (!vault)
      throw new Error(
        `There is no ${keyFile} in ${keysDir}, so the secrets in the backup can't be decrypted. Copy the key file from the time of the backup there first. Nothing was changed.`,
      );
    await removeStaleReplacements(dataDir);
    const replacement = await withProgress('Checking and copying the backup', () =>
      prepareRestore(dataDir, name, vault),
    );
    try {
      await replacement.commit();
    } finally {
      await replacement.discard();
    }
    process.stderr.write(wrapped(`Restored ${name} in ${dataDir}. Tokens are as they were before.\n`, process.stderr));
    if (json) process.stdout.write(`${JSON.stringify({ restored: name })}\n`);
  } finally {
    await claim.release();
  }
}
