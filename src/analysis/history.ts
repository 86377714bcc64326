import type * as z from 'zod';
import { terminalOutcome, type DeploymentHistoryItem } from '../contract/index.ts';
import { actionIn } from './deployment-progress.ts';
import type { Lenient } from './lenient.ts';
import { durationOf } from './time-window.ts';

/** The deployments of an environment that included a service, newest first, each with the service's resulting state. */
export const deploymentsOf = (serviceId: string, history: readonly HistoryItem[]): PastDeployment[] =>
  history.flatMap((item) => {
    const own = item.services?.find((service) => service.service_id === serviceId);
    return own
      ? [readDeployment({ ...item, status: own.status, status_details: { ...item.status_details, status: undefined } })]
      : [];
  });

/** A service that was stopped: by whom and when, and how its last deployment before that ended. */
export interface StoppedService {
  readonly stop: PastDeployment;
  readonly before?: PastDeployment;
}

const brings = ({ action }: PastDeployment): boolean => action === 'DEPLOY' || action === 'RESTART';

/**
 * The action that stopped a service, if that was the last action on it.
 * @param deployments newest first
 */
export function stoppedBy([newest, ...earlier]: readonly PastDeployment[]): StoppedService | undefined {
  if (newest?.action !== 'STOP' || newest.end !== 'good') return undefined;
  // Stopping a stopped service changes nothing.
  const first = earlier.findIndex((past) => past.action !== 'STOP' || past.end !== 'good');
  return { stop: first > 0 ? earlier[first - 1]! : newest, before: earlier.find(brings) };
}

/** When a cron job runs: a cron expression of five fields, and its time zone, by default Etc/UTC. */
export interface CronTimes {
  readonly scheduled_at: string;
  readonly timezone?: string | null;
}

/** Whether two schedules have the same times. */
export const isSameTimes = (one: CronTimes, other: CronTimes): boolean =>
  one.scheduled_at === other.scheduled_at && (one.timezone ?? 'Etc/UTC') === (other.timezone ?? 'Etc/UTC');

/** A deployment, as deployment histories list it. */
export type HistoryItem = Lenient<z.infer<typeof DeploymentHistoryItem>>;

/** A finished step of a deployment, with its duration in seconds. */
export interface DeploymentStep {
  readonly name: string;
  readonly status?: string;
  readonly seconds?: number;
}

/** The steps as a status or a history lists them. Those without a name are left out. */
export const readSteps = (steps: HistoryItem['steps']): DeploymentStep[] =>
  (steps ?? []).flatMap(({ step_name: name, status, duration_sec: seconds }) =>
    name ? [{ name, status: status ?? undefined, seconds: seconds ?? undefined }] : [],
  );

/** An item of a deployment history, normalized. Members that the platform omits are absent. */
export interface PastDeployment {
  readonly id?: string;
  readonly state?: string;
  /**
   * The platform's word, which may not be in the contract. DEPLOY, the most frequent one, if the platform doesn't say.
   */
  readonly action: string;
  /** Whether its action succeeded; absent while it is in progress. */
  readonly end?: 'good' | 'bad';
  readonly startedAt?: string;
  /** Absent while it is in progress. */
  readonly endedAt?: string;
  /** Seconds from the request to the end. */
  readonly seconds?: number;
  /** The finished steps; empty if the history doesn't have them. */
  readonly steps?: readonly DeploymentStep[];
  readonly triggeredBy?: string;
  /** What the request came from, in the platform's word, which may not be in the contract. */
  readonly origin?: string;
  /** Whether it is a run of a job with arguments in place of the job's. */
  readonly hasOwnArguments?: true;
  /** The schedule of the version of a cron job that was deployed or ran, if the platform tells it. */
  readonly schedule?: CronTimes;
  readonly commit?: string;
  readonly commitMessage?: string;
  readonly commitAuthor?: string;
  /** Image with its tag, as `image:tag`. */
  readonly image?: string;
  readonly tag?: string;
  /** Name of a Helm chart, and its version. */
  readonly chart?: string;
  readonly chartVersion?: string;
}

