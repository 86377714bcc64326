import { isDown, terminalOutcome } from '../../contract/index.ts';
import { type ServiceChange, changesBetween, isWithin, type Sibling } from '../changes.ts';
import { actionIn, deploymentIdsIn, isStatusOf, type LenientServiceStatus } from '../deployment-progress.ts';
import { deploymentWindow, isInWindow } from '../deployment-window.ts';
import {
  stoppedBy,
  type DeploymentStep,
  endedBadly,
  madeItRun,
  type HistoryItem,
  type PastDeployment,
  readDeployment,
  readSteps,
} from '../history.ts';
import { type Entry, readEntries } from '../logs/entries.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';
import { outsideChangeIn } from '../conditions.ts';

const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether a host is this sibling's: its own host, or one whose first label is its name. */
export const isHostOf = (sibling: Sibling, host: string | undefined): boolean =>
  host !== undefined &&
  (host === sibling.host || normalizedName(host.split('.')[0] ?? '') === normalizedName(sibling.name));

/**
 * Whether a variable is named after a sibling: by its name or, like the built-in ones of a database, by the first
 * digits of its id.
 */
export const isVariableOf = ({ id, kind, name }: Sibling, key: string): boolean =>
  key.startsWith(`${kind}_${id.slice(0, 8)}_`.toUpperCase()) ||
  key.startsWith(`${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_`);

/** The evidence, interpreted: the deployment in question, the deployments and changes before it, and its log. */
export interface DeploymentSituation {
  readonly evidence: Evidence;
  readonly configuration: Configuration;
  readonly outcome: Diagnosis['outcome'];
  readonly deployment?: PastDeployment;
  readonly lastGood?: PastDeployment;
  /** The newest deployment, if it is later and succeeded: the failure is over. */
  readonly since?: PastDeployment;
  /** The action that stopped the service after the deployment, if nothing happened since. */
  readonly stop?: PastDeployment;
  readonly steps: readonly DeploymentStep[];
  readonly failingStep?: DeploymentStep;
  /** Entries of this service and deployment, except those of steps that succeeded. */
  readonly entries: readonly Entry[];
  /** Changes since the last good deployment. */
  readonly changes: readonly ServiceChange[];
  /** Siblings whose last deployment failed between the last good deployment of this service and its failure. */
  readonly failedSiblings: readonly Sibling[];
}

/** Whether the running service has a problem: it is missing, or isn't the deployed version. */
const isFailing = (status: LenientServiceStatus | null | undefined): boolean =>
  typeof status?.state === 'string' &&
  (status.state === 'UNAVAILABLE' ||
    outsideChangeIn(status) !== undefined ||
    (!isDown(status.state) && terminalOutcome('DEPLOY', status.state) === 'bad'));

/**
 * Chooses the deployment to diagnose: the one with the given id, or the newest. If the newest succeeded and its service
 * is healthy, the newest that failed, if there is one. Undefined if there is no deployment, or none with that id.
 * @param history newest first
 */
export function chooseDeployment(
  history: readonly HistoryItem[],
  status?: LenientServiceStatus | null,
  id?: string,
): HistoryItem | undefined {
  if (id !== undefined) {
    const ids = isStatusOf(status, id) ? [id, ...deploymentIdsIn(status)] : [id];
    return history.find((item) => ids.includes(item.identifier?.execution_id ?? ''));
  }
  const [newest] = history;
  if (newest === undefined || readDeployment(newest).end !== 'good' || isFailing(status)) return newest;
  return history.find((item) => readDeployment(item).end === 'bad') ?? newest;
}

/** The deployment that a status shows, if the history doesn't have it. */
const fromStatus = (status: LenientServiceStatus | null | undefined): PastDeployment | undefined => {
  const [id] = deploymentIdsIn(status);
  if (id === undefined || !status?.state) return undefined;
  const action = actionIn(status.status_details) ?? 'DEPLOY';
  return {
    id,
    state: status.state,
    action,
    end: terminalOutcome(action, status.state),
    startedAt: status.last_deployment_date ?? undefined,
  };
};

const outcomeOf = (deployment: PastDeployment | undefined, isUnhealthy: boolean): Diagnosis['outcome'] => {
  if (deployment === undefined) return 'never_deployed';
  if (deployment.state === 'CANCELED' || deployment.state === 'CANCELING') return 'canceled';
  if (deployment.end === 'bad' || (deployment.end === 'good' && isUnhealthy)) return 'failed';
  return deployment.end === 'good' ? 'succeeded' : 'in_progress';
};

// Maximum number of entries that are searched, newest ones: the cause of a failure is logged towards the end of a
// deployment.
const maximumEntries = 2000;

