import * as z from 'zod';

/** States of services, environments and deployment stages. */
export const DeploymentState = z.enum([
  'BUILDING', 'BUILD_ERROR', 'CANCELED', 'CANCELING', 'DELETED', 'DELETE_ERROR', 'DELETE_QUEUED', 'DELETING', 'DEPLOYED',
  'DEPLOYING', 'DEPLOYMENT_ERROR', 'DEPLOYMENT_QUEUED', 'EXECUTING', 'QUEUED', 'READY', 'RECAP', 'RESTARTED', 'RESTARTING',
  'RESTART_ERROR', 'RESTART_QUEUED', 'STOPPED', 'STOPPING', 'STOP_ERROR', 'STOP_QUEUED', 'UNAVAILABLE', 'WAITING_DELETING',
  'WAITING_RESTARTING', 'WAITING_RUNNING', 'WAITING_STOPPING',
]);
export type DeploymentState = z.infer<typeof DeploymentState>;

/** What the application status endpoint may say: the deployment states, and RUNNING after a good deployment. */
export const ApplicationState = z.enum([...DeploymentState.options, 'RUNNING']);

export const ClusterState = z.enum([
  'BUILDING', 'BUILD_ERROR', 'CANCELED', 'CANCELING', 'DELETED', 'DELETE_ERROR', 'DELETE_QUEUED', 'DELETING', 'DEPLOYED',
  'DEPLOYING', 'DEPLOYMENT_ERROR', 'DEPLOYMENT_QUEUED', 'DRY_RUN', 'QUEUED', 'READY', 'STOPPED', 'STOPPING', 'STOP_ERROR',
  'STOP_QUEUED', 'RESTART_QUEUED', 'RESTARTING', 'RESTARTED', 'RESTART_ERROR', 'INVALID_CREDENTIALS',
]);
export type ClusterState = z.infer<typeof ClusterState>;

/** How a service's running version relates to its configuration. */
export const ServiceDeploymentStatusValue = z.enum(['NEVER_DEPLOYED', 'OUT_OF_DATE', 'UP_TO_DATE']);

export const AlertRuleState = z.enum(['UNDEPLOYED', 'OK', 'TRIGGERED', 'PENDING_NOTIFICATION', 'NOTIFIED', 'SUPPRESSED', 'UNROUTED']);
export type AlertRuleState = z.infer<typeof AlertRuleState>;

export const InvitationStatus = z.enum(['EXPIRED', 'PENDING']);

/** What a deployment does; the end state it aims for follows from it. */
export const DeploymentAction = z.enum(['DEPLOY', 'RESTART', 'STOP', 'DELETE']);
export type DeploymentAction = z.infer<typeof DeploymentAction>;

export const DeploymentActionStatus = z.enum(['QUEUED', 'ONGOING', 'SUCCESS', 'ERROR', 'CANCELED']);
export const DeploymentSubAction = z.enum(['NONE', 'TERRAFORM_PLAN_AND_APPLY']);

/** Where a request came from. */
export const Origin = z.enum(['API', 'CLI', 'CONSOLE', 'GIT', 'SERVICE_INTERNAL', 'TERRAFORM_PROVIDER']);

const successStates: Readonly<Record<DeploymentAction, readonly string[]>> = {
  DEPLOY: ['RUNNING', 'DEPLOYED', 'RESTARTED'],
  RESTART: ['RUNNING', 'DEPLOYED', 'RESTARTED'],
  STOP: ['STOPPED'],
  DELETE: ['DELETED'],
};

/** What is neither an end nor on the way to one. */
const idleStates: readonly string[] = ['READY'];

const failureStates: readonly string[] = ['STOPPED', 'CANCELED', 'DELETED', 'ERROR'];

/**
 * Whether a state ends what `action` began, and how. Every other state is still moving (or has not begun).
 * Takes any text: a platform may have states the document doesn't list.
 */
export const terminalOutcome = (action: DeploymentAction, state: string): 'good' | 'bad' | undefined => {
  if (successStates[action].includes(state)) return 'good';
  return failureStates.includes(state) || state.endsWith('_ERROR') ? 'bad' : undefined;
};

/** Whether a state tells that nothing is under way, whatever was asked before. Takes any text, as above; what isn't known may be moving. */
export const isAtRest = (state: string): boolean => idleStates.includes(state) || DeploymentAction.options.some((action) => terminalOutcome(action, state) !== undefined);

/** Whether a state tells that nothing runs and nothing is under way. */
export const isDown = (state: string): boolean => idleStates.includes(state) || successStates.STOP.includes(state) || successStates.DELETE.includes(state);
