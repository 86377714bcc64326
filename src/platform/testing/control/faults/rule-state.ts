import { seededRandom } from '../../../common/index.ts';
import { faultEffects } from './effects.ts';
import type { FaultRule } from './rule.ts';

/** A rule with its draws and counts. */
interface RuleState {
  readonly rule: FaultRule;
  /** The number of requests that the rule was drawn for. */
  readonly attempts: number;
  readonly struck: number;
  /** Keys of the steps and upgrades that it was applied to, so that a repeated call gives the same result. */
  readonly targets: readonly string[];
}

/** All rules in their order, and the seed of their random draws. Plain data, which can be stored as JSON. */
export interface FaultState {
  readonly seed: string;
  readonly rules: readonly RuleState[];
}

/** The result of a decision and the state after it, which is the same object if nothing changed. */
export interface RuleDecision<Result> {
  readonly state: FaultState;
  readonly result: Result;
}

/** A rule, and how often it was applied. */
export type FaultRuleStatus = FaultRule & { readonly struck: number };

/** The kind of target of an effect. */
export type FaultTarget = (typeof faultEffects)[FaultRule['effect']]['target'];

const unused = (rule: FaultRule): RuleState => ({ rule, attempts: 0, struck: 0, targets: [] });

const statusOf = ({ rule, struck }: RuleState): FaultRuleStatus => ({ ...rule, struck });

/** The initial state. */
export const initialState = (rules: readonly FaultRule[], seed: string): FaultState => ({
  seed,
  rules: rules.map(unused),
});

/** The rules with their counts. */
export const statusesOf = ({ rules }: FaultState): FaultRuleStatus[] => rules.map(statusOf);

/** Appends a rule, or replaces the rule of the same name in its place. Its count starts from 0. */
export function withRule(state: FaultState, rule: FaultRule): RuleDecision<FaultRuleStatus> {
  const added = unused(rule);
  const index = state.rules.findIndex((each) => each.rule.name === rule.name);
  return {
    state: { ...state, rules: index < 0 ? [...state.rules, added] : state.rules.with(index, added) },
    result: statusOf(added),
  };
}

/** Appends or replaces a rule, unless it exists unchanged. Then its count continues. */
export const withRuleUnlessPresent = (state: FaultState, rule: FaultRule): FaultState =>
  state.rules.some((each) => JSON.stringify(each.rule) === JSON.stringify(rule)) ? state : withRule(state, rule).state;

/** Removes a rule; false if there is none of that name. */
export function withoutRule(state: FaultState, name: string): RuleDecision<boolean> {
  const rules = state.rules.filter(({ rule }) => rule.name !== name);
  return rules.length === state.rules.length ? { state, result: false } : { state: { ...state, rules }, result: true };
}

/** The same rules, whose counts start from 0, with another seed. */
export const restarted = ({ rules }: FaultState, seed: string): FaultState =>
  initialState(
    rules.map(({ rule }) => rule),
    seed,
  );

/** Whether a rule was applied as often as its `count` allows. */
const isExhausted = ({ rule, struck }: RuleState): boolean => rule.count !== undefined && struck >= rule.count;

const isDrawn = (seed: string, { rule }: RuleState, key: string): boolean =>
  seededRandom(`${seed}/${rule.name}/${key}`).number() < rule.probability;

/**
 * Tries a rule that matches.
 * @param key of a target for which the result stays the same; undefined if each request is drawn separately
 */
function tried(
  seed: string,
  state: RuleState,
  key: string | undefined,
): { readonly next: RuleState; readonly applies: boolean } {
  if (key !== undefined && state.targets.includes(key)) return { next: state, applies: true };
  if (isExhausted(state)) return { next: state, applies: false };
  if (key !== undefined) {
    return isDrawn(seed, state, key)
      ? { next: { ...state, struck: state.struck + 1, targets: [...state.targets, key] }, applies: true }
      : { next: state, applies: false };
  }
  const attempts = state.attempts + 1;
  const applies = isDrawn(seed, state, String(attempts));
  return { next: { ...state, attempts, struck: state.struck + (applies ? 1 : 0) }, applies };
}

/** The first rule that matches and is drawn, if any. @param key see `tried` */
export function drawnRule(
  state: FaultState,
  target: FaultTarget,
  matches: (rule: FaultRule) => boolean,
  key?: string,
): RuleDecision<FaultRule | undefined> {
  const rules = [...state.rules];
  let result: FaultRule | undefined;
  for (const [index, each] of state.rules.entries()) {
    // A process of another version may have written an effect that this one doesn't know.
    if (
      !Object.hasOwn(faultEffects, each.rule.effect) ||
      faultEffects[each.rule.effect].target !== target ||
      !matches(each.rule)
    )
      continue;
    const { next, applies } = tried(state.seed, each, key);
    rules[index] = next;
    if (applies) {
      result = each.rule;
      break;
    }
  }
  return { state: rules.every((rule, index) => rule === state.rules[index]) ? state : { ...state, rules }, result };
}