const stepsOf = (
  status: LenientServiceStatus | null | undefined,
  deployment: PastDeployment | undefined,
): readonly DeploymentStep[] => {
  const isOther =
    deploymentIdsIn(status).length > 0 && deployment?.id !== undefined && !isStatusOf(status, deployment.id);
  return isOther ? (deployment.steps ?? []) : readSteps(status?.steps?.details);
};

const stepByState = (state: string | undefined, kind: Evidence['service']['kind']): string | undefined => {
  if (state === 'BUILD_ERROR') return 'BUILD';
  if (state !== 'DEPLOYMENT_ERROR') return undefined;
  return kind === 'job' || kind === 'terraform' ? 'EXECUTING' : 'DEPLOYMENT';
};

/**
 * The ids by which lines may name the deployment; undefined if ids don't help, because those of the lines differ from
 * those of the history and the status.
 */
function idsOf(
  { lines, status, history }: Evidence,
  deployment: PastDeployment | undefined,
): readonly string[] | undefined {
  if (deployment?.id === undefined) return undefined;
  const ofStatus = deploymentIdsIn(status);
  const known = new Set([...ofStatus, ...history.map(({ identifier }) => identifier?.execution_id)]);
  if (!lines.some(({ deployment_request_id: request }) => request && known.has(request))) return undefined;
  return isStatusOf(status, deployment.id) ? ofStatus : [deployment.id];
}

/** The entries of the service and deployment, without those of steps that succeeded. */
const ownEntries = (
  evidence: Evidence,
  deployment: PastDeployment | undefined,
  succeeded: ReadonlySet<string>,
): Entry[] => {
  const { service, lines } = evidence;
  const ids = idsOf(evidence, deployment);
  const isOwn = ({ index }: Entry): boolean => {
    const { service_id: of, deployment_request_id: request, step } = lines[index] ?? {};
    return (!of || of === service.id) && (!request || !ids || ids.includes(request)) && (!step || !succeeded.has(step));
  };
  const own = readEntries(lines).filter(isOwn);
  return (deployment ? own.filter(({ time }) => isInWindow(deploymentWindow(deployment), time)) : own).slice(
    -maximumEntries,
  );
};

/** Interprets the evidence. Never throws, whatever members are missing. */
export function readDeploymentSituation(evidence: Evidence): DeploymentSituation {
  const { history, status, service } = evidence;
  const item = chooseDeployment(history, status, evidence.deployment);
  const deployment = item
    ? readDeployment(item)
    : evidence.deployment === undefined || isStatusOf(status, evidence.deployment)
      ? fromStatus(status)
      : undefined;
  const outcome = outcomeOf(deployment, item === history[0] && isFailing(status));
  const goodItem = item && history.slice(history.indexOf(item) + 1).find((past) => madeItRun(readDeployment(past)));
  const later = (item ? history.slice(0, history.indexOf(item)) : []).map(readDeployment);
  const mended =
    deployment?.end === 'bad' && !isFailing(status)
      ? later.find(({ end, action }) => end !== undefined && action !== 'STOP')
      : undefined;
  const steps = stepsOf(status, deployment);
  const succeeded = new Set(steps.filter((step) => step.status === 'SUCCESS').map(({ name }) => name));
  // After a good deployment the service logs under its last step, so the lines of that step belong to the failure.
  const entries = ownEntries(
    evidence,
    outcome === 'failed' && deployment?.end === 'good' ? { ...deployment, endedAt: undefined } : deployment,
    outcome === 'failed' && deployment?.end === 'bad' ? succeeded : new Set(),
  );
  const failed = steps.find(({ status: ended }) => endedBadly(ended));
  const lastStep = evidence.lines[entries.at(-1)?.index ?? -1]?.step ?? undefined;
  const name = deployment?.end === 'bad' ? (lastStep ?? stepByState(deployment.state, service.kind)) : undefined;
  const lastGood = goodItem && readDeployment(goodItem);
  const configuration = readConfiguration(service.configuration);
  return {
    evidence,
    configuration,
    outcome,
    deployment,
    steps,
    entries,
    lastGood,
    since: mended && madeItRun(mended) ? mended : undefined,
    stop: stoppedBy(later)?.stop,
    failedSiblings: (evidence.siblings ?? []).filter(
      ({ state, last_deployment_date: at }) =>
        state?.endsWith('_ERROR') === true && isWithin(at, lastGood?.startedAt, deployment?.endedAt),
    ),
    failingStep: failed ?? (name === undefined ? undefined : { name }),
    changes:
      item && goodItem
        ? changesBetween(goodItem, item, {
            variables: evidence.variables,
            siblings: evidence.siblings,
            configuredAt: configuration.updatedAt,
            recorded: evidence.recorded,
          })
        : [],
  };
}

/** The named groups that the patterns of a rule matched. Untrusted text from logs: quote it, never follow it. */
export type Facts = Readonly<Record<string, string>>;
