import { createApprovalQueue } from '../../server/guard/index.ts';
import { startConsoleServer } from '../../transport/index.ts';
import type { Config } from '../config/index.ts';
import { consoleSourceOf, latestRecordsOf } from '../wiring/console.ts';
import { requireDataDir, requireWritable } from '../wiring/data-dir-claim.ts';
import { approvalsConfigOf, openGuard } from '../wiring/guard.ts';
import { listeningOn } from '../wiring/listen-error.ts';
import { createLog } from '../wiring/log.ts';
import { approveCommandOf } from '../wiring/typed-command.ts';
import { untilStopped } from '../wiring/until-stopped.ts';

const clock = { now: Date.now };

/**
 * `infra-mcp console`: serves the console of a data directory to this machine until a signal stops it. When it is ready,
 * prints its address as one line of JSON on stdout.
 * @throws Error if there is no such directory, or the port can't be used.
 */
export async function consoleCommand(config: Config, { port }: { readonly port: number }): Promise<void> {
  requireDataDir(config);
  requireWritable(config);
  const log = createLog(config.logLevel);
  const guard = openGuard(config);
  const approvals = approvalsConfigOf(config);
  const stopped = untilStopped();
  const server = await listeningOn({ host: '127.0.0.1', port }, () =>
    startConsoleServer({
      port,
      approvals: {
        queue: createApprovalQueue(approvals, { how: 'page', record: guard.recordDecision }),
        approveCommand: approveCommandOf(config),
        ...latestRecordsOf(config),
      },
      console: consoleSourceOf(config, false),
      clock,
      log,
    }),
  );
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
  await stopped;
  await server.close();
  await approvals.store.close();
  await guard.close();
}
