import type { Config } from '../config/read-config.ts';
import { isLoopback } from '../../transport/http/loopback.ts';
import { loadFaults } from '../../platform/testing/control/faults/load.ts';
import { claimDataDir, alreadyServedError } from '../wiring/data-dir-claim.ts';
import { createLog } from '../wiring/log.ts';
import { readOrCreateToken } from '../wiring/secret-file.ts';
import { startEmbeddedPlatform } from '../wiring/embedded-platform.ts';
import { untilStopped } from '../wiring/until-stopped.ts';

/**
 * `infra-mcp platform`: serves the platform until a signal ends it. When it is ready, one line of JSON on stdout says
 * where it is, its token if it was given or made just now, the ids of the seed, and where and with which token it is
 * controlled.
 * @throws Error when the data directory is in use, the fault rules can't be used, or the address can't be listened on.
 */
export async function platformCommand(config: Config): Promise<void> {
  const { dataDir, host, port, control, steppedTime, randomSeed, faultsFile } = config;
  const log = createLog(config.logLevel);
  const faults = faultsFile === undefined ? [] : await loadFaults(faultsFile);
  const stopped = untilStopped();
  const claimed = await claimDataDir(dataDir);
  if (!claimed) throw await alreadyServedError(dataDir, 'Use that one, end it, or give another --data-dir.');
  if (!isLoopback(host)) log.warn({ host }, 'other machines can reach this platform, and its tokens cross the network unencrypted');
  const given = config.tokenFile === undefined ? config.token : await readOrCreateToken(config.tokenFile);
  const serving = await startEmbeddedPlatform(claimed, config, log, { host, port, token: given, control, steppedTime, randomSeed, faults });
  const { url, token, organizationId, seed, control: controlled } = serving.platform;
  const ready = { url, token: given ?? token, organization_id: organizationId, seed };
  process.stdout.write(`${JSON.stringify({ ...ready, ...(controlled && { control_url: controlled.url, control_token: controlled.token }) })}\n`);
  await stopped;
  await serving.close();
}
