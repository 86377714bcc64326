import { DeploymentAction, type DeploymentState, type ServiceKind, type StepName } from '../../contract/index.ts';
import { canceling, statePathOf, refusals, settledStates } from './lifecycle.ts';

/** A transition in a service's lifecycle. */
export interface Transition {
  readonly from: DeploymentState;
  readonly on: string;
  readonly to: DeploymentState;
  /** The step that the service ends by it. */
  readonly step?: StepName;
}

const actionTransitions = (kind: ServiceKind, action: DeploymentAction): Transition[] => {
  const { queued, waiting, phases, end } = statePathOf(kind, action);
  const first = phases[0].state;
  const requested = settledStates
    .filter((from) => !refusals[action]?.from.some((refused) => refused === from))
    .map((from) => ({ from, on: `${action} requested`, to: queued }));
  const forward = phases.flatMap(({ state, step, onFailure }, index) => [
    { from: state, on: `${step} succeeded`, to: phases[index + 1]?.state ?? end, step },
    { from: state, on: `${step} failed`, to: onFailure },
  ]).filter(({ from, to }) => from !== to);
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

/** Every transition of a kind of service, without duplicates. A later request can also replace the displayed state during a transition. */
export const transitionsOf = (kind: ServiceKind): Transition[] => {
  const all = DeploymentAction.options.flatMap((action) => actionTransitions(kind, action));
  return [...new Map(all.map((transition) => [key(transition), transition])).values()];
};

/** The lifecycle of a kind of service as a Mermaid state diagram. @param takes how long a step takes, in words */
export const diagramOf = (kind: ServiceKind, takes: (step: StepName) => string): string => {
  const arrows = transitionsOf(kind).map(({ from, on, to, step }) => `  ${from} --> ${to}: ${on}${step ? ` (${takes(step)})` : ''}`);
  return ['stateDiagram-v2', '  [*] --> READY: created', ...arrows].join('\n');
};
