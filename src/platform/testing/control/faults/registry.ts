import type { OperationName } from '../../../../contract/index.ts';
import type { ClusterUpgrade, Task } from '../../../runtime/index.ts';
import { type RequestEffect, shapeOf, type StepEffect } from './effects.ts';
import type { FaultKeeper } from './keepers.ts';
import type { FaultRule } from './rule.ts';
import {
  type RuleDecision,
  drawnRule,
  type FaultRuleStatus,
  type FaultState,
  type FaultTarget,
  statusesOf,
  withoutRule,
  withRule,
} from './rule-state.ts';

/** A rule that applies to requests. */
export type RequestFault = FaultRule & { readonly effect: RequestEffect };
/** A rule that applies to steps of deployments. */
export type StepFault = FaultRule & { readonly effect: StepEffect };

/** The fault rules in force. The first one that matches and is drawn applies. */
export interface FaultRegistry {
  list(): Promise<FaultRuleStatus[]>;
  /** Appends a rule, or replaces the rule of the same name in its place. Its count starts from 0. */
  put(rule: FaultRule): Promise<FaultRuleStatus>;
  /** Removes a rule. Returns false if there is none of that name. */
  remove(name: string): Promise<boolean>;
  /**
   * Starts the registry, at a start and after the records were replaced; see `FaultKeeper.start`. The same seed gives
   * the same draws.
   */
  start(seed: string): Promise<void>;
  /** The fault for a request, if any. Each request is drawn separately. */
  forRequest(operation: OperationName): Promise<RequestFault | undefined>;
  /** The fault for a step, if any. Repeated calls for the same step give the same result while the rule exists. */
  forStep(task: Pick<Task, 'deploymentId' | 'service' | 'phase'>): Promise<StepFault | undefined>;
  /** The fault for a cluster's upgrade, if any. Repeated calls for the same upgrade give the same result. */
  forUpgrade(upgrade: ClusterUpgrade): Promise<FaultRule | undefined>;
  close(): void;
}

const matchesAny = (wanted: string | undefined, ...names: readonly string[]): boolean =>
  wanted === undefined || names.includes(wanted);

const matchesStep = (
  { effect, service, kind, environment, step }: FaultRule,
  task: Parameters<FaultRegistry['forStep']>[0],
): boolean => {
  const { steps } = shapeOf(effect);
  return (
    (steps?.includes(task.phase.step) ?? true) &&
    matchesAny(step, task.phase.step) &&
    matchesAny(service, task.service.id, task.service.name) &&
    matchesAny(kind, task.service.kind) &&
    matchesAny(environment, task.service.environmentId)
  );
};

/** Creates a registry of the rules in a keeper. */
export function createFaultRegistry(keeper: FaultKeeper): FaultRegistry {
  /** Applies a decision to the current rules, and writes only if it changes them. */
  const decided = async <Result>(
    decide: (state: FaultState) => RuleDecision<Result>,
    otherwise: Result,
  ): Promise<Result> => {
    const present = await keeper.read();
    if (present === undefined) return otherwise;
    const { state, result } = decide(present);
    return state === present ? result : keeper.change(decide);
  };

  const drawn = (
    target: FaultTarget,
    matches: (rule: FaultRule) => boolean,
    key?: string,
  ): Promise<FaultRule | undefined> => decided((state) => drawnRule(state, target, matches, key), undefined);

  return {
    list: () => decided((state) => ({ state, result: statusesOf(state) }), []),
    put: (rule) => keeper.change((state) => withRule(state, rule)),
    remove: (name) => decided((state) => withoutRule(state, name), false),
    start: (seed) => keeper.start(seed),
    forRequest: async (operation) =>
      (await drawn('request', (rule) => rule.operation?.includes(operation) ?? true)) as RequestFault | undefined,
    forStep: async (task) =>
      (await drawn(
        'step',
        (rule) => matchesStep(rule, task),
        `${task.deploymentId}/${task.service.id}/${task.phase.step}`,
      )) as StepFault | undefined,
    forUpgrade: ({ id, cluster }) => drawn('upgrade', (rule) => matchesAny(rule.cluster, cluster.id, cluster.name), id),
    close: () => keeper.close(),
  };
}
