import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlatform, type RunningPlatform } from '../../src/platform/platform.ts';

/** A platform of one's own in a directory of its own. */
export async function freshPlatform(): Promise<RunningPlatform & { readonly token: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-e2e-'));
  const platform = await startPlatform({ dataDir, token: 'token-of-the-tests', timeScale: 0 });
  return {
    ...platform,
    token: 'token-of-the-tests',
    close: async () => {
      await platform.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
