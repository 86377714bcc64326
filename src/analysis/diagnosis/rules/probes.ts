import type { DataOf } from '../../../contract/index.ts';
import { sign } from '../condition-sign.ts';
import { prefixedValue } from '../evidence.ts';
import { showConfiguration, showErrors } from '../inspections.ts';
import { cancelRunningDeployment, deployAgain, deployLastGoodCommit, useLastGoodTag } from '../fixes.ts';
import { useListeningPort, waitLongerForProbe } from '../fixes-of-probes.ts';
import { orInstead } from '../next-calls.ts';
import { takeBackListening } from '../variable-fixes.ts';
import type { DeploymentSituation, Facts } from '../situation.ts';
import { type CauseRule, runSteps, type Weight } from './rule.ts';

const refused =
  /(?:Readiness|Liveness|Startup) probe failed(?: \(\d+[/]\d+\))?: .*(?:dial tcp|connect to) .*:(?<asked>\d{2,5})\b.*(?:connection refused|Connection refused)/;

const isLocalOnly = (facts: Facts): boolean => facts['loopback'] !== undefined;

/** The port that the probe connects to, from its message or the configuration. */
const askedPort = (
  facts: Facts,
  { configuration: { readinessPort, ports } }: DeploymentSituation,
): number | undefined => (facts['asked'] === undefined ? (readinessPort ?? ports[0]) : Number(facts['asked']));

const comparePorts = (facts: Facts, situation: DeploymentSituation): Weight => {
  const asked = askedPort(facts, situation);
  const listens = Number(facts['listens'] ?? facts['loopback']);
  if (
    !(listens > 0 && listens < 65_536) ||
    asked === undefined ||
    (facts['refused'] === undefined && facts['asked'] === undefined)
  )
    return 'dismiss';
  if (
    isLocalOnly(facts)
      ? asked !== listens
      : asked === listens || (situation.configuration.ports.includes(listens) && facts['asked'] === undefined)
  )
    return 'dismiss';
  return {
    change: 2,
    why: `the app says that it listens on ${isLocalOnly(facts) ? '127.0.0.1:' : ''}${listens}, port ${asked} is asked`,
    facts: { asked: String(asked), listens: String(listens) },
  };
};

type Probed = DataOf<'PROBE_FAILED'>;

/** The facts that a probe of the platform found; for a probe that stopped an instance only that it failed. */
const probeFacts = ({ how, port, status, isRefused }: Probed) =>
  how === 'failed'
    ? {}
    : { asked: port?.toString(), status: status?.toString(), refused: isRefused ? 'connection refused' : undefined };

// Some platforms count the attempts: failed (1/9).
const count = String.raw`(?: \(\d+/\d+\))?`;

const probeRule = (
  code: 'readiness_probe_failing' | 'liveness_probe_failing',
  names: string,
  kind: Probed['probe'],
  consequence: string,
): CauseRule => ({
  code,
  layer: 'mechanism',
  steps: runSteps,
  suspectsSettings: true,
  suspectsSiblings: true,
  signs: [
    { pattern: new RegExp(`(?:${names}) probe failed${count}: HTTP probe failed with statuscode: (?<status>\\d{3})`) },
    {
      pattern: new RegExp(
        `(?:${names}) probe failed${count}: .*:(?<asked>\\d{2,5})\\b.*(?<refused>connection refused)`,
      ),
    },
    {
      pattern: new RegExp(
        `(?:${names}) probe failed${count}: .*(?<slow>context deadline exceeded|i/o timeout|Client\\.Timeout exceeded|command timed out)`,
      ),
    },
    { pattern: new RegExp(`(?:${names}) probe (?:failed|errored)(?:[: ]|$)`) },
    ...(code === 'liveness_probe_failing'
      ? [{ pattern: /Container \S+ failed (?:liveness|startup) probe, will be restarted/ }]
      : []),
  ],
  conditions: [sign('PROBE_FAILED', (data) => (data.probe === kind ? probeFacts(data) : undefined))],
  sentence: (facts, { configuration }) => {
    const path = facts['status'] ? prefixedValue(' at ', configuration.readinessPath) : '';
    const how = facts['status']
      ? `answers HTTP ${facts['status']}${path}`
      : facts['refused']
        ? `finds nothing that listens on port ${facts['asked']}: the app isn't up (yet), or listens elsewhere`
        : facts['slow']
          ? 'gets no answer in time'
          : 'fails';
    return `The ${kind} probe ${how}; ${consequence}.`;
  },
  remedies: [
    cancelRunningDeployment,
    [waitLongerForProbe(code === 'readiness_probe_failing' ? 'readiness_probe' : 'liveness_probe'), deployAgain],
    [useLastGoodTag, deployAgain],
    deployLastGoodCommit,
    showErrors,
    showConfiguration,
  ],
});

/** Causes that health checks show. */
export const probeRules: readonly CauseRule[] = [
  {
    code: 'wrong_port',
    layer: 'cause',
    kinds: ['application', 'container', 'helm', 'job'],
    steps: runSteps,
    supersedes: ['readiness_probe_failing', 'liveness_probe_failing'],
    signs: [
      { pattern: refused, indirect: true },
      { pattern: /probe failed(?: \(\d+[/]\d+\))?: .*(?<refused>connection refused)/, indirect: true },
      {
        pattern:
          /(?:[Ll]istening|[Ll]istens|LISTENING|[Ss]erving|[Rr]unning|[Ss]tarted|[Ss]erver).*(?:[Pp]ort(?:\(s\))?\s?[:=]?\s?|(?:0\.0\.0\.0|\[::\]|\*|localhost):|\s:)(?<listens>\d{2,5})\b/,
        indirect: true,
      },
      {
        pattern:
          /(?:[Ll]istening|[Ss]erving|[Rr]unning|[Ss]tarted).*(?:https?:\/\/)?127\.0\.0\.1:(?<loopback>\d{2,5})\b/,
        indirect: true,
      },
    ],
    conditions: [
      sign('PROBE_AT_WRONG_PORT', ({ port, listening }) => ({ asked: String(port), listens: String(listening[0]) })),
      sign(
        'PROBE_FAILED',
        (data) => (data.isRefused ? { refused: 'connection refused', ...probeFacts(data) } : undefined),
        { indirect: true },
      ),
    ],
    weigh: comparePorts,
    sentence: (facts) =>
      isLocalOnly(facts)
        ? `The app listens on 127.0.0.1:${facts['loopback']} only, where nothing outside its instance reaches it: it must listen on 0.0.0.0.`
        : `The app listens on port ${facts['listens']}, but port ${facts['asked']} is configured.`,
    remedies: [
      cancelRunningDeployment,
      [takeBackListening, deployAgain],
      [orInstead(takeBackListening, useListeningPort), deployAgain],
      showConfiguration,
    ],
  },
  probeRule(
    'readiness_probe_failing',
    'Readiness|readiness|Startup|startup',
    'readiness',
    'until it passes, the new version gets no traffic',
  ),
  probeRule('liveness_probe_failing', 'Liveness|liveness', 'liveness', 'the instance is restarted again and again'),
];
