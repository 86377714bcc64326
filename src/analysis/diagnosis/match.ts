import { type Pattern, toPattern } from './pattern.ts';
import { rules } from './rules/rules.ts';
import { building, type Rule } from './rules/rule.ts';
import type { Situation, Facts } from './situation.ts';

/** A line that bears a sign of a rule. */
export interface Hit {
  readonly index: number;
  /** Place of the entry, which may be one of several lines of its message. */
  readonly place: number;
  readonly direct: boolean;
  readonly facts: Facts;
}

/** A rule whose cause shows in the evidence; without hits where it shows elsewhere than in the log. */
export interface Finding {
  readonly rule: Rule;
  readonly hits: readonly Hit[];
  readonly facts: Facts;
  /** How well it is shown: 3 and above surely, 2 likely, 1 possibly. */
  readonly strength: number;
  readonly why: readonly string[];
}

/** A pattern of a rule, and what it means when it matches. */
interface Test {
  readonly rule: Rule;
  readonly pattern: Pattern;
  readonly unless?: Pattern;
  readonly means: 'direct' | 'indirect' | 'recovered';
}

const tests: readonly Test[] = rules.flatMap((rule) => [
  ...rule.signs.map(({ pattern, indirect }): Test => ({
    rule, pattern: toPattern(pattern), unless: rule.unless && toPattern(rule.unless), means: indirect ? 'indirect' : 'direct',
  })),
  ...(rule.recovered ?? []).map((pattern): Test => ({ rule, pattern: toPattern(pattern), means: 'recovered' })),
]);

// What buildkit puts before each line of a step's output.
const buildPrefix = /^#\d+ \d+\.\d+ /;

// A message that tells of a fault does so early in its line.
const searchedLength = 1000;

type Found = Map<Rule, { hits: Hit[]; recoveredAt: number }>;

const searchEntries = ({ entries, evidence: { service } }: Situation): Found => {
  const found: Found = new Map();
  const asked = tests.filter(({ rule }) => rule.kinds?.includes(service.kind) !== false);
  for (const { index, place, text } of entries) {
    const said = text.slice(0, searchedLength).replace(buildPrefix, '');
    for (const { rule, pattern, unless, means } of asked) {
      const facts = pattern.match(said);
      if (facts === undefined || unless?.match(said)) continue;
      const { hits, recoveredAt } = found.get(rule) ?? { hits: [], recoveredAt: -1 };
      if (means !== 'recovered') hits.push({ index, place, direct: means === 'direct', facts });
      found.set(rule, { hits, recoveredAt: means === 'recovered' ? place : recoveredAt });
    }
  }
  return found;
};

/** Facts of all hits: direct signs before indirect ones; in a build the first error counts, while something runs the last. */
const mergedFacts = (hits: readonly Hit[], { failingStep }: Situation): Facts => {
  const inOrder = building.some((name) => name === failingStep?.name) ? hits.toReversed() : hits;
  const ordered = [...inOrder.filter(({ direct }) => !direct), ...inOrder.filter(({ direct }) => direct)];
  return Object.assign({}, ...ordered.map(({ facts }) => facts)) as Facts;
};

const directly = 3;
const indirectly = 1;

const stepWeight = ({ steps }: Rule, { failingStep }: Situation): { change: number; why?: string } =>
  failingStep === undefined || steps === undefined || steps.some((name) => name === failingStep.name)
    ? { change: 0 }
    : { change: -1, why: `the step that failed, ${failingStep.name}, isn't one where this is usual` };

const fromHits = (rule: Rule, hits: readonly Hit[], situation: Situation): Finding | undefined => {
  const isDirect = hits.some(({ direct }) => direct);
  const seen = mergedFacts(hits, situation);
  const weight = rule.weigh?.(seen, situation);
  if (weight === 'dismiss') return undefined;
  const step = stepWeight(rule, situation);
  const sign = isDirect ? 'a line of the log says so' : 'the log hints at it';
  return {
    rule, hits,
    facts: { ...seen, ...weight?.facts },
    strength: (isDirect ? directly : indirectly) + (weight?.change ?? 0) + step.change,
    why: [sign, weight?.why, step.why].filter((reason) => reason !== undefined),
  };
};

const observed = (rule: Rule, situation: Situation): Finding | undefined => {
  const seen = rule.observe?.(situation);
  return seen && { rule, hits: [], facts: seen.facts ?? {}, strength: seen.indirect ? 2 : directly + 1, why: [seen.why] };
};

/** Every cause that shows in the situation. Takes time in proportion to the log. */
export function findCauses(situation: Situation): Finding[] {
  const inLog = [...searchEntries(situation)].flatMap(([rule, { hits, recoveredAt }]) => {
    const standing = hits.filter(({ place }) => place > recoveredAt);
    return standing.length > 0 ? (fromHits(rule, standing, situation) ?? []) : [];
  });
  const others = rules.filter((rule) => !inLog.some((finding) => finding.rule === rule));
  return [...inLog, ...others.flatMap((rule) => observed(rule, situation) ?? [])];
}
