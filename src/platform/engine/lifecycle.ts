import {
  type AlertRuleState,
  type ClusterState,
  DeploymentAction,
  type DeploymentState,
  type ServiceKind,
  type StepName,
} from '../../contract/index.ts';
import type { SecondsRange } from '../common/index.ts';
import type { Phase, RuntimeOperation } from '../runtime/index.ts';

/** A transition in a service's lifecycle. */
interface Transition {
  readonly from: DeploymentState;
  readonly on: string;
  readonly to: DeploymentState;
  /** The step that the transition completes. */
  readonly step?: StepName;
}

const actionTransitions = (kind: ServiceKind, action: DeploymentAction): Transition[] => {
  const { queued, waiting, phases, end } = statePathOf(kind, action);
  const first = phases[0].state;
  const requested = settledStates
    .filter((from) => !refusals[action]?.from.some((refused) => refused === from))
    .map((from) => ({ from, on: `${action} requested`, to: queued }));
  const forward = phases
    .flatMap(({ state, step, onFailure }, index) => [
      { from: state, on: `${step} succeeded`, to: phases[index + 1]?.state ?? end, step },
      { from: state, on: `${step} failed`, to: onFailure },
    ])
    .filter(({ from, to }) => from !== to);
  const moving = [queued, waiting, ...phases.map(({ state }) => state)];
  return [
    ...requested,
    { from: queued, on: 'turn came', to: first },
    { from: queued, on: 'an earlier stage is to come first', to: waiting },
    { from: waiting, on: 'earlier stages succeeded', to: first },
    { from: waiting, on: 'an earlier stage failed', to: canceling.end },
    ...forward,
    ...moving.map((from) => ({ from, on: 'cancel requested', to: canceling.state })),
    { from: canceling.state, on: 'canceled', to: canceling.end },
  ];
};

const key = ({ from, on, to }: Transition): string => `${from}|${on}|${to}`;

/**
 * Every transition of a kind of service, without duplicates. A later request can also replace the displayed state
 * during a transition.
 */
export const transitionsOf = (kind: ServiceKind): Transition[] => {
  const all = DeploymentAction.options.flatMap((action) => actionTransitions(kind, action));
  return [...new Map(all.map((transition) => [key(transition), transition])).values()];
};

/** The lifecycle of a kind of service as a Mermaid state diagram. @param takes how long a step takes, as text */
export const diagramOf = (kind: ServiceKind, takes: (step: StepName) => string): string => {
  const arrows = transitionsOf(kind).map(
    ({ from, on, to, step }) => `  ${from} --> ${to}: ${on}${step ? ` (${takes(step)})` : ''}`,
  );
  return ['stateDiagram-v2', '  [*] --> READY: created', ...arrows].join('\n');
};

/** The states of a service of one kind during one action, in order. */
export interface StatePath {
  /** From the request until its deployment starts. */
  readonly queued: DeploymentState;
  /** While an earlier stage of the same deployment is under way. */
  readonly waiting: DeploymentState;
  readonly phases: readonly [Phase, ...Phase[]];
  readonly end: DeploymentState;
}

const minute = 60;

/**
 * How long each operation may take, in seconds, with any runtime: longer than the limits that services set themselves.
 */
export const stepLimits: Readonly<Record<RuntimeOperation, number>> = {
  fetchSource: 10 * minute,
  build: 60 * minute,
  pull: 30 * minute,
  rollOut: 120 * minute,
  route: 10 * minute,
  run: 48 * 60 * minute,
  restart: 60 * minute,
  stop: 15 * minute,
  remove: 15 * minute,
};

const phase = (
  state: DeploymentState,
  step: StepName,
  operation: RuntimeOperation,
  onFailure: DeploymentState,
): Phase => ({ state, step, operation, limitSeconds: stepLimits[operation], onFailure });

const deploy = (...phases: StatePath['phases']): StatePath => ({
  queued: 'DEPLOYMENT_QUEUED',
  waiting: 'WAITING_RUNNING',
  phases,
  end: 'DEPLOYED',
});

const deploying = (step: StepName, operation: RuntimeOperation) =>
  phase('DEPLOYING', step, operation, 'DEPLOYMENT_ERROR');
