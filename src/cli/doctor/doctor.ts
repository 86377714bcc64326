import { chosenProfile, type Config, type GivenFlags, type Profile, readConfig, type Setting, settingsOf } from '../config/read-config.ts';
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

/** Whether this Node is one that the program is made for. @param version such as 22.19.0 */
export function nodeFinding(version: string = process.versions.node): DoctorFinding {
  const least = manifest.engines.node.replace('>=', '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return node.good(`${version}; ${least} or newer is needed`);
  return node.bad(`${version}; ${least} or newer is needed`, `Install Node ${least} or newer, and start infra-mcp with it.`);
}

/** The servers whose start can be looked at. */
export type ServerKind = 'stdio' | 'http';

const configuration = findingBuilder('configuration');

/** What is looked at, in this order, once the options are read. */
const checks: readonly { readonly does: string; readonly about: string; readonly of: readonly ServerKind[]; readonly find: (config: Config) => Promise<readonly DoctorFinding[]> }[] = [
  { does: 'Looking at the data directory', about: 'data directory', of: ['stdio', 'http'], find: ({ dataDir }) => directoryFindings(dataDir) },
  { does: 'Reading the policy', about: 'policy', of: ['stdio', 'http'], find: async (config) => [...(await policyFindings(config)), await approvalsFinding(config), auditFinding(config)] },
  { does: 'Trying to listen', about: 'port', of: ['http'], find: listeningFindings },
  { does: 'Asking the platform', about: 'platform', of: ['stdio', 'http'], find: platformFindings },
  { does: 'Looking for the place that calls are kept to', about: 'pin', of: ['stdio', 'http'], find: scopeFindings },
  { does: 'Looking for what the policy names', about: 'policy places', of: ['stdio', 'http'], find: policyResourceFindings },
];

async function readServerConfig(server: ServerKind, flags: GivenFlags, env: NodeJS.ProcessEnv): Promise<{ readonly config?: Config; readonly findings: readonly DoctorFinding[] }> {
  try {
    const profile = await chosenProfile(server, flags, env);
    const { config, warnings } = readConfig(server, flags, env, profile);
    const found = warnings.map((warning) => configuration.note(warning, 'Unset it, if it was meant for infra-mcp.'));
    const given = settingsOf(server, flags, env, profile).filter(({ source }) => source !== undefined).length;
    return { config, findings: found.length > 0 ? found : [configuration.good(given === 0 ? 'nothing given: all as by default' : `${given} given, the rest as by default`)] };
  } catch (error) {
    return { findings: errorText(error).split('\n').map((line) => configuration.bad(line, 'Correct it; docs/configuration.md lists every option.')) };
  }
}

const retryAdvice = 'Correct what else is wrong first, then look again.';

/** Looks at everything. @param env stands for the environment that the server would be started in. */
export async function runChecks(server: ServerKind, flags: GivenFlags, env: NodeJS.ProcessEnv): Promise<DoctorFinding[]> {
  const { config, findings } = await readServerConfig(server, flags, env);
  if (!config) return [nodeFinding(), ...findings, findingBuilder('everything else').skipped('needs a configuration that can be meant')];
  const found = await withProgress('Looking', async (tell) => {
    const all: DoctorFinding[] = [];
    for (const { does, about, of, find } of checks) {
      if (!of.includes(server)) continue;
      tell(does);
      all.push(...(await find(config).catch((error: unknown) => [findingBuilder(about).bad(errorText(error), retryAdvice)])));
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
  return bad === 0 ? styled('green', 'Nothing is wrong.') : styled('red', `${bad} ${bad === 1 ? 'thing is' : 'things are'} wrong; what to do is said beside each.`);
};

/**
 * `infra-mcp doctor`: looks at what a server needs before it is started, changing nothing. The exit code is 1 when
 * something is wrong.
 */
export async function doctorCommand(server: ServerKind, flags: GivenFlags, { json }: { json?: boolean }): Promise<void> {
  const findings = await runChecks(server, flags, process.env);
  // What is wrong with a profile is among the findings.
  const profile = await chosenProfile(server, flags, process.env).catch((): Profile | undefined => undefined);
  const settings = settingsOf(server, flags, process.env, profile);
  const isWell = findings.every(({ state }) => state !== 'bad');
  if (!isWell) process.exitCode = 1;
  const asData = { ok: isWell, findings, settings: settings.map(({ option, source, value }) => ({ name: option.env, value, source: source ?? 'default' })) };
  const tables = () => [columns(['', 'what', 'found'], findings.map(findingRow)), columns(['option', 'value', 'from'], settings.map(settingRow)), `${verdict(findings)}\n`];
  process.stdout.write(json ? `${JSON.stringify(asData)}\n` : tables().join('\n'));
}
