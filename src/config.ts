import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { defaultRateLimit, defaultRateWindowSeconds } from './contract/limits.ts';

/** The commands that take options. */
export type CommandName = 'stdio' | 'platform' | 'token' | 'tools' | 'approve' | 'audit';

/** What is told of an option wherever it is documented. */
interface About {
  readonly env: string;
  /** What stands for its value in help texts; absent where the flag alone says yes. */
  readonly value?: string;
  readonly description: string;
  /** What holds when it isn't given, where that is worked out. */
  readonly fallback?: string;
  /** Given by environment only: command lines are shown in lists of processes. */
  readonly environmentOnly?: true;
  readonly commands: readonly CommandName[];
}

const about = z.registry<About>();

const within = (words: string, accepts: (value: string) => boolean) => z.string().refine(accepts, { error: `must be ${words}` });
const whole = (least: number, most: number) =>
  within(`a whole number from ${least} to ${most}`, (value) => /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most).transform(Number);
const path = z.string().transform((value) => resolve(value.replace(/^~(?=\/|$)/, homedir())));
const yesOrNo = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive', error: 'must be true, false, 1 or 0' });
const words = (value: string): string[] | undefined => {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === 'string') && list[0] !== '' ? list : undefined;
  } catch {
    return undefined;
  }
};
const isHttp = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Every option: how its text is read, and where it may be given. The flag is the member's name: `dataDir` → `--data-dir`. */
const Options = z.object({
  baseUrl: within('an http or https address', isHttp).optional().register(about, {
    env: 'INFRA_BASE_URL', value: 'url', commands: ['stdio'],
    description: 'Address of a real platform. Needs a token.', fallback: 'the embedded platform',
  }),
  apiToken: z.string().optional().register(about, {
    env: 'INFRA_API_TOKEN', commands: ['stdio'], environmentOnly: true,
    description: "API token for the platform at INFRA_BASE_URL, as its console showed it. `Bearer <jwt>` is sent as that.",
  }),
  apiTokenFile: path.optional().register(about, {
    env: 'INFRA_API_TOKEN_FILE', value: 'path', commands: ['stdio'],
    description: 'File that holds the API token instead, and nothing else.',
  }),
  readOnly: yesOrNo.default(false).register(about, {
    env: 'INFRA_READ_ONLY', commands: ['stdio', 'tools'],
    description: 'Offer only the tools that read.',
  }),
  policyFile: path.optional().register(about, {
    env: 'INFRA_POLICY_FILE', value: 'path', commands: ['stdio', 'tools'],
    description: 'File of rules, in YAML or JSON, that allow, deny, freeze and bound calls.',
  }),
  maxDisruptivePerHour: whole(0, 1_000_000).optional().register(about, {
    env: 'INFRA_MAX_DISRUPTIVE_PER_HOUR', value: 'calls', commands: ['stdio'],
    description: 'Most disruptive or graver calls that are let through in any 60 minutes.',
  }),
  auditFile: path.optional().register(about, {
    env: 'INFRA_AUDIT_FILE', value: 'path', commands: ['stdio', 'audit'],
    description: 'File that every call is recorded in.', fallback: 'audit.jsonl in the data directory',
  }),
  auditCommand: within('a command as a JSON list of texts, such as ["logger", "-t", "infra-mcp"]', (value) => words(value) !== undefined).transform((value) => words(value)!).optional().register(about, {
    env: 'INFRA_AUDIT_COMMAND', value: 'json', commands: ['stdio'],
    description: 'Command that gets the records on its standard input instead; it is started without a shell.',
  }),
  requestTimeout: whole(1, 50).default(30).register(about, {
    env: 'INFRA_REQUEST_TIMEOUT', value: 'seconds', commands: ['stdio'],
    description: "Longest wait for the platform's answer to one request.",
  }),
  logLevel: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('warn').register(about, {
    env: 'INFRA_LOG_LEVEL', value: 'level', commands: ['stdio', 'platform'],
    description: `What is logged to stderr: ${logLevels.join(', ')}.`,
  }),
  dataDir: path.optional().register(about, {
    env: 'INFRA_DATA_DIR', value: 'path', commands: ['stdio', 'platform', 'token', 'approve', 'audit'],
    description: 'Directory of the embedded platform, of approvals and of the audit log.', fallback: '$XDG_DATA_HOME/infra-mcp or ~/.local/share/infra-mcp',
  }),
  timeScale: within('a number from 0 to 1000', (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000).transform(Number).default(1).register(about, {
    env: 'INFRA_TIME_SCALE', value: 'factor', commands: ['stdio', 'platform'],
    description: 'Multiplies the durations of the embedded platform: 0.05 is twenty times faster, 0 instant.',
  }),
  rateLimit: whole(1, 1_000_000_000).default(defaultRateLimit).register(about, {
    env: 'INFRA_RATE_LIMIT', value: 'requests', commands: ['stdio', 'platform'],
    description: 'Requests that a token may make to the embedded platform in one window.',
  }),
  rateWindow: whole(1, 86_400).default(defaultRateWindowSeconds).register(about, {
    env: 'INFRA_RATE_WINDOW', value: 'seconds', commands: ['stdio', 'platform'],
    description: 'Length of that window.',
  }),
  allowPrivateWebhookTargets: yesOrNo.default(false).register(about, {
    env: 'INFRA_ALLOW_PRIVATE_WEBHOOK_TARGETS', commands: ['stdio', 'platform'],
    description: 'Let webhooks of the embedded platform reach private and loopback addresses.',
  }),
  host: z.string().default('127.0.0.1').register(about, {
    env: 'INFRA_PLATFORM_HOST', value: 'address', commands: ['platform'],
    description: 'Address to listen on. Anything but loopback lets other machines in.',
  }),
  port: whole(0, 65_535).default(0).register(about, {
    env: 'INFRA_PLATFORM_PORT', value: 'port', commands: ['platform'],
    description: 'Port to listen on; 0 takes any free one.',
  }),
  token: within('a token: visible characters without spaces', (value) => /^[\x21-\x7e]+$/.test(value)).optional().register(about, {
    env: 'INFRA_PLATFORM_TOKEN', value: 'token', commands: ['platform'],
    description: 'Token to accept as an administrator.', fallback: 'one is made when the directory is new',
  }),
  tokenFile: path.optional().register(about, {
    env: 'INFRA_PLATFORM_TOKEN_FILE', value: 'path', commands: ['platform'],
    description: 'File to read that token from; made, with a new token, when missing.',
  }),
});
type OptionName = keyof typeof Options.shape;
type Read = z.output<typeof Options>;

/** The options of one run. Those that its command doesn't take have their defaults. */
export type Config = Read & { readonly dataDir: string };

/** One option as help texts and documents show it. */
export interface OptionHelp extends About {
  readonly name: OptionName;
  /** `--data-dir`; absent where only the environment gives it. */
  readonly flag?: string;
  /** What holds when it isn't given, in words; absent when nothing does. */
  readonly otherwise?: string;
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const help = (name: OptionName): OptionHelp => {
  const schema = Options.shape[name];
  const told = about.get(schema)!;
  const preset = schema.parse(undefined);
  return {
    ...told, name,
    ...(!told.environmentOnly && { flag: flagOf(name) }),
    ...((told.fallback ?? preset) !== undefined && { otherwise: told.fallback ?? String(preset) }),
  };
};

/** Every option, in the order of documents. */
export const optionHelp: readonly OptionHelp[] = (Object.keys(Options.shape) as OptionName[]).map(help);

/** The options that a command takes. */
export const optionsOf = (command: CommandName): readonly OptionHelp[] => optionHelp.filter(({ commands }) => commands.includes(command));

/** The options as given don't hold. The message has a line for each that is wrong, and shows no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const contradictions: readonly { readonly when: (read: Read) => unknown; readonly says: string }[] = [
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
    when: ({ baseUrl, apiToken, apiTokenFile }) => baseUrl && apiToken === undefined && apiTokenFile === undefined,
    says: 'INFRA_BASE_URL is given without a token. Set INFRA_API_TOKEN or INFRA_API_TOKEN_FILE; without INFRA_BASE_URL the embedded platform is used.',
  },
  {
    when: ({ baseUrl, apiToken, apiTokenFile }) => !baseUrl && (apiToken !== undefined || apiTokenFile !== undefined),
    says: 'An API token is given without INFRA_BASE_URL. Set INFRA_BASE_URL too, or remove the token: it would not be used, and calls meant for a real platform would reach the embedded one.',
  },
];

const prefix = 'INFRA_';
/** Edits that may lie between a name and the one that was meant. */
const nearby = 2;

const isNear = ({ name, meant }: { name: string; meant: string }): boolean => distance(name.toUpperCase(), meant) <= nearby;

/** The variables of our prefix that are no option: near ones are mistakes, the others may be someone else's. */
const strangers = (env: NodeJS.ProcessEnv): { readonly mistakes: string[]; readonly warnings: string[] } => {
  const known = optionHelp.map((option) => option.env);
  const unknown = Object.keys(env).filter((name) => name.toUpperCase().startsWith(prefix) && !known.includes(name));
  const told = unknown.map((name) => ({ name, meant: closest(name.toUpperCase(), known) }));
  return {
    mistakes: told.filter(isNear).map(({ name, meant }) => `${name} is no option of infra-mcp. Did you mean ${meant}? Rename or unset it.`),
    warnings: told.filter((one) => !isNear(one)).map(({ name }) => `${name} is no option of infra-mcp and is ignored.`),
  };
};

const defaultDataDir = ({ XDG_DATA_HOME: xdg }: NodeJS.ProcessEnv): string =>
  join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share'), 'infra-mcp');

/**
 * Reads the options of a command. A flag wins over the environment.
 * @param flags values by option name as written; true for a flag that takes none.
 * @returns the configuration, and what the operator should hear of without being stopped.
 * @throws ConfigError naming every option that is wrong.
 */
export function readConfig(
  command: CommandName,
  flags: Readonly<Record<string, string | true | undefined>>,
  env: NodeJS.ProcessEnv,
): { readonly config: Config; readonly warnings: readonly string[] } {
  const { mistakes, warnings } = strangers(env);
  const given = optionsOf(command).flatMap((option) => {
    const flag = flags[option.name];
    const source = flag === undefined ? option.env : option.flag!;
    const text = flag === undefined ? env[option.env] : String(flag);
    return text === undefined ? [] : [{ name: option.name, source, text }];
  });
  const empty = given.filter(({ text }) => text.trim() === '').map(({ source }) => `${source} is empty. Give it a value, or leave it out.`);
  const read = Options.safeParse(Object.fromEntries(given.map(({ name, text }) => [name, text])));
  const wrong = (read.error?.issues ?? []).map(({ path: [name], message }) => `${given.find((one) => one.name === name)?.source} ${message}.`);
  const against = read.success ? contradictions.filter(({ when }) => when(read.data)).map(({ says }) => says) : [];
  const faults = [...mistakes, ...(empty.length > 0 ? empty : [...wrong, ...against])];
  if (!read.success || faults.length > 0) throw new ConfigError(faults.join('\n'));
  return { config: { ...read.data, dataDir: read.data.dataDir ?? defaultDataDir(env) }, warnings };
}
