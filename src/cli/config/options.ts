import * as z from 'zod';
import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/limits.ts';
import { httpAddress, command, enumOf, optional, path, withDefault, integerBetween, textMatching, nameList, anyText, booleanText } from './fields.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const factor = () => textMatching('a number from 0 to 1000', (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000)().transform(Number);

/** Options of the server and of the embedded platform: how their text is read, and where they may be given. */
export const options = {
  baseUrl: optional(httpAddress, {
    env: 'INFRA_BASE_URL', value: 'url', commands: ['stdio', 'http'],
    description: 'Address of a real platform. Needs a token.', fallback: 'the embedded platform',
  }),
  apiToken: optional(anyText, {
    env: 'INFRA_API_TOKEN', commands: ['stdio', 'http'], environmentOnly: true, secret: true,
    description: "API token for the platform at INFRA_BASE_URL, as its console showed it. `Bearer <jwt>` is sent as that.",
  }),
  apiTokenFile: optional(path, {
    env: 'INFRA_API_TOKEN_FILE', value: 'path', commands: ['stdio', 'http'],
    description: 'File that holds the API token instead, and nothing else.',
  }),
  readOnly: withDefault(booleanText, false, {
    env: 'INFRA_READ_ONLY', commands: ['stdio', 'http', 'tools'],
    description: 'Offer only the tools that read.',
  }),
  policyFile: optional(path, {
    env: 'INFRA_POLICY_FILE', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'File of rules, in YAML or JSON, that allow, deny, freeze and bound calls.',
  }),
  maxDisruptivePerHour: optional(integerBetween(0, 1_000_000), {
    env: 'INFRA_MAX_DISRUPTIVE_PER_HOUR', value: 'calls', commands: ['stdio', 'http'],
    description: 'Most disruptive or graver calls that are let through in any 60 minutes.',
  }),
  auditFile: optional(path, {
    env: 'INFRA_AUDIT_FILE', value: 'path', commands: ['stdio', 'http', 'approve', 'audit'],
    description: 'File that every call and every decision of the operator is recorded in.', fallback: 'audit.jsonl in the data directory',
  }),
  auditCommand: optional(command, {
    env: 'INFRA_AUDIT_COMMAND', value: 'json', commands: ['stdio', 'http', 'approve'], secret: true,
    description: 'Command that gets the records on its standard input instead; it is started without a shell.',
  }),
  requestTimeout: withDefault(integerBetween(1, 50), 30, {
    env: 'INFRA_REQUEST_TIMEOUT', value: 'seconds', commands: ['stdio', 'http'],
    description: "Longest wait for the platform's answer to one request.",
  }),
  logLevel: withDefault(enumOf(logLevels), 'warn', {
    env: 'INFRA_LOG_LEVEL', value: 'level', commands: ['stdio', 'http', 'platform'],
    description: `What is logged to stderr: ${logLevels.join(', ')}.`,
  }),
  dataDir: optional(path, {
    env: 'INFRA_DATA_DIR', value: 'path', commands: ['stdio', 'http', 'platform', 'token', 'backup', 'restore', 'approve', 'audit'],
    description: 'Directory of the embedded platform, of approvals and of the audit log.', fallback: '$XDG_DATA_HOME/infra-mcp or ~/.local/share/infra-mcp',
  }),
  timeScale: withDefault(factor, 1, {
    env: 'INFRA_TIME_SCALE', value: 'factor', commands: ['stdio', 'http', 'platform'],
    description: 'Multiplies the durations of the embedded platform: 0.05 is twenty times faster, 0 instant, 2 half as fast.',
  }),
  rateLimit: withDefault(integerBetween(1, 1_000_000_000), defaultRateLimit, {
    env: 'INFRA_RATE_LIMIT', value: 'requests', commands: ['stdio', 'http', 'platform'],
    description: 'Requests that a token may make to the embedded platform in one window.',
  }),
  rateWindow: withDefault(integerBetween(1, 86_400), defaultRateWindowSeconds, {
    env: 'INFRA_RATE_WINDOW', value: 'seconds', commands: ['stdio', 'http', 'platform'],
    description: 'Length of that window.',
  }),
  allowPrivateWebhookTargets: withDefault(booleanText, false, {
    env: 'INFRA_ALLOW_PRIVATE_WEBHOOK_TARGETS', commands: ['stdio', 'http', 'platform'],
    description: 'Let webhooks of the embedded platform reach private and loopback addresses.',
  }),
  scenario: optional(nameList, {
    env: 'INFRA_SCENARIO', value: 'name', commands: ['stdio', 'http', 'platform'], repeatable: true,
    description: 'Failure to put onto the organization of the embedded platform; several with commas or by repeating it, `all` for every one. docs/scenarios.md has them.',
  }),
  host: withDefault(anyText, '127.0.0.1', {
    env: 'INFRA_PLATFORM_HOST', value: 'address', commands: ['platform'],
    description: 'Address to listen on. Anything but loopback lets other machines in.',
  }),
  port: withDefault(integerBetween(0, 65_535), 0, {
    env: 'INFRA_PLATFORM_PORT', value: 'port', commands: ['platform'],
    description: 'Port to listen on; 0 takes any free one.',
  }),
  token: optional(textMatching('a token: visible characters without spaces', (value) => /^[\x21-\x7e]+$/.test(value)), {
    env: 'INFRA_PLATFORM_TOKEN', value: 'token', commands: ['platform'], secret: true, insteadOfFlag: '--token-file or INFRA_PLATFORM_TOKEN',
    description: 'Token to accept as an administrator. As a flag others on the machine see it; `--token-file` keeps it.', fallback: 'one is made when the directory is new',
  }),
  tokenFile: optional(path, {
    env: 'INFRA_PLATFORM_TOKEN_FILE', value: 'path', commands: ['platform'],
    description: 'File to read that token from; made, with a new token, when missing.',
  }),
};