const secondsOf = (duration: string): number | undefined => {
  const milliseconds = durationOf(duration);
  return milliseconds === undefined ? undefined : Math.round(milliseconds / 1000);
};

/** Platforms' statuses for failed or canceled actions and steps. Skipped ones did no harm. */
const badEnds: readonly string[] = ['ERROR', 'CANCELED', 'CANCEL'];

/** Whether an action or step failed or was canceled, by the platform's word for its status. */
export const endedBadly = (status: string | null | undefined): boolean =>
  typeof status === 'string' && badEnds.includes(status);

const endByStatus = (status: string | null | undefined): 'good' | 'bad' | undefined =>
  status === 'SUCCESS' ? 'good' : endedBadly(status) ? 'bad' : undefined;

/** Whether a deployment started its service successfully. */
export const madeItRun = ({ action, end }: PastDeployment): boolean =>
  end === 'good' && (action === 'DEPLOY' || action === 'RESTART');

/**
 * Normalizes an item of a deployment history. Its end comes from its state or, if that isn't terminal, from the status
 * of its action.
 */
export function readDeployment(item: HistoryItem): PastDeployment {
  const { identifier, status, auditing_data: audit, details, status_details: action, total_duration: total } = item;
  const state = status ?? undefined;
  const requested = actionIn(action) ?? 'DEPLOY';
  const end = (state === undefined ? undefined : terminalOutcome(requested, state)) ?? endByStatus(action?.status);
  const image = details?.image;
  const { scheduled_at, timezone } = details?.schedule?.cronjob ?? {};
  return {
    id: identifier?.execution_id ?? undefined,
    state,
    action: requested,
    end,
    startedAt: audit?.created_at ?? undefined,
    endedAt: end === undefined ? undefined : (audit?.updated_at ?? undefined),
    seconds: total ? secondsOf(total) : undefined,
    steps: readSteps(item.steps),
    triggeredBy: audit?.triggered_by ?? undefined,
    origin: audit?.origin ?? undefined,
    ...(details?.arguments && { hasOwnArguments: true }),
    ...(scheduled_at && { schedule: { scheduled_at, timezone } }),
    commit: details?.commit?.git_commit_id ?? undefined,
    commitMessage: details?.commit?.message?.split('\n')[0] ?? undefined,
    commitAuthor: details?.commit?.author_name ?? undefined,
    image: image?.image_name ? [image.image_name, image.tag].filter(Boolean).join(':') : undefined,
    tag: image?.tag ?? undefined,
    chart: details?.repository?.chart_name ?? undefined,
    chartVersion: details?.repository?.chart_version ?? undefined,
  };
}

/** The abbreviated hash of a commit. */
export const shortCommit = (commit: string): string => commit.slice(0, 7);

/** The version that a deployment brought, in one word: a tag, an image, a short commit or the version of a chart. */
export const deployedVersion = ({ commit, image, tag, chartVersion }: PastDeployment): string | undefined =>
  tag ?? image ?? (commit && shortCommit(commit)) ?? chartVersion;

/** One service of an environment's deployment: its name, the state that it came to, and its version if that is told. */
export interface DeployedService {
  readonly name: string;
  readonly state?: string;
  readonly version?: string;
}

/** Whether deployments of environments tell no version of any of their services. */
export function lackVersions(items: readonly HistoryItem[]): boolean {
  const all = items.flatMap(servicesDeployed);
  return all.length > 0 && all.every(({ version }) => version === undefined);
}

/** The services of an environment's deployment. */
export const servicesDeployed = ({ services }: HistoryItem): DeployedService[] =>
  (services ?? []).map(({ name, service_id, status, details }) => ({
    name: name ?? service_id ?? '',
    state: status ?? undefined,
    version: deployedVersion(readDeployment({ details })),
  }));
