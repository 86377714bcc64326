import type { OperationName } from '../../../../contract/operations.ts';
import type { Upgrade } from '../../../engine/context.ts';
import { seededRandom } from '../../../random.ts';
import type { Task } from '../../../runtime/runtime.ts';
import { effects, type RequestEffect, shapeOf, type StepEffect } from './effects.ts';
import type { FaultRule } from './rule.ts';

/** A rule that strikes requests. */
export type RequestFault = FaultRule & { readonly effect: RequestEffect };
/** A rule that strikes steps of deployments. */
export type StepFault = FaultRule & { readonly effect: StepEffect };

/** A rule, and how often it has struck. */
export type FaultRuleStatus = FaultRule & { readonly struck: number };

/** The rules in force. The first that strikes is what happens. */
export interface FaultRegistry {
  list(): FaultRuleStatus[];
  /** Adds a rule behind the others, or puts it in the place of the one of its name; its count begins anew. */
  put(rule: FaultRule): FaultRuleStatus;
  /** Whether there was such a rule. */
  remove(name: string): boolean;
  /** Has chance and all counts begin anew. The same seed gives the same chance. */
  reset(seed: string): void;
  /** What strikes a request; every request is a new chance. */
  forRequest(operation: OperationName): RequestFault | undefined;
  /** What strikes a step; the same step has the same answer, however often it is asked, as long as the rule is there. */
  forStep(task: Pick<Task, 'deploymentId' | 'service' | 'phase'>): StepFault | undefined;
  /** What strikes a cluster's upgrade; the same upgrade has the same answer. */
  forUpgrade(upgrade: Upgrade): FaultRule | undefined;
}

interface Entry {
  readonly rule: FaultRule;
  /** What it was asked about, for requests: how many. */
  attempts: number;
  struck: number;
  /** What it has struck, so that the same is struck again when it is asked about again. */
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

/** Whether it has struck as often as it may. */
const isExhausted = ({ rule, struck }: Entry): boolean => rule.count !== undefined && struck >= rule.count;

/** A book of rules. @param rules those it begins with @param seed what chance is drawn from */
export function createFaultRegistry(rules: readonly FaultRule[], seed: string): FaultRegistry {
  let entries = rules.map(entryOf);
  let chance = seed;

  const isDrawn = ({ rule }: Entry, what: string): boolean => seededRandom(`${chance}/${rule.name}/${what}`).number() < rule.probability;

  const strikesRequest = (entry: Entry): boolean => {
    entry.attempts += 1;
    if (isExhausted(entry) || !isDrawn(entry, String(entry.attempts))) return false;
    entry.struck += 1;
    return true;
  };

  const strikes = (entry: Entry, what: string): boolean => {
    if (entry.targets.has(what)) return true;
    if (isExhausted(entry) || !isDrawn(entry, what)) return false;
    entry.targets.add(what);
    entry.struck += 1;
    return true;
  };

  const first = (strike: (typeof effects)[FaultRule['effect']]['strikes'], matches: (rule: FaultRule) => boolean, hits: (entry: Entry) => boolean) =>
    entries.find((entry) => effects[entry.rule.effect].strikes === strike && matches(entry.rule) && hits(entry))?.rule;

  return {
    list: () => entries.map(statusOf),
    put: (rule) => {
      const entry = entryOf(rule);
      const place = entries.findIndex((one) => one.rule.name === rule.name);
      entries = place < 0 ? [...entries, entry] : entries.with(place, entry);
      return statusOf(entry);
    },
    remove: (name) => {
      const before = entries.length;
      entries = entries.filter(({ rule }) => rule.name !== name);
      return entries.length < before;
    },
    reset: (next) => {
      chance = next;
      entries = entries.map(({ rule }) => entryOf(rule));
    },
    forRequest: (operation) =>
      first('request', (rule) => rule.operation?.includes(operation) ?? true, strikesRequest) as RequestFault | undefined,
    forStep: (task) =>
      first('step', (rule) => matchesStep(rule, task), (entry) => strikes(entry, `${task.deploymentId}/${task.service.id}/${task.phase.step}`)) as StepFault | undefined,
    forUpgrade: ({ id, cluster }) =>
      first('upgrade', (rule) => matchesAny(rule.cluster, cluster.id, cluster.name), (entry) => strikes(entry, id)),
  };
}
