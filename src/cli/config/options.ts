import { defaultRateLimit, defaultRateWindowSeconds, engineRateLimit } from '../../contract/index.ts';
import { runtimeNames, simulatedRuntime } from '../../platform/runtime-providers.ts';
import { pageLink } from './page-links.ts';
import {
  httpAddress,
  command,
  enumOf,
  optional,
  path,
  withDefault,
  integerBetween,
  textMatching,
  nameList,
  variableNames,
  anyText,
  booleanText,
} from './fields.ts';
import { listenHost } from './web-fields.ts';
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const factor = () =>
  textMatching('a number from 0 to 1000', (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000)().transform(
    Number,
  );

/** The commands that open what is stored, on disk or in a database. */
const storageCommands = [
  'stdio',
  'http',
  'console',
  'platform',
  'doctor platform',
  'token',
  'backup',
  'restore',
  'migrate',
  'approve',
  'audit',
] as const;

/** Options of the server and of the embedded platform. */
export const options = {
  baseUrl: optional(httpAddress, {
    env: 'INFRA_BASE_URL',
    value: 'url',
    commands: ['stdio', 'http', 'console'],
    description: 'URL of a remote platform. Requires a token.',
    fallback: 'the embedded platform',
  }),
  apiToken: optional(anyText, {
    env: 'INFRA_API_TOKEN',
    commands: ['stdio', 'http', 'console'],
    environmentOnly: true,
    secret: true,
    description:
      'API token for the platform at INFRA_BASE_URL, as shown in its console. For a JWT, write `Bearer <jwt>`.',
  }),
  apiTokenFile: optional(path, {
    env: 'INFRA_API_TOKEN_FILE',
    value: 'path',
    commands: ['stdio', 'http', 'console'],
    description: 'File that contains only the API token, as an alternative to INFRA_API_TOKEN.',
  }),
  readOnly: withDefault(booleanText, false, {
    env: 'INFRA_READ_ONLY',
    commands: ['stdio', 'http', 'tools'],
    description: 'Offer only tools that read.',
  }),
  policyFile: optional(path, {
    env: 'INFRA_POLICY_FILE',
    value: 'path',
    commands: ['stdio', 'http', 'console', 'tools'],
    description: 'Policy file in YAML or JSON: rules that allow, deny, freeze or limit calls.',
  }),
  maxDisruptivePerHour: optional(integerBetween(0, 1_000_000), {
    env: 'INFRA_MAX_DISRUPTIVE_PER_HOUR',
    value: 'calls',
    commands: ['stdio', 'http'],
    description: 'Maximum number of disruptive, destructive and sensitive calls within any 60 minutes.',
  }),
  auditFile: optional(path, {
    env: 'INFRA_AUDIT_FILE',
    value: 'path',
    commands: ['stdio', 'http', 'console', 'approve', 'audit'],
    description: 'Audit log file. Records every call and every decision of the operator.',
    fallback: 'audit.jsonl in the data directory',
  }),
  auditCommand: optional(command, {
    env: 'INFRA_AUDIT_COMMAND',
    value: 'json',
    commands: ['stdio', 'http', 'console', 'approve'],
    secret: true,
    description:
      'Command that receives the audit records on its standard input instead. It is started without a shell, and without the tokens and secrets of this program: of its environment it gets PATH, HOME, language, time zone and the like.',
  }),
  auditCommandEnv: optional(variableNames, {
    env: 'INFRA_AUDIT_COMMAND_ENV',
    value: 'names',
    commands: ['stdio', 'http', 'console', 'approve'],
    description: 'Further environment variables that this command gets, by their names, separated by commas.',
    fallback: 'none',
  }),
  approvalsWebhookUrl: optional(httpAddress, {
    env: 'INFRA_APPROVALS_WEBHOOK_URL',
    commands: ['stdio', 'http'],
    environmentOnly: true,
    secret: true,
    description:
      'URL that is notified when a call starts to wait for the operator. https, or http on this machine. Requires a secret.',
  }),
  approvalsWebhookSecret: optional(anyText, {
    env: 'INFRA_APPROVALS_WEBHOOK_SECRET',
    commands: ['stdio', 'http'],
    environmentOnly: true,
    secret: true,
    description: 'Secret that signs these notifications: `whsec_` and 24 to 64 random bytes in base64.',
  }),
  approvalsWebhookSecretFile: optional(path, {
    env: 'INFRA_APPROVALS_WEBHOOK_SECRET_FILE',
    value: 'path',
    commands: ['stdio', 'http'],
    description: 'File that contains only this secret, as an alternative to INFRA_APPROVALS_WEBHOOK_SECRET.',
  }),
  approvalsOperators: optional(path, {
    env: 'INFRA_APPROVALS_OPERATORS',
    value: 'path',
    commands: ['stdio', 'http', 'console', 'approve'],
    description:
      'Operators file in YAML or JSON: the names of those who approve calls, the hashes of their secrets, and what each of them may decide. The operator secret then decides nothing.',
    fallback: 'one operator, with the operator secret',
  }),
  approvalsChat: optional(path, {
    env: 'INFRA_APPROVALS_CHAT',
    value: 'path',
    commands: ['http'],
    description: `Chat file in YAML or JSON: the channel of Slack, Mattermost or a signed webhook where waiting calls are posted, and decided by operators of the operators file. See ${pageLink('chat-ops')}.`,
    fallback: 'no chat',
  }),
  requestTimeout: withDefault(integerBetween(1, 50, 'seconds'), 30, {
    env: 'INFRA_REQUEST_TIMEOUT',
    value: 'seconds',
    commands: ['stdio', 'http', 'console'],
    description: 'Timeout of one request to the platform.',
  }),
  logLevel: withDefault(enumOf(logLevels), 'warn', {
    env: 'INFRA_LOG_LEVEL',
    value: 'level',
    commands: ['stdio', 'http', 'console', 'platform'],
    description: `Level of the log on stderr: ${logLevels.join(', ')}.`,
  }),
  metricsPort: optional(integerBetween(0, 65_535), {
    env: 'INFRA_METRICS_PORT',
    value: 'port',
    commands: ['stdio', 'http', 'platform'],
    description: `Port to serve metrics on, at /metrics; 0 picks a free port. See ${pageLink('metrics')}.`,
    fallback: 'no metrics',
  }),
  metricsHost: withDefault(listenHost({ host: '--metrics-host', port: '--metrics-port' }), '127.0.0.1', {
    env: 'INFRA_METRICS_HOST',
    value: 'address',
    commands: ['stdio', 'http', 'platform'],
    description: 'Address to serve metrics on. Other machines can read them unless it is a loopback address.',
  }),
  dataDir: optional(path, {
    env: 'INFRA_DATA_DIR',
    value: 'path',
    commands: storageCommands,
    description: 'Directory for the embedded platform, approvals and the audit log.',
    fallback: '$XDG_DATA_HOME/infra-mcp or ~/.local/share/infra-mcp',
  }),
  keysDir: optional(path, {
    env: 'INFRA_KEYS_DIR',
    value: 'path',
    commands: storageCommands,
    description:
      "Directory with the keys that seal secrets, approvals and the audit log, and with the operator's secret. Processes on one database need the same.",
    fallback: 'the data directory',
  }),
  databaseUrl: optional(
    textMatching('a postgres:// address', (value) => /^postgres(?:ql)?:\/\//.test(value)),
    {
      env: 'INFRA_DATABASE_URL',
      value: 'url',
      commands: ['http', 'platform', 'doctor platform', 'token', 'backup', 'restore', 'migrate', 'approve', 'audit'],
      environmentOnly: true,
      secret: true,
      description: `Address of a PostgreSQL database for everything that several processes share, such as postgres://user@host:5432/name?passwordfile=/path. See ${pageLink('run-for-a-team')}.`,
      fallback: 'databases in the data directory',
    },
  ),
  timeScale: withDefault(factor, 1, {
    env: 'INFRA_TIME_SCALE',
    value: 'factor',
    commands: ['stdio', 'http', 'platform'],
    description:
      'Factor for durations of the embedded platform: 0.05 is twenty times faster, 0 is instant, 2 is half as fast.',
  }),
  rateLimit: optional(integerBetween(1, 1_000_000_000), {
    env: 'INFRA_RATE_LIMIT',
    value: 'requests',
    commands: ['stdio', 'http', 'platform'],
    description: 'Maximum number of requests to the embedded platform for each token and rate limit window.',
    fallback: `${defaultRateLimit}; ${engineRateLimit} with real clusters`,
  }),
  rateWindow: withDefault(integerBetween(1, 86_400, 'seconds'), defaultRateWindowSeconds, {
    env: 'INFRA_RATE_WINDOW',
    value: 'seconds',
    commands: ['stdio', 'http', 'platform'],
    description: 'Length of the rate limit window.',
  }),
  allowPrivateWebhookTargets: withDefault(booleanText, false, {
    env: 'INFRA_ALLOW_PRIVATE_WEBHOOK_TARGETS',
    commands: ['stdio', 'http', 'platform'],
    description:
      'Allow webhooks of the embedded platform, and Helm repositories whose charts it lists, to have private and loopback addresses.',
  }),
  scenario: optional(nameList, {
    env: 'INFRA_SCENARIO',
    value: 'name',
    commands: ['stdio', 'http', 'platform'],
    repeatable: true,
    description: `Failure scenario to apply to the embedded platform. Separate several with commas or repeat the option; \`all\` applies every scenario. See ${pageLink('scenarios')}.`,
  }),
  runtime: withDefault(enumOf([simulatedRuntime, ...runtimeNames]), simulatedRuntime, {
    env: 'INFRA_RUNTIME',
    value: 'name',
    commands: ['platform'],
    description: `Where services run: \`${simulatedRuntime}\` runs nothing, \`docker\` runs them on an engine in swarm mode. See ${pageLink('run-a-platform')}.`,
  }),
  clustersFile: optional(path, {
    env: 'INFRA_CLUSTERS_FILE',
    value: 'path',
    commands: ['platform', 'doctor platform'],
    description:
      'Clusters file in YAML: several engines by the names of their clusters, and the registries that services may use.',
    fallback: 'one cluster, `local`, at the address of the engine',
  }),
  host: withDefault(listenHost({ host: '--host', port: '--port' }), '127.0.0.1', {
    env: 'INFRA_PLATFORM_HOST',
    value: 'address',
    commands: ['platform'],
    description: 'Address to listen on. Other machines can connect unless it is a loopback address.',
  }),
  port: withDefault(integerBetween(0, 65_535), 0, {
    env: 'INFRA_PLATFORM_PORT',
    value: 'port',
    commands: ['platform'],
    description: 'Port to listen on; 0 picks a free port.',
  }),
  token: optional(
    textMatching('a token: visible characters without spaces', (value) => /^[\x21-\x7e]+$/.test(value)),
    {
      env: 'INFRA_PLATFORM_TOKEN',
      value: 'token',
      commands: ['platform'],
      secret: true,
      insteadOfFlag: '--token-file or INFRA_PLATFORM_TOKEN',
      description:
        'Token of an administrator. As a flag, other users of the machine can see it; use `--token-file` to keep it secret.',
      fallback: 'created with a new data directory',
    },
  ),
  tokenFile: optional(path, {
    env: 'INFRA_PLATFORM_TOKEN_FILE',
    value: 'path',
    commands: ['platform'],
    description: 'File with that token. Created with a new token if missing.',
  }),
};
