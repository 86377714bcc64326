import {
  chosenProfile,
  type CommandName,
  type Config,
  type GivenFlags,
  pageLink,
  type Profile,
  readConfig,
  settingsOf,
} from '../config/index.ts';
import { examineConfiguredDatabase } from './database.ts';
import { directoryFindings } from './data-directory.ts';
import { doctorText } from './doctor-text.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';
import { listeningFindings, metricsFindings } from './ports.ts';
import { proxyFindings } from './proxies.ts';
import { policyResourceFindings, scopeFindings } from './configured-resources.ts';
import { platformFindings } from './platform.ts';
import { chatFindings } from './chat.ts';
import { approvalsFinding, auditFinding, policyFindings, webhookFindings } from './guard.ts';
import { openSecretFiles } from '../wiring/open-secret-files.ts';
import { plainMessage } from '../terminal/plain-message.ts';
import { withProgress } from '../terminal/progress.ts';
import manifest from '../../../package.json' with { type: 'json' };

const node = findingBuilder('node');

/** Checks the version of Node. @param version for example 22.19.0 */
export function nodeFinding(version: string = process.versions.node): DoctorFinding {
  const least = manifest.engines.node.replace('>=', '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return node.good(`${version}; ${least} or newer is needed`);
  return node.bad(
    `${version}; ${least} or newer is needed`,
    `Install Node ${least} or newer, and start infra-mcp with it.`,
  );
}

/** The servers that doctor can check. */
export type ServerKind = 'stdio' | 'http';

const configuration = findingBuilder('configuration');
const secretFiles = findingBuilder('secret file');

/** The checks that run after the options are read, in this order. */
const checks: readonly {
  readonly progress: string;
  readonly about: string;
  readonly servers: readonly ServerKind[];
  readonly run: (config: Config, server: ServerKind) => Promise<readonly DoctorFinding[]>;
}[] = [
  {
    progress: 'Checking the data directory',
    about: 'data directory',
    servers: ['stdio', 'http'],
    run: directoryFindings,
  },
  {
    progress: 'Asking the database',
    about: 'database',
    servers: ['http'],
    run: async (config) =>
      (await examineConfiguredDatabase(config, config.baseUrl === undefined ? ['server', 'platform'] : ['server']))
        .findings,
  },
  {
    progress: 'Reading the policy',
    about: 'policy',
    servers: ['stdio', 'http'],
    run: async (config) => [
      ...(await policyFindings(config)),
      await approvalsFinding(config),
      ...(await webhookFindings(config)),
      ...(await chatFindings(config)),
      auditFinding(config),
    ],
  },
  { progress: 'Trying to listen', about: 'port', servers: ['http'], run: listeningFindings },
  { progress: 'Trying the address of the metrics', about: 'metrics', servers: ['stdio', 'http'], run: metricsFindings },
  { progress: 'Calling the platform', about: 'platform', servers: ['stdio', 'http'], run: platformFindings },
  { progress: 'Looking up the configured scope', about: 'pin', servers: ['stdio', 'http'], run: scopeFindings },
  {
    progress: 'Looking up the resources that the policy names',
    about: 'policy places',
    servers: ['stdio', 'http'],
    run: policyResourceFindings,
  },
];

/** Reads the configuration that a server or another command would use, with findings about it. */
export async function readServerConfig(
  server: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly config?: Config; readonly findings: readonly DoctorFinding[] }> {
  try {
    const profile = await chosenProfile(server, flags, env);
    const { config, warnings } = readConfig(server, flags, env, profile);
    const found = warnings.map((warning) => configuration.note(warning, 'Unset it, if it was meant for infra-mcp.'));
    const count = settingsOf(server, flags, env, profile).filter(({ source }) => source !== undefined).length;
    return {
      config,
      findings: [
        ...(found.length > 0
          ? found
          : [
              configuration.good(
                count === 0 ? 'no options set: all defaults' : `${count} set, the others have their defaults`,
              ),
            ]),
        ...openSecretFiles(config).map(({ says, todo }) => secretFiles.note(says, todo)),
        ...proxyFindings(config, env),
      ],
    };
  } catch (error) {
    return {
      findings: plainMessage(error)
        .split('\n')
        .map((line) => configuration.bad(line, `Correct it; ${pageLink('configuration')} lists every option.`)),
    };
  }
}

const retryAdvice = 'Fix the other problems first, then check again.';

/** Runs every check of a server. @param env the environment that the server would be started in. */
export async function runChecks(
  server: ServerKind,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
): Promise<DoctorFinding[]> {
  const { config, findings } = await readServerConfig(server, flags, env);
  if (!config)
    return [nodeFinding(), ...findings, findingBuilder('everything else').skipped('needs a valid configuration')];
  const found = await withProgress('Checking', async (update) => {
    const all: DoctorFinding[] = [];
    for (const { progress, about, servers, run } of checks) {
      if (!servers.includes(server)) continue;
      update(progress);
      all.push(
        ...(await run(config, server).catch((error: unknown) => [
          findingBuilder(about).bad(plainMessage(error), retryAdvice),
        ])),
      );
    }
    return all;
  });
  return [nodeFinding(), ...findings, ...found];
}

/** Prints findings and the options of a command. The exit code is 1 if there is a problem. */
export async function printFindings(
  command: CommandName,
  flags: GivenFlags,
  findings: readonly DoctorFinding[],
  { json, verbose = false }: { json?: boolean; verbose?: boolean },
): Promise<void> {
  // Problems with the profile are among the findings.
  const profile = await chosenProfile(command, flags, process.env).catch((): Profile | undefined => undefined);
  const settings = settingsOf(command, flags, process.env, profile);
  const ok = findings.every(({ state }) => state !== 'bad');
  if (!ok) process.exitCode = 1;
  const asData = {
    ok,
    findings,
    settings: settings.map(({ option, source, value }) => ({ name: option.env, value, source: source ?? 'default' })),
  };
  process.stdout.write(json ? `${JSON.stringify(asData)}\n` : doctorText(findings, settings, verbose));
}

/** `infra-mcp doctor`: checks what a server needs before it starts. Changes nothing. */
export async function doctorCommand(
  server: ServerKind,
  flags: GivenFlags,
  shown: { json?: boolean; verbose?: boolean },
): Promise<void> {
  await printFindings(server, flags, await runChecks(server, flags, process.env), shown);
}
