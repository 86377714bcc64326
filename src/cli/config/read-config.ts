import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import type { CommandName } from './fields.ts';
import { profileConflicts, givenOptions, type GivenFlags, type GivenOption, type Profile } from './given-options.ts';
import { optionHelp, type OptionHelp, optionsOf, type OptionValues } from './option-help.ts';

export { choicesOf, type CommandName, flagOf, enumOf, integerBetween } from './fields.ts';
export type { GivenFlags, Profile } from './given-options.ts';
export { chosenProfile, profileNames } from './profiles.ts';
export { optionHelp, type OptionHelp, type OptionName, optionsOf } from './option-help.ts';
export { logLevels } from './options.ts';

/** The options of one run. Those that its command doesn't take have their defaults. */
export type Config = OptionValues & { readonly dataDir: string };

/** The options as given don't hold. The message has a line for each that is wrong, and shows no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const contradictions: readonly { readonly when: (read: OptionValues, command: CommandName) => unknown; readonly says: string }[] = [
  {
    when: ({ apiToken, apiTokenFile }) => apiToken !== undefined && apiTokenFile !== undefined,
    says: 'INFRA_API_TOKEN and INFRA_API_TOKEN_FILE are both given. Give one, so that it is plain which token is used.',
  },
  {
    when: ({ token, tokenFile }) => token !== undefined && tokenFile !== undefined,
    says: '--token and --token-file are both given. Give one, so that it is plain which token is used.',
  },
  {
    when: ({ auditFile, auditCommand }) => auditFile !== undefined && auditCommand !== undefined,
    says: 'INFRA_AUDIT_FILE and INFRA_AUDIT_COMMAND are both given. Give one, so that it is plain where calls are recorded.',
  },
  {
    // Over HTTP each caller may bring their own.
    when: ({ baseUrl, apiToken, apiTokenFile }, command) => command !== 'http' && baseUrl && apiToken === undefined && apiTokenFile === undefined,
    says: 'INFRA_BASE_URL is given without a token. Set INFRA_API_TOKEN or INFRA_API_TOKEN_FILE; without INFRA_BASE_URL the embedded platform is used.',
  },
  {
    when: ({ baseUrl, apiToken, apiTokenFile }) => !baseUrl && (apiToken !== undefined || apiTokenFile !== undefined),
    says: 'An API token is given without INFRA_BASE_URL. Set INFRA_BASE_URL too, or remove the token: it would not be used, and calls meant for a real platform would reach the embedded one.',
  },
  {
    when: ({ baseUrl, scenario }) => baseUrl !== undefined && scenario !== undefined,
    says: 'A scenario is given with INFRA_BASE_URL. Leave one out: scenarios are of the embedded platform, and nothing is put onto another one.',
  },
  {
    when: ({ control, steppedTime }) => steppedTime !== undefined && !control,
    says: 'A stepped time is given without --control. Give that too: time would never move.',
  },
  {
    when: ({ oauthIssuer, publicUrl }) => oauthIssuer !== undefined && publicUrl === undefined,
    says: 'INFRA_OAUTH_ISSUER is given without INFRA_HTTP_PUBLIC_URL. Set it to the address of the MCP endpoint as clients reach it: access tokens have to be issued for it.',
  },
  {
    when: ({ oauthIssuer, oauthAudience, oauthJwksUrl }) => oauthIssuer === undefined && (oauthAudience ?? oauthJwksUrl) !== undefined,
    says: 'INFRA_OAUTH_AUDIENCE or INFRA_OAUTH_JWKS_URL is given without INFRA_OAUTH_ISSUER. Set the issuer too, or remove them: no access token would be taken.',
  },
];

const prefix = 'INFRA_';
/** Edits that may lie between a name and the one that was meant. */
const maxEdits = 2;

const isNear = ({ name, meant }: { name: string; meant: string }): boolean => distance(name.toUpperCase(), meant) <= maxEdits;

