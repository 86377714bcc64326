import manifest from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { createParts } from '../mcp/parts.ts';
import { serveStdio } from '../serve/stdio.ts';
import { openAddresses } from './addresses.ts';
import { connectionOf } from './connecting.ts';
import { openGuard, policyOf } from './guard.ts';
import { createLog } from './log.ts';
import { offeredTools } from './offered-tools.ts';
import { untilStopped } from './stopping.ts';
import { shippedTexts } from './texts.ts';

/**
 * `infra-mcp stdio`: serves one client on stdin and stdout until it leaves.
 * @throws Error when the platform's address or token can't be used.
 */
export async function stdio(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const tools = offeredTools(config);
  const policy = await policyOf(config);
  const { connect, secrets, close } = await connectionOf(config, log);
  const guard = openGuard(config);
  const addresses = openAddresses(config);
  const stopped = untilStopped(process.stdin);
  const server = serveStdio(
    createParts({
      tools, connect, secrets, log, policy, guard: guard.parts, addresses, texts: shippedTexts(), version: manifest.version, clock: { now: Date.now },
    }),
  );
  await stopped;
  await server.close();
  await addresses.flush();
  await guard.close();
  await close();
}
