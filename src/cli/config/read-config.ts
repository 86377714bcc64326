import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../files/index.ts';
import { closest, distance } from 'fastest-levenshtein';
import { placeholderIn, valueFault, type ValueFault } from '../../contract/index.ts';
import { proxyProblems } from '../../outgoing/index.ts';
import { httpAddress, type CommandName } from './fields.ts';
import { profileConflicts, givenOptions, type GivenFlags, type GivenOption, type Profile } from './given-options.ts';
import { serviceLinksIn, variablePrefix } from './service-links.ts';
import { optionHelp, type OptionHelp, optionsOf, type OptionValues } from './option-help.ts';

export { choicesOf, type CommandName, flagOf, enumListOf, enumOf, integerBetween } from './fields.ts';
export type { GivenFlags, Profile } from './given-options.ts';
export { chosenProfile, profileNames } from './profiles.ts';
export { kindOf, optionHelp, type OptionHelp, type OptionName, optionsOf } from './option-help.ts';
export { logLevels } from './options.ts';

/** The options of one run. Options that the command doesn't take have their defaults. */
export type Config = OptionValues & { readonly dataDir: string; readonly keysDir: string };

/** The options are invalid. The message has one line for each problem and shows no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const contradictions: readonly {
  readonly when: (values: OptionValues, command: CommandName) => unknown;
  readonly message: string;
}[] = [
  {
    when: ({ apiToken, apiTokenFile }) => apiToken !== undefined && apiTokenFile !== undefined,
    message: 'INFRA_API_TOKEN and INFRA_API_TOKEN_FILE are both set. Set only one.',
  },
  {
    when: ({ token, tokenFile }) => token !== undefined && tokenFile !== undefined,
    message: '--token and --token-file are both set. Set only one.',
  },
  {
    when: ({ auditFile, auditCommand }) => auditFile !== undefined && auditCommand !== undefined,
    message: 'INFRA_AUDIT_FILE and INFRA_AUDIT_COMMAND are both set. Set only one.',
  },
  {
    when: ({ approvalsChat, approvalsOperators }) => approvalsChat !== undefined && approvalsOperators === undefined,
    message:
      'INFRA_APPROVALS_CHAT is set without INFRA_APPROVALS_OPERATORS. Name the operators file too: it says who of the chat may decide what.',
  },
  {
    when: ({ approvalsWebhookSecret, approvalsWebhookSecretFile }) =>
      approvalsWebhookSecret !== undefined && approvalsWebhookSecretFile !== undefined,
    message: 'INFRA_APPROVALS_WEBHOOK_SECRET and INFRA_APPROVALS_WEBHOOK_SECRET_FILE are both set. Set only one.',
  },
  {
    when: ({ approvalsWebhookUrl, approvalsWebhookSecret, approvalsWebhookSecretFile }) =>
      approvalsWebhookUrl !== undefined && (approvalsWebhookSecret ?? approvalsWebhookSecretFile) === undefined,
    message:
      'INFRA_APPROVALS_WEBHOOK_URL is set without a secret. Set INFRA_APPROVALS_WEBHOOK_SECRET or INFRA_APPROVALS_WEBHOOK_SECRET_FILE too: without signatures, anyone who finds the receiver could send operators to their own page.',
  },
  {
    when: ({ approvalsWebhookUrl, approvalsWebhookSecret, approvalsWebhookSecretFile }) =>
      approvalsWebhookUrl === undefined && (approvalsWebhookSecret ?? approvalsWebhookSecretFile) !== undefined,
    message:
      'A secret for the approvals webhook is set without INFRA_APPROVALS_WEBHOOK_URL. Set the URL too, or remove the secret: otherwise no notification would be sent.',
  },
  {
    // Over HTTP each caller can send its own token.
    when: ({ baseUrl, apiToken, apiTokenFile }, command) =>
      command !== 'http' && baseUrl && apiToken === undefined && apiTokenFile === undefined,
    message:
      'INFRA_BASE_URL is set without a token. Set INFRA_API_TOKEN or INFRA_API_TOKEN_FILE; without INFRA_BASE_URL the embedded platform is used.',
  },
  {
    when: ({ baseUrl, apiToken, apiTokenFile }) => !baseUrl && (apiToken !== undefined || apiTokenFile !== undefined),
    message:
      'An API token is set without INFRA_BASE_URL. Set INFRA_BASE_URL too, or remove the token: otherwise calls meant for a remote platform would reach the embedded one.',
  },
  {
    when: ({ baseUrl, scenario }) => baseUrl !== undefined && scenario !== undefined,
    message:
      'A scenario is set together with INFRA_BASE_URL. Remove one: scenarios apply only to the embedded platform.',
  },
  {
    when: ({ control, steppedTime }) => steppedTime !== undefined && !control,
    message: 'A stepped time is set without --control. Add --control: otherwise time would never advance.',
  },
  {
    when: ({ oauthIssuer, publicUrl }) => oauthIssuer !== undefined && publicUrl === undefined,
    message:
      'INFRA_OAUTH_ISSUER is set without INFRA_HTTP_PUBLIC_URL. Set INFRA_HTTP_PUBLIC_URL to the URL of the MCP endpoint as clients see it: access tokens must be issued for it.',
  },
  {
    when: ({ oauthIssuer, oauthAudience, oauthJwksUrl }) =>
      oauthIssuer === undefined && (oauthAudience ?? oauthJwksUrl) !== undefined,
    message:
      'INFRA_OAUTH_AUDIENCE or INFRA_OAUTH_JWKS_URL is set without INFRA_OAUTH_ISSUER. Set the issuer too, or remove them: otherwise no access token would be accepted.',
  },
];

const databaseVariable = 'INFRA_DATABASE_URL';
/** Maximum edit distance between a misspelled variable and its suggestion. */
const maxEdits = 2;