const profileName = textMatching('a name of letters, digits, - and _', (value) => /^[\w-]+$/.test(value));
const resourceName = () => anyText().transform((value) => value.trim());

/** Options that say which platform, how much of it, and which tools a server is for. */
export const scopeOptions = {
  profile: optional(profileName, {
    env: 'INFRA_PROFILE', value: 'name', commands: ['stdio', 'http', 'tools'],
    description: 'Profile to take options from: one of several platforms or organizations, by the name it has in the file of profiles.',
  }),
  profilesFile: optional(path, {
    env: 'INFRA_PROFILES_FILE', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'File of profiles, in YAML or JSON.', fallback: '$XDG_CONFIG_HOME/infra-mcp/profiles.yaml or ~/.config/infra-mcp/profiles.yaml',
  }),
  toolsets: optional(nameList, {
    env: 'INFRA_TOOLSETS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Groups of tools to offer, separated by commas: `core` has what daily work needs, docs/tools.md has them all.', fallback: 'every tool',
  }),
  tools: optional(nameList, {
    env: 'INFRA_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools to offer, beside those of the groups where groups are given.', fallback: 'every tool',
  }),
  excludeTools: withDefault(nameList, [], {
    env: 'INFRA_EXCLUDE_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools not to offer, whatever else is given.', fallback: 'none',
  }),
  project: optional(resourceName, {
    env: 'INFRA_PROJECT', value: 'name', commands: ['stdio', 'http', 'tools'],
    description: 'Project, by name or id, that every call is kept to: tools need not be told it, and nothing of another project is reached.',
  }),
  environment: optional(resourceName, {
    env: 'INFRA_ENVIRONMENT', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'Environment, as project/environment or by its id, that every call is kept to in the same way.',
  }),
};

const isMoment = (value: string): boolean => value === 'now' || z.iso.datetime({ offset: true }).safeParse(value).success;

/** A moment in milliseconds since 1970. */
const moment = () =>
  textMatching('now, or a moment such as 2026-03-01T12:00:00Z', isMoment)().transform((value) => (value === 'now' ? Date.now() : Date.parse(value)));

/** Options of the platform command for whoever tests with it: how their text is read, and where they may be given. */
export const testingOptions = {
  control: withDefault(booleanText, false, {
    env: 'INFRA_PLATFORM_CONTROL', commands: ['platform'],
    description: 'Let requests control time, faults and snapshots, with a token of their own that is printed when the platform is ready.',
  }),
  steppedTime: optional(moment, {
    env: 'INFRA_STEPPED_TIME', value: 'moment', commands: ['platform'],
    description: 'Have time stand still, in a new data directory at this moment, until a control request moves it. Needs --control.', fallback: 'time passes',
  }),
  randomSeed: optional(anyText, {
    env: 'INFRA_RANDOM_SEED', value: 'text', commands: ['platform'],
    description: 'Make ids and chance the same from one new data directory to the next.', fallback: 'they differ',
  }),
  faultsFile: optional(path, {
    env: 'INFRA_FAULTS_FILE', flagName: 'faults', value: 'path', commands: ['platform'],
    description: 'File of rules, in YAML or JSON, that make requests, deployments and upgrades go wrong.',
  }),
};
