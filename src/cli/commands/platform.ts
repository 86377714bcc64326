import type { Config } from '../config/index.ts';
import { isLoopback } from '../../transport/index.ts';
import { loadFaults } from '../../platform/testing/index.ts';
import { claimDataDir, alreadyServedError } from '../wiring/data-dir-claim.ts';
import { createLog } from '../wiring/log.ts';
import { readOrCreateToken } from '../wiring/secret-file.ts';
import { startEmbeddedPlatform } from '../wiring/embedded-platform.ts';
import { untilStopped } from '../wiring/until-stopped.ts';

/**
 * `infra-mcp platform`: serves the platform until a signal ends it. When it is ready, prints one line of JSON on stdout: its
 * URL, its token if it is configured or new, the ids of the seed, and the URL and token of the test control.
 * @throws Error if the data directory is in use, the fault rules are invalid, or the address can't be bound.
 */
export async function platformCommand(config: Config): Promise<void> {
  const { dataDir, host, port, control, steppedTime, randomSeed, faultsFile } = config;
  const log = createLog(config.logLevel);
  const faults = faultsFile === undefined ? [] : await loadFaults(faultsFile);
  const stopped = untilStopped();
  const claim = await claimDataDir(dataDir);
  if (!claim) throw await alreadyServedError(dataDir, 'Use that one, end it, or give another --data-dir.');
  if (!isLoopback(host)) log.warn({ host }, 'other machines can reach this platform, and its tokens cross the network unencrypted');
  const configuredToken = config.tokenFile === undefined ? config.token : await readOrCreateToken(config.tokenFile);
  const embedded = await startEmbeddedPlatform(claim, config, log, { host, port, token: configuredToken, control, steppedTime, randomSeed, faults });
  const { url, token, organizationId, seed, control: testControl } = embedded.platform;
  const ready = { url, token: configuredToken ?? token, organization_id: organizationId, seed };
  process.stdout.write(`${JSON.stringify({ ...ready, ...(testControl && { control_url: testControl.url, control_token: testControl.token }) })}\n`);
  await stopped;
  await embedded.close();
}
