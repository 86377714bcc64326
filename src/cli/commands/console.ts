import manifest from '../../../package.json' with { type: 'json' };
import { createApprovalQueue } from '../../server/guard/index.ts';
import { createDependencies } from '../../server/protocol/index.ts';
import { restrictedDependencies, startConsoleServer } from '../../transport/index.ts';
import type { Config } from '../config/index.ts';
import { consoleSourceOf, latestRecordsOf } from '../wiring/console.ts';
import { requireDataDir } from '../wiring/data-dir-claim.ts';
import { approvalsConfigOf, openGuard } from '../wiring/guard.ts';
import { listeningOn } from '../wiring/listen-error.ts';
import { createLog } from '../wiring/log.ts';
import { openNameResolver } from '../wiring/name-resolver.ts';
import { offeredTools, toolsLeftOut } from '../wiring/offered-tools.ts';
import { openConnection } from '../wiring/open-connection.ts';
import { serverPolicy } from '../wiring/policy.ts';
import { approveCommandOf } from '../wiring/typed-command.ts';
import { untilStopped } from '../wiring/until-stopped.ts';
import { requireWritable } from '../wiring/written-places.ts';

const clock = { now: Date.now };

/**
 * `infra-mcp console`: serves the console of a data directory to this machine until a signal stops it. When it is ready,
 * prints its address as one line of JSON on stdout.
 * @throws Error if there is no such directory, or the port can't be used; at the end, if its platform can't continue.
 */
export async function consoleCommand(config: Config, { port }: { readonly port: number }): Promise<void> {
  requireDataDir(config);
  requireWritable(config);
  const log = createLog(config.logLevel);
  const policy = await serverPolicy(config);
  const connection = await openConnection(config, log);
  const guard = openGuard(config);
  const approvals = approvalsConfigOf(config);
  const resolver = openNameResolver(config);
  const tools = offeredTools(config);
  const dependencies = createDependencies({
    tools,
    otherTools: toolsLeftOut(tools),
    policy,
    connect: connection.connect,
    secrets: connection.secrets,
    log,
    guard: guard.dependencies,
    resolver,
    version: manifest.version,
    clock,
  });
  const stopped = untilStopped();
  const server = await listeningOn({ host: '127.0.0.1', port }, () =>
    startConsoleServer({
      port,
      approvals: {
        queue: createApprovalQueue(approvals, { how: 'page', record: guard.recordDecision }),
        approveCommand: approveCommandOf(config),
        ...latestRecordsOf(config),
      },
      console: consoleSourceOf(config, restrictedDependencies(dependencies, tools), false),
      clock,
      log: dependencies.log,
    }),
  );
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
  const failure = await Promise.race([stopped, ...(connection.unusable ? [connection.unusable] : [])]);
  await server.close();
  await resolver.close();
  await approvals.store.close();
  await guard.close();
  await connection.close();
  if (failure) throw failure;
}