const building = (step: StepName, operation: RuntimeOperation) => phase('BUILDING', step, operation, 'BUILD_ERROR');
const executing = phase('EXECUTING', 'EXECUTING', 'run', 'DEPLOYMENT_ERROR');

const deployPaths: Readonly<Record<ServiceKind, StatePath>> = {
  application: deploy(
    building('GIT_CLONE', 'fetchSource'),
    building('BUILD', 'build'),
    deploying('DEPLOYMENT', 'rollOut'),
    deploying('ROUTER_DEPLOYMENT', 'route'),
  ),
  container: deploy(
    deploying('MIRROR_IMAGE', 'pull'),
    deploying('DEPLOYMENT', 'rollOut'),
    deploying('ROUTER_DEPLOYMENT', 'route'),
  ),
  database: deploy(deploying('DEPLOYMENT', 'rollOut')),
  helm: deploy(deploying('DEPLOYMENT', 'rollOut')),
  job: deploy(executing),
  terraform: deploy(executing),
};

const restart: StatePath = {
  queued: 'RESTART_QUEUED',
  waiting: 'WAITING_RESTARTING',
  end: 'RESTARTED',
  phases: [phase('RESTARTING', 'RESTART', 'restart', 'RESTART_ERROR')],
};

const stop: StatePath = {
  queued: 'STOP_QUEUED',
  waiting: 'WAITING_STOPPING',
  end: 'STOPPED',
  phases: [phase('STOPPING', 'STOP', 'stop', 'STOP_ERROR')],
};

const remove: StatePath = {
  queued: 'DELETE_QUEUED',
  waiting: 'WAITING_DELETING',
  end: 'DELETED',
  phases: [phase('DELETING', 'STOP', 'remove', 'DELETE_ERROR')],
};

/** An action on a job or on Terraform may run it, which takes as long as any other run. */
const withTimeToRun = ({ phases: [first, ...others], ...path }: StatePath): StatePath => ({
  ...path,
  phases: [{ ...first, limitSeconds: stepLimits.run }, ...others],
});

const actionPaths = { RESTART: restart, STOP: stop, DELETE: remove };
const runActionPaths = { RESTART: withTimeToRun(restart), STOP: withTimeToRun(stop), DELETE: withTimeToRun(remove) };

/** The state path of a kind of service for an action. */
export const statePathOf = (kind: ServiceKind, action: DeploymentAction): StatePath =>
  action === 'DEPLOY'
    ? deployPaths[kind]
    : (kind === 'job' || kind === 'terraform' ? runActionPaths : actionPaths)[action];

/** The minimum time between two observations of a task, in milliseconds, even if the runtime requests less. */
export const minimumObservationMilliseconds = 50;

/** How a cancel proceeds for every service of the deployment that has not ended. */
export const canceling = { state: 'CANCELING', end: 'CANCELED' } as const satisfies {
  state: DeploymentState;
  end: DeploymentState;
};

/** The order in which the services of a deployment run. A stage starts when the previous one has succeeded. */
const stages: readonly { readonly name: string; readonly kinds: readonly ServiceKind[] }[] = [
  { name: 'DATABASE', kinds: ['database'] },
  { name: 'JOB', kinds: ['job', 'terraform'] },
  { name: 'APPLICATION', kinds: ['application', 'container', 'helm'] },
];

/** Whether an action takes services down. Such an action runs the stages in reverse. */
const takesDown = (action: DeploymentAction): boolean => action === 'STOP' || action === 'DELETE';

/** The stage of a kind of service, and its position in the order of the action. */
export const stageOf = (kind: ServiceKind, action: DeploymentAction): { name: string; position: number } => {
  const index = stages.findIndex((stage) => stage.kinds.includes(kind));
  return { name: stages[index]!.name, position: takesDown(action) ? stages.length - 1 - index : index };
};

/** Whether webhooks are notified of deployments with this action. */
export const isAnnounced = (action: DeploymentAction): boolean => action !== 'STOP';

/** The states without a deployment under way. */
export const settledStates = [
  'READY',
  'DEPLOYED',
  'RESTARTED',
  'STOPPED',
  'CANCELED',
  'DELETED',
  'BUILD_ERROR',
  'DEPLOYMENT_ERROR',
  'RESTART_ERROR',
  'STOP_ERROR',
  'DELETE_ERROR',
] as const satisfies readonly DeploymentState[];

