import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/limits.ts';
import { address, command, oneOf, optional, path, preset, whole, within, wordList, words, yesOrNo } from './fields.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const factor = () => within('a number from 0 to 1000', (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000)().transform(Number);

/** Options of the server and of the embedded platform: how their text is read, and where they may be given. */
export const options = {
  baseUrl: optional(address, {
    env: 'INFRA_BASE_URL', value: 'url', commands: ['stdio', 'http'],
    description: 'Address of a real platform. Needs a token.', fallback: 'the embedded platform',
  }),
  apiToken: optional(words, {
    env: 'INFRA_API_TOKEN', commands: ['stdio', 'http'], environmentOnly: true, secret: true,
    description: "API token for the platform at INFRA_BASE_URL, as its console showed it. `Bearer <jwt>` is sent as that.",
  }),
  apiTokenFile: optional(path, {
    env: 'INFRA_API_TOKEN_FILE', value: 'path', commands: ['stdio', 'http'],
    description: 'File that holds the API token instead, and nothing else.',
  }),
  readOnly: preset(yesOrNo, false, {
    env: 'INFRA_READ_ONLY', commands: ['stdio', 'http', 'tools'],
    description: 'Offer only the tools that read.',
  }),
  policyFile: optional(path, {
    env: 'INFRA_POLICY_FILE', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'File of rules, in YAML or JSON, that allow, deny, freeze and bound calls.',
  }),
  maxDisruptivePerHour: optional(whole(0, 1_000_000), {
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
  requestTimeout: preset(whole(1, 50), 30, {
    env: 'INFRA_REQUEST_TIMEOUT', value: 'seconds', commands: ['stdio', 'http'],
    description: "Longest wait for the platform's answer to one request.",
  }),
  logLevel: preset(oneOf(logLevels), 'warn', {
    env: 'INFRA_LOG_LEVEL', value: 'level', commands: ['stdio', 'http', 'platform'],
    description: `What is logged to stderr: ${logLevels.join(', ')}.`,
  }),
  dataDir: optional(path, {
    env: 'INFRA_DATA_DIR', value: 'path', commands: ['stdio', 'http', 'platform', 'token', 'backup', 'restore', 'approve', 'audit'],
    description: 'Directory of the embedded platform, of approvals and of the audit log.', fallback: '$XDG_DATA_HOME/infra-mcp or ~/.local/share/infra-mcp',
  }),
  timeScale: preset(factor, 1, {
    env: 'INFRA_TIME_SCALE', value: 'factor', commands: ['stdio', 'http', 'platform'],
    description: 'Multiplies the durations of the embedded platform: 0.05 is twenty times faster, 0 instant, 2 half as fast.',
  }),
  rateLimit: preset(whole(1, 1_000_000_000), defaultRateLimit, {
    env: 'INFRA_RATE_LIMIT', value: 'requests', commands: ['stdio', 'http', 'platform'],
    description: 'Requests that a token may make to the embedded platform in one window.',
  }),
  rateWindow: preset(whole(1, 86_400), defaultRateWindowSeconds, {
    env: 'INFRA_RATE_WINDOW', value: 'seconds', commands: ['stdio', 'http', 'platform'],
    description: 'Length of that window.',
  }),
  allowPrivateWebhookTargets: preset(yesOrNo, false, {
    env: 'INFRA_ALLOW_PRIVATE_WEBHOOK_TARGETS', commands: ['stdio', 'http', 'platform'],
    description: 'Let webhooks of the embedded platform reach private and loopback addresses.',
  }),
  scenario: optional(wordList, {
    env: 'INFRA_SCENARIO', value: 'name', commands: ['stdio', 'http', 'platform'], repeatable: true,
    description: 'Failure to put onto the organization of the embedded platform; several with commas or by repeating it, `all` for every one. docs/scenarios.md has them.',
  }),
  host: preset(words, '127.0.0.1', {
    env: 'INFRA_PLATFORM_HOST', value: 'address', commands: ['platform'],
    description: 'Address to listen on. Anything but loopback lets other machines in.',
  }),
  port: preset(whole(0, 65_535), 0, {
    env: 'INFRA_PLATFORM_PORT', value: 'port', commands: ['platform'],
    description: 'Port to listen on; 0 takes any free one.',
  }),
  token: optional(within('a token: visible characters without spaces', (value) => /^[\x21-\x7e]+$/.test(value)), {
    env: 'INFRA_PLATFORM_TOKEN', value: 'token', commands: ['platform'], secret: true, insteadOfFlag: '--token-file or INFRA_PLATFORM_TOKEN',
    description: 'Token to accept as an administrator. As a flag others on the machine see it; `--token-file` keeps it.', fallback: 'one is made when the directory is new',
  }),
  tokenFile: optional(path, {
    env: 'INFRA_PLATFORM_TOKEN_FILE', value: 'path', commands: ['platform'],
    description: 'File to read that token from; made, with a new token, when missing.',
  }),
};
