import type * as z from 'zod';
import type { ServiceDeploymentStatus } from '../contract/resources/deployment.ts';
import { DeploymentAction, terminalOutcome } from '../contract/states.ts';
import type { Lenient } from './lenient.ts';

/** Status of a service, with its steps. */
export type LenientServiceStatus = Lenient<z.infer<typeof ServiceDeploymentStatus>>;

/** What was asked of a service, as far as the asker knows. */
export interface RequestedAction {
  readonly action: DeploymentAction;
  /** Id of the deployment that the request began, where its answer told one. */
  readonly deployment?: string | null;
  /** The service's status before the request. */
  readonly before?: LenientServiceStatus | null;
}

/**
 * Where a request stands. `stale`: the status is still the one from before the request. `superseded`: it speaks of a
 * later deployment than the one asked about.
 */
export type DeploymentProgress = 'stale' | 'moving' | 'good' | 'bad' | 'superseded';

/** The action of a word as the platform writes it; undefined for a word that isn't one. */
export const actionOf = (word: string | null | undefined): DeploymentAction | undefined => DeploymentAction.safeParse(word).data;

const progressFromState = (action: DeploymentAction, status: LenientServiceStatus): DeploymentProgress => {
  const end = typeof status.state === 'string' ? terminalOutcome(action, status.state) : undefined;
  return end ?? 'moving';
};

const isAsBefore = (before: LenientServiceStatus, status: LenientServiceStatus): boolean =>
  before.state === status.state
  && before.deployment_request_id === status.deployment_request_id
  && before.deployment_requests_count === status.deployment_requests_count
  && before.last_deployment_date === status.last_deployment_date;

/**
 * Where what was asked stands by a status read afterwards. Servers still answer with the old status for some seconds
 * after a request: such an answer is `stale`, never an end. Where neither ids nor the status from before can tell,
 * the status is taken at its word.
 */
export function deploymentProgressOf(asked: RequestedAction, status: LenientServiceStatus): DeploymentProgress {
  const { action, deployment, before } = asked;
  const current = status.deployment_request_id;
  if (deployment && current) {
    if (deployment === current) return progressFromState(action, status);
    const isOld = before == null || before.deployment_request_id === current;
    return isOld ? 'stale' : 'superseded';
  }
  if (before && isAsBefore(before, status)) return 'stale';
  return progressFromState(action, status);
}