/** The states after a failed deployment. */
export const failedStates: readonly DeploymentState[] = settledStates.filter((state) => state.endsWith('_ERROR'));

/** Whether a service in this state has no deployment under way. */
export const isSettled = (state: DeploymentState): boolean =>
  (settledStates as readonly DeploymentState[]).includes(state);

/**
 * The settled states in which an action is refused, and what to do instead. Nothing else is refused: a request during
 * another deployment waits for it.
 */
export const refusals: Readonly<
  Partial<Record<DeploymentAction, { readonly from: readonly DeploymentState[]; readonly instead: string }>>
> = {
  RESTART: { from: ['READY', 'STOPPED', 'DELETED'], instead: 'deploy it first' },
  DEPLOY: { from: ['DELETED'], instead: 'create it again' },
  STOP: { from: ['DELETED'], instead: 'there is nothing left to stop' },
};

/**
 * An environment's state is the first of these states that any of its services is in: states under way come first, then
 * failed, running and inactive ones.
 */
export const aggregateOrder: readonly DeploymentState[] = [
  'CANCELING',
  'DELETING',
  'STOPPING',
  'RESTARTING',
  'BUILDING',
  'EXECUTING',
  'DEPLOYING',
  'DELETE_QUEUED',
  'STOP_QUEUED',
  'RESTART_QUEUED',
  'DEPLOYMENT_QUEUED',
  'QUEUED',
  'WAITING_DELETING',
  'WAITING_STOPPING',
  'WAITING_RESTARTING',
  'WAITING_RUNNING',
  'BUILD_ERROR',
  'DEPLOYMENT_ERROR',
  'RESTART_ERROR',
  'STOP_ERROR',
  'DELETE_ERROR',
  'UNAVAILABLE',
  'CANCELED',
  'DEPLOYED',
  'RESTARTED',
  'RECAP',
  'STOPPED',
  'READY',
  'DELETED',
];

/** Aggregates the states of services; READY if there are none. */
export const aggregate = (states: readonly DeploymentState[]): DeploymentState =>
  aggregateOrder.find((state) => states.includes(state)) ?? 'READY';

/** The states of a cluster's upgrade. */
export const clusterUpgradeStates = {
  from: ['DEPLOYED', 'DEPLOYMENT_ERROR', 'RESTARTED'],
  queued: 'DEPLOYMENT_QUEUED',
  running: 'DEPLOYING',
  end: 'DEPLOYED',
  onFailure: 'DEPLOYMENT_ERROR',
} as const satisfies {
  from: readonly ClusterState[];
  queued: ClusterState;
  running: ClusterState;
  end: ClusterState;
  onFailure: ClusterState;
};

// The newest Kubernetes minor version that clusters can be upgraded to.
const newestMinor = 35;

/** The minor version after a version such as 1.32 or 1.32.4; null after the newest. */
export const nextVersion = (version: string): string | null => {
  const minor = Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? newestMinor);
  return minor < newestMinor ? `1.${minor + 1}` : null;
};

/** The transitions of alert rules. `for` is the rule's own duration. */
export const alertRuleTransitions = [
  { from: 'UNDEPLOYED', on: 'rolled out to the alerting system', to: 'OK', takes: [2, 5] },
  { from: 'OK', on: 'the condition has held for the duration', to: 'TRIGGERED', takes: 'for' },
  { from: 'TRIGGERED', on: 'grouped with other alerts', to: 'PENDING_NOTIFICATION', takes: [2, 4] },
  { from: 'SUPPRESSED', on: 'its silence has ended', to: 'PENDING_NOTIFICATION', takes: [0, 0] },
  { from: 'PENDING_NOTIFICATION', on: 'receivers notified', to: 'NOTIFIED', takes: [1, 3] },
] as const satisfies readonly { from: AlertRuleState; on: string; to: AlertRuleState; takes: SecondsRange | 'for' }[];

/** The states of an alert rule whose condition is met. */
export const firingStates: readonly AlertRuleState[] = [
  'TRIGGERED',
  'SUPPRESSED',
  'PENDING_NOTIFICATION',
  'NOTIFIED',
  'UNROUTED',
];
