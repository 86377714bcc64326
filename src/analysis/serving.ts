import * as z from 'zod';
import { terminalOutcome } from '../contract/index.ts';
import { deployedVersion, shortCommit, type PastDeployment } from './history.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';
import { maybe } from './lenient.ts';
import { versionSourceOf } from './version-source.ts';

/** The serving version of a service, if known. */
export interface Serving {
  /** `unknown`: the data that was read doesn't show it. */
  readonly is: 'serving' | 'nothing' | 'unknown';
  /** Tag, commit or chart version. */
  readonly version?: string;
  /** The number of instances, or the number that it may have if the platform doesn't report that. */
  readonly instances?: string;
  readonly since?: string;
  /** The action on it: the serving version is being taken down, or will be when its turn comes. */
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

/** Whether a kind of service can serve. Jobs run to completion and Terraform creates resources: neither serves. */
export const canServe = (kind: string): boolean => kind !== 'job' && kind !== 'terraform';

const Configured = z.looseObject({
  version: maybe(z.string()),
  min_running_instances: maybe(z.number()),
  max_running_instances: maybe(z.number()),
});

/** The configured number of instances of a service. */
export const instancesIn = (configuration: unknown): string | undefined => {
  const { min_running_instances: least, max_running_instances: most } = Configured.safeParse(configuration).data ?? {};
  if (typeof least !== 'number') return undefined;
  if (typeof most !== 'number' || most === least) return String(least);
  return most < 0 ? `at least ${least}` : `${least} to ${most}`;
};

/** The number of running instances of a service, if the platform observes that. */
const runningIn = (status: LenientServiceStatus): number | undefined => {
  const { instances } = status.running ?? {};
  return typeof instances === 'number' ? instances : undefined;
};

/** Whether a configured number of instances leaves open how many run. */
export const isRange = (instances: string): boolean => !/^\d+$/.test(instances);

/** The number of instances, as text; undefined if it isn't known. A range is only what is configured. */
export const instancesText = (instances: string | undefined): string | undefined =>
  instances &&
  `${isRange(instances) ? 'configured for ' : ''}${instances} ${instances === '1' ? 'instance' : 'instances'}`;

/** The version in a configuration, which is the deployed one unless the configuration has changed since. */
const versionIn = ({ kind, configuration }: ServedService): string | undefined => {
  const source = versionSourceOf(kind, configuration);
  if (source?.by === 'commit') return source.deployed && shortCommit(source.deployed);
  return source?.by === 'none' ? (Configured.safeParse(configuration).data?.version ?? undefined) : source?.configured;
};

/**
 * The deployment whose version serves: a failed one leaves the previous version. Undefined if it was stopped since, or
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

/** Whether the history is needed to determine the serving version; not if the service runs as configured. */
export const needsHistory = (service: ServedService): boolean =>
  canServe(service.kind) &&
  !['STOPPED', 'DELETED', 'READY'].includes(service.status?.state ?? '') &&
  !(isUp(service) && service.status?.service_deployment_status === 'UP_TO_DATE');

/** The serving version of a service, its number of instances, and since when; undefined for kinds that don't serve. */
export function servingOf(service: ServedService): Serving | undefined {
  const { kind, status, configuration, history } = service;
  if (!canServe(kind) || typeof status?.state !== 'string') return undefined;
  if (['STOPPED', 'DELETED', 'READY'].includes(status.state)) return { is: 'nothing' };
  const [configured, running] = [instancesIn(configuration), runningIn(status)];
  // A changed configuration takes effect with the next deployment: the observed number is more accurate.
  const instances = configured === undefined || running === undefined ? configured : String(running);
  if (configured === '0' && running === undefined) return { is: 'nothing' };
  if (!needsHistory(service))
    return { is: 'serving', version: versionIn(service), instances, since: status.last_deployment_date ?? undefined };
  const last = history && effective(history);
  if (!last && history && !isUp(service) && (status.deployment_requests_count ?? Infinity) <= history.length)
    return { is: 'nothing' };
  if (last?.action === 'STOP' || last?.action === 'DELETE') return { is: last.end === 'good' ? 'nothing' : 'unknown' };
  const ending = endings[status.state];
  if (ending?.hasBegun) return { is: 'unknown', version: last && deployedVersion(last), ending };
  if (!last) return { is: isUp(service) ? 'serving' : 'unknown', instances: isUp(service) ? instances : undefined };
  if (status.state === 'UNAVAILABLE') return { is: 'unknown', version: deployedVersion(last), since: last.endedAt };
  return { is: 'serving', version: deployedVersion(last), instances, since: last.endedAt, ...(ending && { ending }) };
}

/** The configured version of a service; undefined for what is built from a branch, whose newest commit is deployed. */
export function configuredVersion({ kind, configuration }: ServedService): string | undefined {
  return versionSourceOf(kind, configuration)?.by === 'commit' ? undefined : versionIn({ kind, configuration });
}

/** Whether the last deployment of a service that runs to completion took the configuration that it has now. */
const isAsConfigured = (service: ServedService): boolean =>
  isUp(service) && service.status?.service_deployment_status === 'UP_TO_DATE';

/** Whether the history is needed to determine the last version of a service that runs to completion. */
export const needsHistoryOfRuns = (service: ServedService): boolean =>
  !canServe(service.kind) && service.status?.state !== 'READY' && !isAsConfigured(service);

/** The version at which a service that runs to completion was last deployed; `nothing` if it never was. */
export function lastVersionOf(service: ServedService): string | undefined {
  const { status, history } = service;
  if (status?.state === 'READY') return 'nothing';
  if (isAsConfigured(service)) return versionIn(service);
  const last = history?.find(({ action, end }) => action === 'DEPLOY' && end === 'good');
  if (last) return deployedVersion(last);
  return history && (status?.deployment_requests_count ?? Infinity) <= history.length ? 'nothing' : undefined;
}

/** The serving version, as text; undefined for kinds that don't serve. */
export function servingText(serving: Serving | undefined): string | undefined {
  if (!serving) return undefined;
  const { is, version, instances, since, ending } = serving;
  if (is === 'nothing') return 'nothing';
  const facts = [version, instancesText(instances), since && `since ${since}`].filter(Boolean).join(', ');
  if (ending?.hasBegun) return `perhaps nothing: it is being ${ending.action}${version ? `; before: ${version}` : ''}`;
  if (is === 'unknown') return version ? `perhaps nothing; last good: ${facts}` : 'not known';
  return `${facts || 'its present version'}${ending ? `, until it is ${ending.action}` : ''}`;
}
