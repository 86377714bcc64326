import * as z from 'zod';
import { terminalOutcome } from '../contract/index.ts';
import { shortCommit, type PastDeployment } from './history.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';
import { maybe } from './lenient.ts';
import { versionSourceOf } from './version-source.ts';

/** What serves of a service, as far as it is known. */
export interface Serving {
  /** `unknown`: what was read doesn't tell. */
  readonly is: 'serving' | 'nothing' | 'unknown';
  /** Tag, commit or chart version. */
  readonly version?: string;
  /** How many instances there are, or how many it may have where the platform doesn't tell that. */
  readonly instances?: string;
  readonly since?: string;
  /** What is being done to it: what serves is being taken down, or will be when its turn comes. */
  readonly ending?: Ending;
}

interface Ending {
  readonly action: 'deleted' | 'stopped';
  readonly hasBegun: boolean;
}

const endings: Readonly<Record<string, Ending>> = {
  DELETING: { action: 'deleted', hasBegun: true },
  DELETE_QUEUED: { action: 'deleted', hasBegun: false },
  WAITING_DELETING: { action: 'deleted', hasBegun: false },
  STOPPING: { action: 'stopped', hasBegun: true },
  STOP_QUEUED: { action: 'stopped', hasBegun: false },
  WAITING_STOPPING: { action: 'stopped', hasBegun: false },
};

/** Jobs run and end, Terraform makes things: neither serves. */
export const canServe = (kind: string): boolean => kind !== 'job' && kind !== 'terraform';

const Configured = z.looseObject({
  version: maybe(z.string()),
  min_running_instances: maybe(z.number()),
  max_running_instances: maybe(z.number()),
});

/** How many instances a service is configured to have. */
export const instancesIn = (configuration: unknown): string | undefined => {
  const { min_running_instances: least, max_running_instances: most } = Configured.safeParse(configuration).data ?? {};
  if (typeof least !== 'number') return undefined;
  if (typeof most !== 'number' || most === least) return String(least);
  return most < 0 ? `at least ${least}` : `${least} to ${most}`;
};

/** How many instances of a service run, if the platform looks at that. */
const runningIn = (status: LenientServiceStatus): number | undefined => {
  const { instances } = status.running ?? {};
  return typeof instances === 'number' ? instances : undefined;
};

/** How many instances, in words; undefined where that isn't known. */
export const instancesText = (instances: string | undefined): string | undefined =>
  instances && `${instances} ${instances === '1' ? 'instance' : 'instances'}`;

/** The version in a configuration, which is the one that was deployed unless the configuration changed since. */
const versionIn = ({ kind, configuration }: ServedService): string | undefined => {
  const source = versionSourceOf(kind, configuration);
  if (source?.by === 'commit') return source.deployed && shortCommit(source.deployed);
  return source?.by === 'none' ? (Configured.safeParse(configuration).data?.version ?? undefined) : source?.configured;
};

const versionOf = ({ commit, image, tag, chartVersion }: PastDeployment): string | undefined =>
  tag ?? image ?? (commit && shortCommit(commit)) ?? chartVersion;

/**
 * The deployment whose version serves: a failed one leaves the version before it. Undefined if it was stopped since, or
 * none is known.
 */
const effective = (history: readonly PastDeployment[]): PastDeployment | undefined =>
  history.find(({ end, action }) => end === 'good' || (end === 'bad' && (action === 'STOP' || action === 'DELETE')));

/** A service, with its deployments if they were read. */
export interface ServedService {
  readonly kind: string;
  readonly status?: LenientServiceStatus | null;
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Newest first. */
  readonly history?: readonly PastDeployment[];
}

const isUp = ({ status }: ServedService): boolean => terminalOutcome('DEPLOY', status?.state ?? '') === 'good';

/** Whether it takes the history to tell what serves: not of what runs as it is configured. */
export const needsHistory = (service: ServedService): boolean =>
  canServe(service.kind) &&
  !['STOPPED', 'DELETED', 'READY'].includes(service.status?.state ?? '') &&
  !(isUp(service) && service.status?.service_deployment_status === 'UP_TO_DATE');

/**
 * Which version of a service serves, on how many instances and since when; undefined for what doesn't serve by nature.
 */
export function servingOf(service: ServedService): Serving | undefined {
  const { kind, status, configuration, history } = service;
  if (!canServe(kind) || typeof status?.state !== 'string') return undefined;
  if (['STOPPED', 'DELETED', 'READY'].includes(status.state)) return { is: 'nothing' };
  const [configured, running] = [instancesIn(configuration), runningIn(status)];
  // A changed configuration takes effect with the next deployment: what runs is known better.
  const instances = configured === undefined || running === undefined ? configured : String(running);
  if (configured === '0' && running === undefined) return { is: 'nothing' };
  if (!needsHistory(service))
    return { is: 'serving', version: versionIn(service), instances, since: status.last_deployment_date ?? undefined };
  const last = history && effective(history);
  if (!last && history && !isUp(service) && (status.deployment_requests_count ?? Infinity) <= history.length)
    return { is: 'nothing' };
  if (last?.action === 'STOP' || last?.action === 'DELETE') return { is: last.end === 'good' ? 'nothing' : 'unknown' };
  const ending = endings[status.state];
  if (ending?.hasBegun) return { is: 'unknown', version: last && versionOf(last), ending };
  if (!last) return { is: isUp(service) ? 'serving' : 'unknown', instances: isUp(service) ? instances : undefined };
  if (status.state === 'UNAVAILABLE') return { is: 'unknown', version: versionOf(last), since: last.endedAt };
  return { is: 'serving', version: versionOf(last), instances, since: last.endedAt, ...(ending && { ending }) };
}

/** What serves, in words; undefined for what doesn't serve by nature. */
export function servingText(serving: Serving | undefined): string | undefined {
  if (!serving) return undefined;
  const { is, version, instances, since, ending } = serving;
  if (is === 'nothing') return 'nothing';
  const facts = [version, instancesText(instances), since && `since ${since}`].filter(Boolean).join(', ');
  if (ending?.hasBegun) return `perhaps nothing: it is being ${ending.action}${version ? `; before: ${version}` : ''}`;
  if (is === 'unknown') return version ? `perhaps nothing; last good: ${facts}` : 'not known';
  return `${facts || 'its present version'}${ending ? `, until it is ${ending.action}` : ''}`;
}