const isMisspelled = ({ name, nearest }: { name: string; nearest: string }): boolean =>
  distance(name.toUpperCase(), nearest) <= maxEdits;

/**
 * Variables with the prefix INFRA_ that are not options. Misspelled options are errors; the others may belong to
 * another program.
 */
const unknownVariables = (env: NodeJS.ProcessEnv): { readonly mistakes: string[]; readonly warnings: string[] } => {
  const known = optionHelp.map((option) => option.env);
  const own = Object.keys(env).filter((name) => name.toUpperCase().startsWith(variablePrefix));
  const links = serviceLinksIn(env);
  const ofServices = own.filter((name) => links.has(name));
  const unknown = own.filter((name) => !links.has(name) && !known.includes(name));
  const suggestions = unknown.map((name) => ({ name, nearest: closest(name.toUpperCase(), known) }));
  return {
    mistakes: suggestions
      .filter(isMisspelled)
      .map(
        ({ name, nearest }) => `${name} is not an option of infra-mcp. Did you mean ${nearest}? Rename or unset it.`,
      ),
    warnings: [
      ...(ofServices.length > 0
        ? [
            `Kubernetes sets variables about its Services, and some start like options of infra-mcp: ${ofServices.join(', ')}. They are ignored; enableServiceLinks: false in the pod's spec leaves them out.`,
          ]
        : []),
      ...suggestions
        .filter((one) => !isMisspelled(one))
        .map(({ name }) => `${name} is not an option of infra-mcp and is ignored.`),
    ],
  };
};

/** Warnings about variables that a command doesn't use although the user may expect it. */
const unusedVariables = (command: CommandName, env: NodeJS.ProcessEnv, { baseUrl }: OptionValues): string[] =>
  ['stdio', 'console'].includes(command) && baseUrl === undefined && env[databaseVariable] !== undefined
    ? [
        `${databaseVariable} is set, and ${command === 'stdio' ? 'a server on stdin and stdout' : 'this command'} doesn't use the database: its platform is in the data directory. To work on the platform of that database, set INFRA_BASE_URL to the address of one of its processes, with a token; otherwise unset it here.`,
      ]
    : [];

