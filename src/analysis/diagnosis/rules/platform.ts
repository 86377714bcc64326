import { outsideChangeText, removedText } from '../../../contract/index.ts';
import { sign, statedFacts } from '../condition-sign.ts';
import { prefixedValue, quote } from '../evidence.ts';
import { showConfiguration, showEnvironment, showErrors, showHistory } from '../inspections.ts';
import { cancelRunningDeployment, deployAgain, giveMoreDisk, letRunLonger, proposeUnlockCluster } from '../fixes.ts';
import type { DeploymentSituation } from '../situation.ts';
import type { Remedy } from '../next-calls.ts';
import { type CauseRule, runSteps } from './rule.ts';

/** While the cluster is locked, no other fix works. Check whether the lock is still needed before lifting it. */
export const lockRemedies: readonly Remedy[] = [[showEnvironment, proposeUnlockCluster, deployAgain]];

const lockOf = ({ evidence: { cluster } }: DeploymentSituation) => cluster?.lock ?? undefined;

/** Whether nothing happened in the deployment: no step, no log line. */
const hasNoActivity = ({ steps, entries }: DeploymentSituation): boolean => steps.length === 0 && entries.length === 0;

/** Duration of the run in seconds: that of its step, or the total. */
const runSeconds = ({ steps, deployment }: DeploymentSituation): number | undefined =>
  steps.find(({ name }) => name === 'EXECUTING')?.seconds ?? deployment?.seconds;

const unreachable = sign('CLUSTER_UNREACHABLE', ({ since, said }) => ({ since, reason: said }));

const outsideChanges = [
  sign('CHANGED_EXTERNALLY', ({ change }) => ({ change: outsideChangeText(change) })),
  sign('REMOVED_EXTERNALLY', () => ({ change: removedText })),
];

/** Swarm's message, in parentheses, about nodes that accept no tasks. */
const nodesAway = /no suitable node \((?<away>.+?)\)/;
const onlyAway = /no suitable node \((?<away>\d+ nodes? not available for new tasks)\)/;

const noRoom = [
  sign('INSUFFICIENT_RESOURCES', ({ said }) => ({ away: onlyAway.exec(said)?.groups?.['away'] })),
  sign('NODES_CLOSED', ({ said, closed }) => ({
    away: nodesAway.exec(said)?.groups?.['away'] ?? said,
    closed: closed.length === 0 ? undefined : closed.join('; '),
  })),
];

