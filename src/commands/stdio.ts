import manifest from '../../package.json' with { type: 'json' };
import { tools } from '../../tools/index.ts';
import type { Config } from '../config.ts';
import type { Log } from '../mcp/context.ts';
import { createParts } from '../mcp/parts.ts';
import { serveStdio } from '../serve/stdio.ts';
import type { Connection } from './connection.ts';
import { openGuard, policyOf } from './guard.ts';
import { createLog } from './log.ts';
import { remoteConnection } from './remote.ts';
import { untilStopped } from './stopping.ts';

/** The embedded platform's code is loaded when it is first called. */
const lazily = (load: () => Promise<Connection>): Connection => {
  let loading: Promise<Connection> | undefined;
  let loaded: Connection | undefined;
  return {
    connect: async () => (loaded = await (loading ??= load())).connect(),
    secrets: () => loaded?.secrets() ?? [],
    close: async () => loaded?.close(),
  };
};

const connectionOf = async (config: Config, log: Log): Promise<Connection> =>
  config.baseUrl === undefined
    ? lazily(async () => (await import('./embedded.ts')).embeddedConnection(config, log))
    : remoteConnection(config, log);

/**
 * `infra-mcp stdio`: serves one client on stdin and stdout until it leaves.
 * @throws Error when the platform's address or token can't be used.
 */
export async function stdio(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const policy = await policyOf(config);
  const { connect, secrets, close } = await connectionOf(config, log);
  const guard = openGuard(config);
  const stopped = untilStopped(process.stdin);
  const server = serveStdio(
    createParts({
      tools, connect, secrets, log, policy, guard: guard.parts, version: manifest.version, clock: { now: Date.now },
    }),
  );
  await stopped;
  await server.close();
  await guard.close();
  await close();
}