/** What is wrong with an option's text because nobody has filled in its value. */
const faultOf = ({ name, secret, createSchema }: OptionHelp, text: string): ValueFault | undefined => {
  // Only its shell knows what the signs in a command mean.
  if (name === 'auditCommand') return undefined;
  return secret === true || createSchema === httpAddress ? valueFault(text) : placeholderIn(text);
};

/** Warnings about secrets on the command line. */
const exposedFlags = (given: readonly GivenOption[]): string[] =>
  given.flatMap(({ option: { flag, insteadOfFlag }, source }) =>
    insteadOfFlag !== undefined && source === flag
      ? [
          `${source} is on the command line, where other users of this machine can see its value in the process list. Use ${insteadOfFlag} instead.`,
        ]
      : [],
  );

/** The default data directory. */
export const defaultDataDir = ({ XDG_DATA_HOME: xdg }: NodeJS.ProcessEnv): string =>
  join(xdg && isAbsolute(xdg) ? xdg : join(homeFolder(), '.local', 'share'), 'infra-mcp');

/** The value of an option, for display. */
export interface Setting {
  readonly option: OptionHelp;
  /** The flag, variable or profile that sets it; absent for a default. */
  readonly source?: string;
  /** Never a secret; absent if the option has no value. */
  readonly value?: string;
}

/** A value for display, without secrets and without credentials in a URL. */
const displayedValue = ({ secret }: OptionHelp, text: string): string => {
  const url = URL.parse(text);
  if (secret) return '(given, not shown)';
  return url && (url.username || url.password || url.search)
    ? `${url.origin}${url.pathname} (the rest is not shown)`
    : text;
};

/** The value and source of each option of a command. Takes the arguments of `readConfig`, but never throws. */
export function settingsOf(
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
  profile?: Profile,
): Setting[] {
  const given = givenOptions(command, flags, env, profile);
  return optionsOf(command).map((option) => {
    const found = given.find((one) => one.option === option);
    if (found) return { option, source: found.source, value: displayedValue(option, found.text) };
    return { option, value: option.name === 'dataDir' ? defaultDataDir(env) : option.defaultText };
  });
}

/**
 * Reads the options of a command. A flag takes precedence over the environment. An option that the profile sets too is
 * an error.
 * @returns the configuration, and warnings for the operator.
 * @throws ConfigError that names every invalid option.
 */
export function readConfig(
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
  profile?: Profile,
): { readonly config: Config; readonly warnings: readonly string[] } {
  const { mistakes, warnings } = unknownVariables(env);
  const given = givenOptions(command, flags, env, profile);
  const conflicts = profile ? profileConflicts(command, flags, env, profile) : [];
  const empty = given
    .filter(({ text }) => text.trim() === '')
    .map(({ source }) => `${source} is empty. Set a value, or remove it.`);
  const unfilled = given.flatMap(({ option, source, text }) => {
    const fault = faultOf(option, text);
    return fault ? [`${source} ${fault.what}. ${fault.next}`] : [];
  });
  const parsed = given.map(({ option: { name, createSchema }, source, text }) => ({
    name,
    source,
    ...createSchema().safeParse(text),
  }));
  const invalid = parsed.flatMap(({ source, error }) =>
    (error?.issues ?? []).map(({ message }) => `${source} ${message}.`),
  );
  const values = Object.fromEntries([
    ...optionHelp.map((option) => [option.name, option.defaultValue]),
    ...parsed.map(({ name, data }) => [name, data]),
  ]) as OptionValues;
  const contradictory =
    invalid.length === 0
      ? contradictions.filter(({ when }) => when(values, command)).map(({ message }) => message)
      : [];
  const faults = [
    ...mistakes,
    ...proxyProblems(env),
    ...conflicts,
    ...(empty.length + unfilled.length > 0 ? [...empty, ...unfilled] : [...invalid, ...contradictory]),
  ];
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  if (values.profile !== profile?.name) throw new Error(`The profile ${values.profile} is chosen and was not read.`);
  const dataDir = values.dataDir ?? defaultDataDir(env);
  return {
    config: { ...values, dataDir, keysDir: values.keysDir ?? dataDir },
    warnings: [...warnings, ...unusedVariables(command, env, values), ...exposedFlags(given)],
  };
}
