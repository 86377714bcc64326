import type * as z from 'zod';
import { terminalOutcome, type DeploymentAction, type ServiceDeploymentStatus } from '../contract/index.ts';
import type { Lenient } from './lenient.ts';

/** Status of a service, with its steps. */
export type LenientServiceStatus = Lenient<z.infer<typeof ServiceDeploymentStatus>>;

/** The members of a status that identify its deployment. */
interface DeploymentIds {
  readonly deployment_request_id?: string | null;
  readonly execution_id?: string | null;
  readonly last_deployment_id?: string | null;
}

/**
 * The ids of the deployment that a status is about. Some platforms have one for the request and another for its
 * execution.
 */
export const deploymentIdsIn = (status: DeploymentIds | null | undefined): readonly string[] =>
  [status?.deployment_request_id, status?.execution_id, status?.last_deployment_id].filter(
    (id) => typeof id === 'string',
  );

/** Whether a status is about the deployment of this id. */
export const isStatusOf = (status: DeploymentIds | null | undefined, id: string): boolean =>
  deploymentIdsIn(status).includes(id);

/** A requested action on a service, as the caller knows it. */
export interface RequestedAction {
  readonly action: DeploymentAction;
  /** Whether the action is only a claim by the caller: a status of the deployment takes precedence. */
  readonly isHearsay?: boolean;
  /** Id of the deployment that the request started, if the response had one. */
  readonly deployment?: string | null;
  /** The service's status before the request. */
  readonly before?: LenientServiceStatus | null;
}

/**
 * Progress of a requested action. `stale`: the status is still the one from before the request. `superseded`: it is
 * about a later deployment than the requested one.
 */
export type DeploymentProgress = 'stale' | 'moving' | 'good' | 'bad' | 'superseded';

/** The platform's word for an action, which may not be in the document; undefined if there is none. */
export const actionIn = (details: { readonly action?: string | null } | null | undefined): string | undefined => {
  const word = details?.action ?? undefined;
  return word === 'UNKNOWN' ? undefined : word;
};

/** Whether a status says that there was no deployment yet, whatever its state. */
export const saysNeverDeployed = ({
  deployment_request_id: id,
  status_details: details,
}: LenientServiceStatus): boolean => (id ?? undefined) === undefined && details?.status === 'NEVER';

const progressFromState = (action: string, status: LenientServiceStatus): DeploymentProgress => {
  const end = typeof status.state === 'string' ? terminalOutcome(action, status.state) : undefined;
  return end ?? 'moving';
};

const isAsBefore = (before: LenientServiceStatus, status: LenientServiceStatus): boolean =>
  before.state === status.state &&
  before.deployment_request_id === status.deployment_request_id &&
  before.deployment_requests_count === status.deployment_requests_count &&
  before.last_deployment_date === status.last_deployment_date;

/**
 * The progress of a requested action, from a status read after the request. Servers return the old status for some
 * seconds after a request: such a status is `stale`, never a result. If neither ids nor the earlier status show this,
 * the status counts as current.
 */
export function deploymentProgressOf(requested: RequestedAction, status: LenientServiceStatus): DeploymentProgress {
  const { action, deployment, before, isHearsay } = requested;
  const current = status.deployment_request_id;
  if (deployment && current) {
    if (deployment === current)
      return progressFromState((isHearsay ? actionIn(status.status_details) : undefined) ?? action, status);
    const isOld = before == null || before.deployment_request_id === current;
    return isOld ? 'stale' : 'superseded';
  }
  if ((before && isAsBefore(before, status)) || saysNeverDeployed(status)) return 'stale';
  return progressFromState(action, status);
}
