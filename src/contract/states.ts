import * as z from 'zod';

/** States of services, environments and deployment stages. */
export const DeploymentState = z.enum([
  'BUILDING',
  'BUILD_ERROR',
  'CANCELED',
  'CANCELING',
  'DELETED',
  'DELETE_ERROR',
  'DELETE_QUEUED',
  'DELETING',
  'DEPLOYED',
  'DEPLOYING',
  'DEPLOYMENT_ERROR',
  'DEPLOYMENT_QUEUED',
  'EXECUTING',
  'QUEUED',
  'READY',
  'RECAP',
  'RESTARTED',
  'RESTARTING',
  'RESTART_ERROR',
  'RESTART_QUEUED',
  'STOPPED',
  'STOPPING',
  'STOP_ERROR',
  'STOP_QUEUED',
  'UNAVAILABLE',
  'WAITING_DELETING',
  'WAITING_RESTARTING',
  'WAITING_RUNNING',
  'WAITING_STOPPING',
]);
export type DeploymentState = z.infer<typeof DeploymentState>;

/** States of the application status endpoint: the deployment states, and RUNNING after a successful deployment. */
export const ApplicationState = z.enum([...DeploymentState.options, 'RUNNING']);

/** Whether the document has this state; the meaning of others isn't known. */
export const isDocumentedState = (state: unknown): boolean => ApplicationState.safeParse(state).success;

export const ClusterState = z.enum([
  'BUILDING',
  'BUILD_ERROR',
  'CANCELED',
  'CANCELING',
  'DELETED',
  'DELETE_ERROR',
  'DELETE_QUEUED',
  'DELETING',
  'DEPLOYED',
  'DEPLOYING',
  'DEPLOYMENT_ERROR',
  'DEPLOYMENT_QUEUED',
  'DRY_RUN',
  'QUEUED',
  'READY',
  'STOPPED',
  'STOPPING',
  'STOP_ERROR',
  'STOP_QUEUED',
  'RESTART_QUEUED',
  'RESTARTING',
  'RESTARTED',
  'RESTART_ERROR',
  'INVALID_CREDENTIALS',
]);
export type ClusterState = z.infer<typeof ClusterState>;

/** Whether the document has a state, of services or of clusters, of which this text is a part. */
export const isPartOfState = (text: string): boolean =>
  [...ApplicationState.options, ...ClusterState.options].some((state) => state.includes(text.toUpperCase()));

/** How a service's running version relates to its configuration. */
export const ServiceDeploymentStatusValue = z.enum(['NEVER_DEPLOYED', 'OUT_OF_DATE', 'UP_TO_DATE']);

export const AlertRuleState = z.enum([
  'UNDEPLOYED',
  'OK',
  'TRIGGERED',
  'PENDING_NOTIFICATION',
  'NOTIFIED',
  'SUPPRESSED',
  'UNROUTED',
]);
export type AlertRuleState = z.infer<typeof AlertRuleState>;

/** The states of an alert rule whose condition holds, and in which of them nobody is told. */
const firingStates: readonly string[] = ['TRIGGERED', 'PENDING_NOTIFICATION', 'NOTIFIED', 'SUPPRESSED', 'UNROUTED'];
const untoldStates: readonly string[] = ['SUPPRESSED', 'UNROUTED'];

/** Whether an alert rule fires in this state, told to somebody or not. */
export const isFiring = (state: unknown): boolean => firingStates.includes(String(state));

/** Whether nobody is told of an alert that fires in this state: it is silenced, or has no receiver. */
export const isUntold = (state: unknown): boolean => untoldStates.includes(String(state));

/**
 * Why the state of an alert rule says nothing about what it watches, in a few words; undefined if it does.
 * @param rule an alert rule of any platform
 */
export function whyUnwatched({
  state,
  source,
}: {
  readonly state?: unknown;
  readonly source?: unknown;
}): string | undefined {
  if (isFiring(state)) return undefined;
  if (state === 'UNDEPLOYED') return 'UNDEPLOYED: not in the alerting system';
  return source === 'GHOST' ? 'GHOST: deleted here, left in the alerting system' : undefined;
}

/** The states of a cluster on which nothing can run. Accepts any text; unknown states aren't among them. */
const idleClusterStates: readonly string[] = [
  'BUILDING',
  'BUILD_ERROR',
  'CANCELED',
  'DELETED',
  'DELETE_ERROR',
  'DELETE_QUEUED',
  'DELETING',
  'QUEUED',
  'READY',
  'STOPPED',
  'STOPPING',
  'STOP_QUEUED',
] satisfies ClusterState[];

/** Whether nothing can run on a cluster in this state. */
export const isIdleCluster = (state: unknown): boolean => idleClusterStates.includes(String(state));

export const InvitationStatus = z.enum(['EXPIRED', 'PENDING']);

/** The action of a deployment. It determines which end states are a success. */
export const DeploymentAction = z.enum(['DEPLOY', 'RESTART', 'STOP', 'DELETE']);
export type DeploymentAction = z.infer<typeof DeploymentAction>;

export const DeploymentActionStatus = z.enum(['QUEUED', 'ONGOING', 'SUCCESS', 'ERROR', 'CANCELED']);
export const DeploymentSubAction = z.enum(['NONE', 'TERRAFORM_PLAN_AND_APPLY']);

/** The origin of a request. */
export const Origin = z.enum(['API', 'CLI', 'CONSOLE', 'GIT', 'SERVICE_INTERNAL', 'TERRAFORM_PROVIDER']);

const successStates: Readonly<Record<DeploymentAction, readonly string[]>> = {
  DEPLOY: ['RUNNING', 'DEPLOYED', 'RESTARTED'],
  RESTART: ['RUNNING', 'DEPLOYED', 'RESTARTED'],
  STOP: ['STOPPED'],
  DELETE: ['DELETED'],
};

/** The success states of an unknown action: those of all known actions. */
const anySuccess: readonly string[] = [...new Set(Object.values(successStates).flat())];

const isKnownAction = (action: string): action is DeploymentAction => Object.hasOwn(successStates, action);

/** States that are neither terminal nor in progress. */
const idleStates: readonly string[] = ['READY'];

const failureStates: readonly string[] = ['STOPPED', 'CANCELED', 'DELETED', 'ERROR'];

/**
 * The outcome of `action`, if `state` is terminal for it; undefined if it is still in progress or hasn't started.
 * Accepts any text: a platform may have actions and states that the document doesn't list.
 */
export const terminalOutcome = (action: string, state: string): 'good' | 'bad' | undefined => {
  if ((isKnownAction(action) ? successStates[action] : anySuccess).includes(state)) return 'good';
  return failureStates.includes(state) || state.endsWith('_ERROR') ? 'bad' : undefined;
};

/** The state of a deployed service of which nothing runs. No action on it is in progress. */
const unavailable = 'UNAVAILABLE' satisfies DeploymentState;

/**
 * Whether nothing is in progress in this state, whatever the last action was. Accepts any text; an unknown state may be
 * in progress.
 */
export const isAtRest = (state: string): boolean =>
  idleStates.includes(state) ||
  state === unavailable ||
  DeploymentAction.options.some((action) => terminalOutcome(action, state) !== undefined);

/** Whether nothing runs and nothing is in progress in this state. */
export const isDown = (state: string): boolean =>
  idleStates.includes(state) || successStates.STOP.includes(state) || successStates.DELETE.includes(state);
