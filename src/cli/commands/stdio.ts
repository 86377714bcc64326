import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/read-config.ts';
import type { Log } from '../../server/context/context.ts';
import { skillsOf } from '../../server/browse/skills.ts';
import { prebuiltSurface } from '../../server/protocol/surface.ts';
import { serveStdio } from '../../transport/stdio.ts';
import { connectionOf } from '../wiring/connecting.ts';
import type { Connection } from '../wiring/connection.ts';
import { createLog } from '../wiring/log.ts';
import { policyOf } from '../wiring/policy.ts';
import { watchingPlaces } from '../wiring/policy-places.ts';
import { untilStopped } from '../wiring/stopping.ts';
import { shippedTexts } from '../wiring/texts.ts';
import type { Working } from '../wiring/working.ts';

/** Whether the options choose among the tools. */
const chooses = ({ toolsets, tools, excludeTools }: Config): boolean => toolsets !== undefined || tools !== undefined || excludeTools.length > 0;

/** Told why nothing can be carried out: then there is no log yet that hides secrets. */
const openingLog = (log: Log, { secrets }: Connection): Pick<Log, 'error'> => ({
  error: (fields, message) => {
    void import('../../server/redaction/index.ts').then(({ createRedaction, protectLog }) => protectLog(log, createRedaction({ configured: secrets })).error(fields, message));
  },
});

/**
 * `infra-mcp stdio`: serves one client on stdin and stdout until it leaves. What it shows is there when it starts; what
 * carries requests out is loaded with the first of them.
 * @throws Error when the options name something that can't be used.
 */
export async function stdio(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const policy = await policyOf(config);
  const connection = watchingPlaces(await connectionOf(config, log), policy, log);
  const texts = shippedTexts();
  let opening: Promise<Working> | undefined;
  const open = async (): Promise<Working> => {
    const { openWork } = await import('../wiring/working.ts');
    return openWork(config, { policy, connection, texts, log });
  };
  const working = (): Promise<Working> => (opening ??= open());
  const surface = (chooses(config) ? undefined : prebuiltSurface(policy)) ?? (await working()).parts.surface;
  const stopped = untilStopped(process.stdin);
  const server = serveStdio({
    version: manifest.version, surface, hasPrompts: true, skills: skillsOf(texts, { log, hidden: surface.hidden }), work: async () => (await working()).parts, opening: openingLog(log, connection),
  });
  await stopped;
  await server.close();
  await (await opening)?.close();
  await connection.close();
}