/** Causes in the platform and its clusters, and actions of people. */
export const platformRules: readonly CauseRule[] = [
  {
    code: 'canceled',
    layer: 'cause',
    signs: [],
    observe: ({ outcome }) => (outcome === 'canceled' ? { why: 'its state says so' } : undefined),
    sentence: (_, { deployment, failingStep }) =>
      `Nothing failed by itself: someone canceled it${failingStep ? ` during ${failingStep.name}` : ''}${prefixedValue('; it was begun by ', deployment?.triggeredBy)}.`,
    remedies: [showHistory, deployAgain],
  },
  {
    code: 'cluster_locked',
    layer: 'cause',
    signs: [{ pattern: /\b[Cc]luster (?:\S+ )?is locked\b/ }],
    observe: (situation) => {
      const lock = lockOf(situation);
      if (lock === undefined || situation.outcome === 'succeeded' || !hasNoActivity(situation)) return undefined;
      return { why: 'the cluster has a lock, and nothing was done for this deployment' };
    },
    sentence: (_, situation) => {
      const {
        evidence: { cluster },
      } = situation;
      const lock = lockOf(situation);
      return `The cluster${prefixedValue(' ', cluster?.name ?? undefined)} is locked${prefixedValue(' by ', lock?.owner_name ?? undefined)}${lock?.reason ? `: ${quote(lock.reason)}` : ''}. Nothing is deployed on it until the lock ends.`;
    },
    remedies: lockRemedies,
  },
  {
    code: 'cluster_unreachable',
    layer: 'cause',
    signs: [],
    conditions: [unreachable],
    recoveredBy: ['CLUSTER_REACHABLE'],
    observe: ({ evidence: { status } }) => statedFacts(status, unreachable),
    sentence: (facts) =>
      `The cluster can't be looked at since ${facts['since']}${prefixedValue(': ', facts['reason'])}. Whether the service runs is not known; nothing says that it stopped.`,
    remedies: [showEnvironment],
  },
  {
    code: 'changed_outside',
    layer: 'cause',
    signs: [],
    conditions: outsideChanges,
    recoveredBy: ['CHANGES_UNDONE'],
    observe: ({ evidence: { status } }) => statedFacts(status, ...outsideChanges),
    sentence: (facts) =>
      `It was changed without the platform: ${quote(facts['change'] ?? '')}. A deployment brings it back as it is configured.`,
    remedies: [deployAgain, showHistory],
  },
  {
    code: 'time_limit',
    layer: 'mechanism',
    signs: [
      { pattern: /\bDeadlineExceeded\b.*(?:active longer than specified deadline|[Jj]ob)/ },
      { pattern: /Job was active longer than specified deadline/ },
      {
        pattern:
          /(?:exceeded|reached) (?:its|the) (?:maximum (?:duration|run time)|max(?:imum)? execution time|time limit|execution timeout)/,
      },
    ],
    conditions: [sign('TIME_LIMIT_EXCEEDED')],
    observe: (situation) => {
      const {
        configuration: { timeLimit },
        outcome,
        evidence: { service },
      } = situation;
      const seconds = runSeconds(situation);
      if (
        outcome !== 'failed' ||
        (service.kind !== 'job' && service.kind !== 'terraform') ||
        !timeLimit ||
        seconds === undefined ||
        seconds < timeLimit
      )
        return undefined;
      return { why: `it ran for ${seconds} s and may run for ${timeLimit} s`, indirect: true };
    },
    sentence: (_, situation) => {
      const {
        configuration: { timeLimit },
      } = situation;
      return `It was stopped because it took longer than it may${timeLimit ? ` (${timeLimit} s)` : ''}.`;
    },
    remedies: [showErrors, [letRunLonger, deployAgain], showConfiguration, showHistory],
  },
  {
    code: 'disk_full',
    layer: 'cause',
    supersedes: ['docker_build_failed', 'dependency_install_failed', 'migration_failed', 'insufficient_resources'],
    signs: [
      { pattern: /\b[Nn]o space left on device\b/ },
      { pattern: /\bENOSPC\b/ },
      { pattern: /[Dd]isk quota exceeded/ },
      { pattern: /low on (?<node>resource: ephemeral-storage)/ },
      { pattern: /taint \{node\.kubernetes\.io\/(?<node>disk-pressure)/ },
      { pattern: /(?<node>\bFreeDiskSpaceFailed\b)/ },
      { pattern: /exceeds the (?:total )?limit of (?:containers )?.*ephemeral.*storage/ },
      { pattern: /Pod ephemeral local storage usage exceeds/ },
    ],
    sentence: (facts, { failingStep }) =>
      facts['node']
        ? "The disks of the cluster's nodes are full: nothing can be placed there."
        : `The disk is full${failingStep?.name === 'BUILD' ? ' where the image is built' : ''}.`,
    remedies: [[giveMoreDisk, deployAgain], showConfiguration, showErrors, deployAgain],
  },
  {
    code: 'quota_exceeded',
    layer: 'cause',
    signs: [
      { pattern: /exceeded quota: (?<quota>[\w.-]+), requested: (?<requested>[^,]+(?:,[\w.]+=[\w]+)*), used: / },
      {
        pattern:
          /\b(?:QuotaExceeded|LimitExceeded(?:Exception)?|VcpuLimitExceeded|InstanceLimitExceeded|QUOTA_EXCEEDED)\b/,
      },
      { pattern: /You have requested more vCPU capacity than your current vCPU limit/ },
      { pattern: /Quota '(?<quota>[\w-]+)' exceeded/ },
    ],
    sentence: (facts) =>
      `A quota is used up${prefixedValue(': ', facts['quota'])}${facts['requested'] ? ` (asked for ${quote(facts['requested'])})` : ''}.`,
    remedies: [showConfiguration, deployAgain],
  },
  {
    code: 'insufficient_resources',
    layer: 'cause',
    steps: [...runSteps, 'BUILD'],
    signs: [
      {
        pattern:
          /\d+\/\d+ nodes are available: .*\d+ Insufficient (?<resource>cpu|memory|ephemeral-storage|nvidia\.com\/gpu|pods)/,
      },
      { pattern: /\d+\/\d+ nodes are available: / },
      { pattern: /\bOutOf(?<resource>cpu|memory|pods)\b/ },
      { pattern: /pod didn't trigger scale-up/, indirect: true },
      { pattern: /\bFailedScheduling\b/, indirect: true },
    ],
    conditions: noRoom,
    observe: ({ evidence: { status } }) =>
      status?.state === 'UNAVAILABLE' ? statedFacts(status, ...noRoom) : undefined,
    sentence: (facts, { configuration: { cpu, memory } }) => {
      if (facts['closed'])
        return `None of the nodes that it may run on takes instances at present: ${quote(facts['closed'])}. It is started when one does again.`;
      if (facts['away'])
        return `Nothing can be started on the cluster's nodes: ${quote(facts['away'])}. They are down, just starting, or were drained or paused.`;
      const asked = [cpu === undefined ? '' : `${cpu} millicores`, memory === undefined ? '' : `${memory} MB`]
        .filter(Boolean)
        .join(', ');
      return `No node of the cluster has room for it${facts['resource'] ? `: not enough ${facts['resource']}` : ''}${asked ? ` (it asks for ${asked})` : ''}.`;
    },
    remedies: [showConfiguration, cancelRunningDeployment, deployAgain],
  },
];
