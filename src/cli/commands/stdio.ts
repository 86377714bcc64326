import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { createSkills } from '../../server/browse/index.ts';
import { prebuiltSurface } from '../../server/protocol/index.ts';
import { startStdioServer, stdioTransport, type MalformedMessage } from '../../transport/index.ts';
import { openApprovalsWebhook } from '../wiring/approvals-webhook.ts';
import { openTelemetry } from '../wiring/telemetry.ts';
import type { Connection } from '../wiring/connection.ts';
import { openConnection } from '../wiring/open-connection.ts';
import { createLog } from '../wiring/log.ts';
import { serverPolicy, warningOfMissingResources } from '../wiring/policy.ts';
import { untilStopped } from '../wiring/until-stopped.ts';
import { requireWritable, unwritablePlaces, UnusablePlace } from '../wiring/written-places.ts';
import { shippedTexts } from '../wiring/shipped-texts.ts';
import type { OpenDependencies } from '../wiring/server-dependencies.ts';

/** Whether the options select tools. */
const selectsTools = ({ toolsets, tools, excludeTools }: Config): boolean =>
  toolsets !== undefined || tools !== undefined || excludeTools.length > 0;

/**
 * The log for errors while the dependencies open, before the server's own redacting log exists. Loads the redaction on
 * first use.
 */
const protectedOpeningLog = (log: ServerLogger, { secrets }: Connection): Pick<ServerLogger, 'error'> => ({
  error: (fields, message) => {
    void import('../../server/redaction/index.ts').then(({ createRedaction, protectLog }) =>
      protectLog(log, createRedaction({ configured: secrets })).error(fields, message),
    );
  },
});

/** Logs malformed messages. @returns true, because they are answered. */
const logMalformed =
  (log: ServerLogger) =>
  ({ code, reason }: MalformedMessage): boolean => {
    log.warn({ code }, reason);
    return true;
  };

/**
 * Tells a person at a terminal that the server waits for a client.
 * @returns the handler of malformed messages: it explains the first typed text, and answers none.
 */
async function greetPerson(config: Config, log: ServerLogger): Promise<(malformed: MalformedMessage) => boolean> {
  const { waitingText, typedText } = await import('../terminal/waiting-for-client.ts');
  process.stderr.write(waitingText(config));
  const logged = logMalformed(log);
  let isExplained = false;
  return (malformed) => {
    if (!malformed.isJson) {
      if (!isExplained) process.stderr.write(typedText());
      isExplained = true;
      return false;
    }
    return logged(malformed);
  };
}

/**
 * Requires that the keys directory and the audit log can be written, if the options name them. Without a usable data
 * directory the server starts, because its tools can be listed; the log says which calls will fail.
 * @throws UnusablePlace
 */
function requirePlaces({ dataDir, keysDir, auditFile, auditCommand }: Config, log: ServerLogger): void {
  requireWritable({ ...(keysDir !== dataDir && { keysDir }), auditFile, auditCommand });
  for (const { place, cause } of unwritablePlaces({ dataDir }))
    log.warn({}, `${new UnusablePlace(place, cause).message} Calls that need it fail until then.`);
}

/**
 * `infra-mcp stdio`: serves one client on stdin and stdout until it disconnects. Tools, prompts and skills are listed
 * from prebuilt data; the code that runs calls is loaded with the first one.
 * @throws Error if the options name something that can't be used.
 */
export async function stdioCommand(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  requirePlaces(config, log);
  const policy = await serverPolicy(config);
  const telemetry = await openTelemetry(config, config.baseUrl === undefined ? ['calls', 'engine'] : ['calls'], log);
  const connection = warningOfMissingResources(await openConnection(config, log, telemetry.requests), policy, log);
  const texts = shippedTexts();
  const webhook = await openApprovalsWebhook(config, log);
  let opening: Promise<OpenDependencies> | undefined;
  const open = async (): Promise<OpenDependencies> => {
    const { openDependencies } = await import('../wiring/server-dependencies.ts');
    return openDependencies(config, { policy, connection, texts, log, webhook, telemetry });
  };
  const openOnce = (): Promise<OpenDependencies> => (opening ??= open());
  const surface =
    (selectsTools(config) ? undefined : prebuiltSurface(policy)) ?? (await openOnce()).dependencies.surface;
  await telemetry.serve({
    approvalsWaiting: async () => (await openOnce()).approvalsWaiting(),
    engine: connection.engine,
  });
  const stopped = untilStopped(process.stdin);
  const onMalformed = process.stdin.isTTY ? await greetPerson(config, log) : logMalformed(log);
  const server = startStdioServer(
    {
      version: manifest.version,
      surface,
      hasPrompts: true,
      skills: createSkills(texts, { log, hidden: surface.hidden }),
      loadDependencies: async () => (await openOnce()).dependencies,
      startupLog: protectedOpeningLog(log, connection),
    },
    stdioTransport(onMalformed),
  );
  await stopped;
  await server.close();
  await telemetry.close();
  await (await opening)?.close();
  await connection.close();
}
