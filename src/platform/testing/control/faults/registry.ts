import type { OperationName } from '../../../../contract/index.ts';
import type { ClusterUpgrade } from '../../../runtime/index.ts';
import { seededRandom } from '../../../common/index.ts';
import type { Task } from '../../../runtime/index.ts';
import { faultEffects, type RequestEffect, shapeOf, type StepEffect } from './effects.ts';
import type { FaultRule } from './rule.ts';

/** A rule that applies to requests. */
export type RequestFault = FaultRule & { readonly effect: RequestEffect };
/** A rule that applies to steps of deployments. */
export type StepFault = FaultRule & { readonly effect: StepEffect };

/** A rule, and how often it was applied. */
export type FaultRuleStatus = FaultRule & { readonly struck: number };

/** The fault rules in force. The first one that matches and is drawn applies. */
export interface FaultRegistry {
  list(): FaultRuleStatus[];
  /** Appends a rule, or replaces the rule of the same name in its place. Its count starts from 0. */
  put(rule: FaultRule): FaultRuleStatus;
  /** Removes a rule. Returns false if there is none of that name. */
  remove(name: string): boolean;
  /** Resets the random draws and all counts. The same seed gives the same draws. */
  reset(seed: string): void;
  /** The fault for a request, if any. Every request is drawn anew. */
  forRequest(operation: OperationName): RequestFault | undefined;
  /** The fault for a step, if any. Repeated calls for the same step give the same result while the rule exists. */
  forStep(task: Pick<Task, 'deploymentId' | 'service' | 'phase'>): StepFault | undefined;
  /** The fault for a cluster's upgrade, if any. Repeated calls for the same upgrade give the same result. */
  forUpgrade(upgrade: ClusterUpgrade): FaultRule | undefined;
}

interface Entry {
  readonly rule: FaultRule;
  /** How many requests the rule was drawn for. */
  attempts: number;
  struck: number;
  /** Keys of the steps and upgrades that it was applied to, so that a repeated call gives the same result. */
  readonly targets: Set<string>;
}

const entryOf = (rule: FaultRule): Entry => ({ rule, attempts: 0, struck: 0, targets: new Set() });

const statusOf = ({ rule, struck }: Entry): FaultRuleStatus => ({ ...rule, struck });

const matchesAny = (wanted: string | undefined, ...names: readonly string[]): boolean => wanted === undefined || names.includes(wanted);

const matchesStep = ({ effect, service, kind, environment, step }: FaultRule, task: Parameters<FaultRegistry['forStep']>[0]): boolean => {
  const { steps } = shapeOf(effect);
  return (steps?.includes(task.phase.step) ?? true)
    && matchesAny(step, task.phase.step)
    && matchesAny(service, task.service.id, task.service.name)
    && matchesAny(kind, task.service.kind)
    && matchesAny(environment, task.service.environmentId);
};

/** Whether a rule was applied as often as its `count` allows. */
const isExhausted = ({ rule, struck }: Entry): boolean => rule.count !== undefined && struck >= rule.count;

/** Creates a registry with some initial rules. @param seed of the random draws */
export function createFaultRegistry(rules: readonly FaultRule[], seed: string): FaultRegistry {
  let entries = rules.map(entryOf);
  let currentSeed = seed;

  const isDrawn = ({ rule }: Entry, key: string): boolean => seededRandom(`${currentSeed}/${rule.name}/${key}`).number() < rule.probability;

  const appliesToRequest = (entry: Entry): boolean => {
    entry.attempts += 1;
    if (isExhausted(entry) || !isDrawn(entry, String(entry.attempts))) return false;
    entry.struck += 1;
    return true;
  };

  const appliesTo = (entry: Entry, key: string): boolean => {
    if (entry.targets.has(key)) return true;
    if (isExhausted(entry) || !isDrawn(entry, key)) return false;
    entry.targets.add(key);
    entry.struck += 1;
    return true;
  };

  const first = (target: (typeof faultEffects)[FaultRule['effect']]['target'], matches: (rule: FaultRule) => boolean, applies: (entry: Entry) => boolean) =>
    entries.find((entry) => faultEffects[entry.rule.effect].target === target && matches(entry.rule) && applies(entry))?.rule;

  return {
    list: () => entries.map(statusOf),
    put: (rule) => {
      const entry = entryOf(rule);
      const index = entries.findIndex((each) => each.rule.name === rule.name);
      entries = index < 0 ? [...entries, entry] : entries.with(index, entry);
      return statusOf(entry);
    },
    remove: (name) => {
      const before = entries.length;
      entries = entries.filter(({ rule }) => rule.name !== name);
      return entries.length < before;
    },
    reset: (nextSeed) => {
      currentSeed = nextSeed;
      entries = entries.map(({ rule }) => entryOf(rule));
    },
    forRequest: (operation) =>
      first('request', (rule) => rule.operation?.includes(operation) ?? true, appliesToRequest) as RequestFault | undefined,
    forStep: (task) =>
      first('step', (rule) => matchesStep(rule, task), (entry) => appliesTo(entry, `${task.deploymentId}/${task.service.id}/${task.phase.step}`)) as StepFault | undefined,
    forUpgrade: ({ id, cluster }) =>
      first('upgrade', (rule) => matchesAny(rule.cluster, cluster.id, cluster.name), (entry) => appliesTo(entry, id)),
  };
}