/** The variables of our prefix that are no option: near ones are mistakes, the others may be someone else's. */
const unknownVariables = (env: NodeJS.ProcessEnv): { readonly mistakes: string[]; readonly warnings: string[] } => {
  const known = optionHelp.map((option) => option.env);
  const unknown = Object.keys(env).filter((name) => name.toUpperCase().startsWith(prefix) && !known.includes(name));
  const told = unknown.map((name) => ({ name, meant: closest(name.toUpperCase(), known) }));
  return {
    mistakes: told.filter(isNear).map(({ name, meant }) => `${name} is no option of infra-mcp. Did you mean ${meant}? Rename or unset it.`),
    warnings: told.filter((one) => !isNear(one)).map(({ name }) => `${name} is no option of infra-mcp and is ignored.`),
  };
};

/** What others see that only this program should know. */
const exposedFlags = (given: readonly GivenOption[]): string[] =>
  given.flatMap(({ option: { flag, insteadOfFlag }, source }) =>
    insteadOfFlag !== undefined && source === flag ? [`${source} is on the command line, where others on this machine see its value in the list of processes. Give ${insteadOfFlag} instead.`] : [],
  );

/** Where data lies unless an option says otherwise. */
export const defaultDataDir = ({ XDG_DATA_HOME: xdg }: NodeJS.ProcessEnv): string =>
  join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share'), 'infra-mcp');

/** What an option has, for people to read. */
export interface Setting {
  readonly option: OptionHelp;
  /** The flag, variable or profile that gave it; absent where it has its default. */
  readonly source?: string;
  /** Never a secret; absent where nothing holds. */
  readonly value?: string;
}

/** A value as it may be shown: without the credentials that an address may carry. */
const displayedValue = ({ secret }: OptionHelp, text: string): string => {
  const url = URL.parse(text);
  if (secret) return '(given, not shown)';
  return url && (url.username || url.password || url.search) ? `${url.origin}${url.pathname} (the rest is not shown)` : text;
};

/** What each option of a command has, and where from. Takes what readConfig does, and never fails. */
export function settingsOf(command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv, profile?: Profile): Setting[] {
  const given = givenOptions(command, flags, env, profile);
  return optionsOf(command).map((option) => {
    const found = given.find((one) => one.option === option);
    if (found) return { option, source: found.source, value: displayedValue(option, found.text) };
    return { option, value: option.name === 'dataDir' ? defaultDataDir(env) : option.defaultText };
  });
}

/**
 * Reads the options of a command. A flag wins over the environment; nothing stands beside a profile that gives it too.
 * @returns the configuration, and what the operator should hear of without being stopped.
 * @throws ConfigError naming every option that is wrong.
 */
export function readConfig(
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
  profile?: Profile,
): { readonly config: Config; readonly warnings: readonly string[] } {
  const { mistakes, warnings } = unknownVariables(env);
  const given = givenOptions(command, flags, env, profile);
  const beside = profile ? profileConflicts(command, flags, env, profile) : [];
  const empty = given.filter(({ text }) => text.trim() === '').map(({ source }) => `${source} is empty. Give it a value, or leave it out.`);
  const read = given.map(({ option: { name, createSchema: reading }, source, text }) => ({ name, source, ...reading().safeParse(text) }));
  const wrong = read.flatMap(({ source, error }) => (error?.issues ?? []).map(({ message }) => `${source} ${message}.`));
  const values = Object.fromEntries([...optionHelp.map((option) => [option.name, option.defaultValue]), ...read.map(({ name, data }) => [name, data])]) as OptionValues;
  const against = wrong.length === 0 ? contradictions.filter(({ when }) => when(values, command)).map(({ says }) => says) : [];
  const faults = [...mistakes, ...beside, ...(empty.length > 0 ? empty : [...wrong, ...against])];
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  if (values.profile !== profile?.name) throw new Error(`The profile ${values.profile} is chosen and was not read.`);
  return { config: { ...values, dataDir: values.dataDir ?? defaultDataDir(env) }, warnings: [...warnings, ...exposedFlags(given)] };
}
