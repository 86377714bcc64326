import type { Sibling } from '../../changes.ts';
import { terminalOutcome } from '../../../contract/index.ts';
import { isHostOf, type DeploymentSituation, type Facts } from '../situation.ts';
import { prefixedValue, quote } from '../evidence.ts';
import { diagnoseDependency, showConfiguration, showErrors, showVariables } from '../inspections.ts';
import {
  deployAgain,
  deployAgainIfTransient,
  deployDependency,
  deployLastGoodCommit,
  useLastGoodTag,
} from '../fixes.ts';
import { takeBackVariable } from '../variable-fixes.ts';
import { type CauseRule, runSteps, type Weight } from './rule.ts';

const defaultPorts: Readonly<Record<string, number>> = { POSTGRESQL: 5432, MYSQL: 3306, MONGODB: 27017, REDIS: 6379 };

const portOf = ({ port, type }: Sibling): number | undefined => port ?? (type ? defaultPorts[type] : undefined);

/** The sibling at an address: by its host or, for a database, by a port that no other database has. */
const siblingAt = ({ evidence: { siblings = [] } }: DeploymentSituation, facts: Facts): Sibling | undefined => {
  const byHost = siblings.find((sibling) => isHostOf(sibling, facts['host']));
  if (byHost) return byHost;
  const byPort = siblings.filter(
    (sibling) =>
      sibling.kind === 'database' && facts['port'] !== undefined && portOf(sibling) === Number(facts['port']),
  );
  return byPort.length === 1 ? byPort[0] : undefined;
};

const isDown = ({ state }: Sibling): boolean =>
  typeof state === 'string' && terminalOutcome('DEPLOY', state) !== 'good';

const weighDependency = (facts: Facts, situation: DeploymentSituation): Weight => {
  const sibling = siblingAt(situation, facts);
  if (sibling === undefined) return { change: -1, why: "which service that is can't be told from its environment" };
  const named = { sibling: sibling.id, name: sibling.name, down: isDown(sibling) ? 'yes' : '' };
  return isDown(sibling)
    ? { change: 1, why: `${sibling.kind} ${sibling.name} of its environment is ${sibling.state}`, facts: named }
    : {
        change: -1,
        why: `${sibling.kind} ${sibling.name} of its environment is ${sibling.state ?? 'in an unknown state'}: it may have come up later, or the address is wrong`,
        facts: named,
      };
};

const nameWeight = (facts: Facts, situation: DeploymentSituation): Weight | undefined => {
  const sibling = siblingAt(situation, facts);
  return (
    sibling && {
      change: 0,
      why: `the name is that of ${sibling.kind} ${sibling.name}`,
      facts: { sibling: sibling.id, name: sibling.name, down: isDown(sibling) ? 'yes' : '' },
    }
  );
};

const target = (facts: Facts): string => {
  const address = [facts['host'], facts['port']].filter(Boolean).join(':');
  return facts['name']
    ? `${quote(facts['name'])}${address ? ` (${address})` : ''}`
    : address || 'a service that it needs';
};

