import { chosenProfile, type Config, type GivenFlags, type Profile, readConfig, type Setting, settingsOf } from '../config/index.ts';
import { columns } from '../terminal/columns.ts';
import { directoryFindings } from './data-directory.ts';
import { type DoctorFinding, findingBuilder, type FindingState, errorText } from './finding.ts';
import { listeningFindings } from './listening.ts';
import { policyResourceFindings, scopeFindings } from './configured-resources.ts';
import { platformFindings } from './platform.ts';
import { approvalsFinding, auditFinding, policyFindings } from './guard.ts';
import { withProgress } from '../terminal/progress.ts';
import { type Style, styled } from '../terminal/style.ts';
import manifest from '../../../package.json' with { type: 'json' };

const node = findingBuilder('node');

/** Checks the version of Node. @param version for example 22.19.0 */
export function nodeFinding(version: string = process.versions.node): DoctorFinding {
  const least = manifest.engines.node.replace('>=', '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return node.good(`${version}; ${least} or newer is needed`);
  return node.bad(`${version}; ${least} or newer is needed`, `Install Node ${least} or newer, and start infra-mcp with it.`);
}

/** The servers that doctor can check. */
export type ServerKind = 'stdio' | 'http';

const configuration = findingBuilder('configuration');

/** The checks after the options were read, in this order. */
const checks: readonly { readonly progress: string; readonly about: string; readonly servers: readonly ServerKind[]; readonly run: (config: Config) => Promise<readonly DoctorFinding[]> }[] = [
  { progress: 'Checking the data directory', about: 'data directory', servers: ['stdio', 'http'], run: ({ dataDir }) => directoryFindings(dataDir) },
  { progress: 'Reading the policy', about: 'policy', servers: ['stdio', 'http'], run: async (config) => [...(await policyFindings(config)), await approvalsFinding(config), auditFinding(config)] },
  { progress: 'Trying to listen', about: 'port', servers: ['http'], run: listeningFindings },
  { progress: 'Calling the platform', about: 'platform', servers: ['stdio', 'http'], run: platformFindings },
  { progress: 'Looking up the configured scope', about: 'pin', servers: ['stdio', 'http'], run: scopeFindings },
  { progress: 'Looking up the resources that the policy names', about: 'policy places', servers: ['stdio', 'http'], run: policyResourceFindings },
];

/** Reads the configuration that a server would have, with what was found about it. */
export async function readServerConfig(server: ServerKind, flags: GivenFlags, env: NodeJS.ProcessEnv): Promise<{ readonly config?: Config; readonly findings: readonly DoctorFinding[] }> {
  try {
    const profile = await chosenProfile(server, flags, env);
    const { config, warnings } = readConfig(server, flags, env, profile);
    const found = warnings.map((warning) => configuration.note(warning, 'Unset it, if it was meant for infra-mcp.'));
    const count = settingsOf(server, flags, env, profile).filter(({ source }) => source !== undefined).length;
    return { config, findings: found.length > 0 ? found : [configuration.good(count === 0 ? 'no options set: all defaults' : `${count} set, the others have their defaults`)] };
  } catch (error) {
    return { findings: errorText(error).split('\n').map((line) => configuration.bad(line, 'Correct it; docs/configuration.md lists every option.')) };
  }
}

const retryAdvice = 'Fix the other problems first, then check again.';

/** Runs every check of a server. @param env the environment that the server would be started in. */
export async function runChecks(server: ServerKind, flags: GivenFlags, env: NodeJS.ProcessEnv): Promise<DoctorFinding[]> {
  const { config, findings } = await readServerConfig(server, flags, env);
  if (!config) return [nodeFinding(), ...findings, findingBuilder('everything else').skipped('needs a valid configuration')];
  const found = await withProgress('Checking', async (update) => {
    const all: DoctorFinding[] = [];
    for (const { progress, about, servers, run } of checks) {
      if (!servers.includes(server)) continue;
      update(progress);
      all.push(...(await run(config).catch((error: unknown) => [findingBuilder(about).bad(errorText(error), retryAdvice)])));
    }
    return all;
  });
  return [nodeFinding(), ...findings, ...found];
}

const marks: Readonly<Record<FindingState, { readonly mark: string; readonly style: Style }>> = {
  good: { mark: '✓', style: 'green' },
  note: { mark: '!', style: 'yellow' },
  bad: { mark: '✗', style: 'red' },
  skipped: { mark: '–', style: 'dim' },
};

const findingRow = ({ check, state, says, todo }: DoctorFinding): string[] => {
  const { mark, style } = marks[state];
  return [styled(style, mark), check, todo === undefined ? says : `${says.replace(/\.$/, '')}. ${styled('bold', todo)}`];
};

const settingRow = ({ option, source, value }: Setting): string[] =>
  [option.env, value ?? '', source ?? 'default'].map((cell) => (source === undefined ? styled('dim', cell) : cell));

const verdict = (findings: readonly DoctorFinding[]): string => {
  const bad = findings.filter(({ state }) => state === 'bad').length;
  return bad === 0 ? styled('green', 'Nothing is wrong.') : styled('red', `${bad} ${bad === 1 ? 'thing is' : 'things are'} wrong; each line says what to do.`);
};

/**
 * `infra-mcp doctor`: checks what a server needs before it starts. Changes nothing. The exit code is 1 if there is a problem.
 */
export async function doctorCommand(server: ServerKind, flags: GivenFlags, { json }: { json?: boolean }): Promise<void> {
  const findings = await runChecks(server, flags, process.env);
  // Problems with the profile are among the findings.
  const profile = await chosenProfile(server, flags, process.env).catch((): Profile | undefined => undefined);
  const settings = settingsOf(server, flags, process.env, profile);
  const ok = findings.every(({ state }) => state !== 'bad');
  if (!ok) process.exitCode = 1;
  const asData = { ok, findings, settings: settings.map(({ option, source, value }) => ({ name: option.env, value, source: source ?? 'default' })) };
  const tables = () => [columns(['', 'what', 'found'], findings.map(findingRow)), columns(['option', 'value', 'from'], settings.map(settingRow)), `${verdict(findings)}\n`];
  process.stdout.write(json ? `${JSON.stringify(asData)}\n` : tables().join('\n'));
}
