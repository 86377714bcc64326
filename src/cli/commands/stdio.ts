import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { createSkills } from '../../server/browse/index.ts';
import { prebuiltSurface } from '../../server/protocol/index.ts';
import { startStdioServer } from '../../transport/index.ts';
import { openConnection } from '../wiring/open-connection.ts';
import type { Connection } from '../wiring/connection.ts';
import { createLog } from '../wiring/log.ts';
import { configuredPolicy } from '../wiring/policy.ts';
import { warningOfMissingResources } from '../wiring/policy-resources.ts';
import { untilStopped } from '../wiring/until-stopped.ts';
import { shippedTexts } from '../wiring/shipped-texts.ts';
import type { OpenDependencies } from '../wiring/server-dependencies.ts';

/** Whether the options select tools. */
const selectsTools = ({ toolsets, tools, excludeTools }: Config): boolean => toolsets !== undefined || tools !== undefined || excludeTools.length > 0;

/** The log for errors while the dependencies open, before the server's own redacting log exists. Loads the redaction on first use. */
const protectedOpeningLog = (log: ServerLogger, { secrets }: Connection): Pick<ServerLogger, 'error'> => ({
  error: (fields, message) => {
    void import('../../server/redaction/index.ts').then(({ createRedaction, protectLog }) => protectLog(log, createRedaction({ configured: secrets })).error(fields, message));
  },
});

/**
 * `infra-mcp stdio`: serves one client on stdin and stdout until it disconnects. Tools, prompts and skills are listed from
 * prebuilt data; the code that runs calls is loaded with the first one.
 * @throws Error if the options name something that can't be used.
 */
export async function stdioCommand(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const policy = await configuredPolicy(config);
  const connection = warningOfMissingResources(await openConnection(config, log), policy, log);
  const texts = shippedTexts();
  let opening: Promise<OpenDependencies> | undefined;
  const open = async (): Promise<OpenDependencies> => {
    const { openDependencies } = await import('../wiring/server-dependencies.ts');
    return openDependencies(config, { policy, connection, texts, log });
  };
  const openOnce = (): Promise<OpenDependencies> => (opening ??= open());
  const surface = (selectsTools(config) ? undefined : prebuiltSurface(policy)) ?? (await openOnce()).dependencies.surface;
  const stopped = untilStopped(process.stdin);
  const server = startStdioServer({
    version: manifest.version, surface, hasPrompts: true, skills: createSkills(texts, { log, hidden: surface.hidden }), loadDependencies: async () => (await openOnce()).dependencies, startupLog: protectedOpeningLog(log, connection),
  });
  await stopped;
  await server.close();
  await (await opening)?.close();
  await connection.close();
}
