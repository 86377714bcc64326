import type { Config } from '../config.ts';
import { isLoopback } from '../serve/http/loopback.ts';
import { claim, endpointOf } from './claim.ts';
import { createLog } from './log.ts';
import { tokenIn } from './secret-file.ts';
import { serve } from './serving.ts';
import { untilStopped } from './stopping.ts';

const taken = async (dataDir: string): Promise<Error> => {
  const endpoint = await endpointOf(dataDir);
  const by = endpoint ? ` by process ${endpoint.pid}, at ${endpoint.url}` : ' by another process';
  return new Error(`${dataDir} is already being served${by}. Use that one, end it, or give another --data-dir.`);
};

/**
 * `infra-mcp platform`: serves the platform until a signal ends it. When it is ready, one line of JSON on stdout says
 * where it is, its token if it was given or made just now, and the ids of the seed.
 * @throws Error when the data directory is in use, or the address can't be listened on.
 */
export async function platform(config: Config): Promise<void> {
  const { dataDir, host, port } = config;
  const log = createLog(config.logLevel);
  const stopped = untilStopped();
  const claimed = await claim(dataDir);
  if (!claimed) throw await taken(dataDir);
  if (!isLoopback(host)) log.warn({ host }, 'other machines can reach this platform, and its tokens cross the network unencrypted');
  const given = config.tokenFile === undefined ? config.token : await tokenIn(config.tokenFile);
  const serving = await serve(claimed, config, log, { host, port, token: given });
  const { url, token, organizationId, seed } = serving.platform;
  process.stdout.write(`${JSON.stringify({ url, token: given ?? token, organization_id: organizationId, seed })}\n`);
  await stopped;
  await serving.close();
}