/** Causes in a service's dependencies: databases, other services, DNS names, certificates. */
export const dependencyRules: readonly CauseRule[] = [
  {
    code: 'dependency_unreachable',
    layer: 'cause',
    suspectsSettings: true,
    steps: runSteps,
    supersedes: ['dns_failed'],
    unless: /[Pp]robe (?:failed|errored)/,
    signs: [
      { pattern: /connect ECONNREFUSED (?:\[?(?<host>[\w.:-]+?)\]?):(?<port>\d{2,5})\b/ },
      { pattern: /connect ETIMEDOUT (?<host>[\w.-]+):(?<port>\d{2,5})\b/ },
      {
        pattern:
          /connection to server at "(?<host>[\w.-]+)".*, port (?<port>\d{2,5}) failed: (?:Connection refused|timeout|Connection timed out)/,
      },
      { pattern: /could not connect to server: Connection refused/ },
      { pattern: /Connection to (?<host>[\w.-]+):(?<port>\d{2,5}) refused/ },
      { pattern: /Can't connect to (?:MySQL|MariaDB) server on '(?<host>[\w.-]+)(?::(?<port>\d{2,5}))?'/ },
      { pattern: /Error \d+ connecting to (?<host>[\w.-]+):(?<port>\d{2,5})\. (?:Connection refused|.*timed out)/ },
      { pattern: /Error: P1001: Can't reach database server at `(?<host>[\w.-]+)`?:`?(?<port>\d{2,5})`/ },
      {
        pattern: /(?:^|[^.\w])dial tcp (?<host>[\w.-]+):(?<port>\d{2,5}): (?:connect: connection refused|i\/o timeout)/,
      },
      { pattern: /failed to connect to `?host=(?<host>[\w.-]+).*(?:connection refused|dial error)/ },
      { pattern: /MongoServerSelectionError: .*/ },
      {
        pattern: /(?:java\.net\.ConnectException|ConnectionRefusedError|Errno::ECONNREFUSED)\b.*[Cc]onnection refused/,
        indirect: true,
      },
      { pattern: /Communications link failure/ },
      { pattern: /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]+)/, indirect: true },
      { pattern: /lookup (?<host>[\w.-]+)(?: on [\d.:]+)?: no such host/, indirect: true },
      { pattern: /could not translate host name "(?<host>[\w.-]+)" to address/, indirect: true },
    ],
    recovered: [
      /[Cc]onnected to (?:the )?(?:database|[Pp]ostgre\w*|[Mm]y[Ss][Qq][Ll]|[Rr]edis|[Mm]ongo\w*)/,
      /[Dd]atabase connection (?:established|restored|ready)/,
    ],
    weigh: weighDependency,
    sentence: (facts) => `It can't reach ${target(facts)}${facts['down'] ? ", which isn't running" : ''}.`,
    remedies: [
      [deployDependency, deployAgain],
      [takeBackVariable, deployAgain],
      diagnoseDependency,
      showVariables,
      showErrors,
    ],
  },
  {
    code: 'database_auth_failed',
    layer: 'cause',
    suspectsSettings: true,
    steps: runSteps,
    signs: [
      { pattern: /password authentication failed for user "(?<user>[^"]+)"/ },
      { pattern: /Access denied for user '(?<user>[^']+)'@'[^']*'/ },
      { pattern: /\bWRONGPASS invalid username-password pair/ },
      { pattern: /\bNOAUTH Authentication required/ },
      { pattern: /Mongo\w*Error: (?:Authentication failed|bad auth)/ },
      { pattern: /no pg_hba\.conf entry for host "[^"]+", user "(?<user>[^"]+)"/ },
      { pattern: /FATAL:\s+role "(?<user>[^"]+)" does not exist/ },
      { pattern: /Error: P1000: Authentication failed against database server/ },
      { pattern: /SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string/ },
    ],
    sentence: (facts) =>
      `The database refuses the login${prefixedValue(' of user ', facts['user'])}: user or password in the app's variables don't fit.`,
    remedies: [[takeBackVariable, deployAgain], showVariables, showErrors, deployLastGoodCommit],
  },
  {
    code: 'migration_failed',
    layer: 'cause',
    steps: runSteps,
    signs: [
      { pattern: /(?:ERROR|error|DeadlockDetected|psycopg2?\S*|Error):? .*(?<what>deadlock detected)/ },
      { pattern: /(?<what>Deadlock found when trying to get lock)/ },
      { pattern: /(?<what>canceling statement due to (?:lock timeout|statement timeout))/ },
      { pattern: /(?<what>Lock wait timeout exceeded; try restarting transaction)/ },
      { pattern: /(?<what>(?:relation|type|constraint|index) "[^"]+" already exists)/ },
      { pattern: /(?<what>column "[^"]+" of relation "[^"]+" already exists)/ },
      { pattern: /(?<what>Duplicate column name '[^']+')/ },
      { pattern: /(?<what>Table '[^']+' already exists)/ },
      { pattern: /(?<what>Migration (?:of schema .* to version \S+|V\S+(?:\.sql)?|[`"']?[\w.-]+[`"']?) failed.*)/ },
      { pattern: /(?<what>Validate failed: Migrations have failed validation)/ },
      { pattern: /Error: P30(?:09|18)\b/ },
      { pattern: /(?<what>Can't locate revision identified by '[^']+')/ },
      { pattern: /(?<what>Dirty database version \d+)/ },
      { pattern: /(?<what>column "[^"]+" (?:of relation "[^"]+" )?contains null values)/ },
      { pattern: /[Mm]igrations? failed/, indirect: true },
    ],
    recovered: [/[Mm]igrations? (?:complete|completed|applied|succeeded|done)/],
    sentence: (facts) => `A change of the database's schema fails${facts['what'] ? `: ${quote(facts['what'])}` : ''}.`,
    remedies: [deployAgainIfTransient, showErrors, deployAgain, deployLastGoodCommit, useLastGoodTag],
  },
  {
    code: 'tls_failed',
    layer: 'cause',
    suspectsSettings: true,
    signs: [
      {
        pattern:
          /x509: (?<problem>certificate (?:has expired or is not yet valid|signed by unknown authority|is valid for .*, not \S+|is not valid for any names.*))/,
      },
      {
        pattern:
          /\b(?<problem>CERT_HAS_EXPIRED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|ERR_TLS_CERT_ALTNAME_INVALID)\b/,
      },
      { pattern: /(?<problem>CERTIFICATE_VERIFY_FAILED)/ },
      { pattern: /(?<problem>PKIX path building failed)/ },
      { pattern: /SSL certificate problem: (?<problem>.+)/ },
      {
        pattern:
          /Error: (?<problem>self[- ]signed certificate(?: in certificate chain)?|certificate has expired|unable to verify the first certificate)/,
      },
      { pattern: /(?<problem>tls: (?:handshake failure|first record does not look like a TLS handshake))/ },
    ],
    sentence: (facts) => `A TLS connection fails${prefixedValue(': ', facts['problem'])}.`,
    remedies: [[takeBackVariable, deployAgain], showErrors, showConfiguration, showVariables],
  },
  {
    code: 'dns_failed',
    layer: 'cause',
    suspectsSettings: true,
    signs: [
      { pattern: /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]+)/ },
      { pattern: /lookup (?<host>[\w.-]+)(?: on [\d.:]+)?: (?:no such host|server misbehaving|i\/o timeout)/ },
      { pattern: /(?:Temporary failure in name resolution|Name or service not known|nodename nor servname provided)/ },
      { pattern: /Could not resolve host: (?<host>[\w.-]+)/ },
      { pattern: /(?:^|: )bad address '(?<host>[\w.-]+)'/ },
      { pattern: /connection timed out; no servers could be reached/ },
      { pattern: /lookup (?<host>[\w.-]+) on [\d.:]+: (?:dial|read|write) (?:udp|tcp) / },
      { pattern: /can't (?:resolve|find) '?(?<host>[\w.-]+)'?(?:: |$)/ },
      { pattern: /java\.net\.UnknownHostException: (?<host>[\w.-]+)/ },
      { pattern: /could not translate host name "(?<host>[\w.-]+)" to address/ },
    ],
    weigh: nameWeight,
    sentence: (facts) =>
      `The name${prefixedValue(' ', facts['host'])} can't be resolved: it is misspelt, what has it isn't there, or name resolution fails.`,
    remedies: [
      [takeBackVariable, deployAgain],
      [deployDependency, deployAgain],
      diagnoseDependency,
      showVariables,
      showErrors,
    ],
  },
];
