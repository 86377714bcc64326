import { type Pattern, toPattern } from './pattern.ts';
import { rules } from './rules/rules.ts';
import { buildSteps, type CauseRule } from './rules/rule.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/** A line that bears a sign of a rule. */
export interface Hit {
  readonly index: number;
  /** Place of the entry, which may be one of several lines of its message. */
  readonly position: number;
  readonly direct: boolean;
  readonly facts: Facts;
}

/** A rule whose cause shows in the evidence; without hits where it shows elsewhere than in the log. */
export interface RuleMatch {
  readonly rule: CauseRule;
  readonly hits: readonly Hit[];
  readonly facts: Facts;
  /** How well it is shown: 3 and above surely, 2 likely, 1 possibly. */
  readonly strength: number;
  readonly why: readonly string[];
}

/** A pattern of a rule, and what it means when it matches. */
interface SignTest {
  readonly rule: CauseRule;
  readonly pattern: Pattern;
  readonly unless?: Pattern;
  readonly meaning: 'direct' | 'indirect' | 'recovered';
}

const signTests: readonly SignTest[] = rules.flatMap((rule) => [
  ...rule.signs.map(({ pattern, indirect }): SignTest => ({
    rule, pattern: toPattern(pattern), unless: rule.unless && toPattern(rule.unless), meaning: indirect ? 'indirect' : 'direct',
  })),
  ...(rule.recovered ?? []).map((pattern): SignTest => ({ rule, pattern: toPattern(pattern), meaning: 'recovered' })),
]);

// What buildkit puts before each line of a step's output.
const buildPrefix = /^#\d+ \d+\.\d+ /;

// A message that tells of a fault does so early in its line.
const searchedLength = 1000;

type HitsByRule = Map<CauseRule, { hits: Hit[]; recoveredAt: number }>;

const searchEntries = ({ entries, evidence: { service } }: DeploymentSituation): HitsByRule => {
  const found: HitsByRule = new Map();
  const asked = signTests.filter(({ rule }) => rule.kinds?.includes(service.kind) !== false);
  for (const { index, position: place, text } of entries) {
    const said = text.slice(0, searchedLength).replace(buildPrefix, '');
    for (const { rule, pattern, unless, meaning: means } of asked) {
      const facts = pattern.match(said);
      if (facts === undefined || unless?.match(said)) continue;
      const { hits, recoveredAt } = found.get(rule) ?? { hits: [], recoveredAt: -1 };
      if (means !== 'recovered') hits.push({ index, position: place, direct: means === 'direct', facts });
      found.set(rule, { hits, recoveredAt: means === 'recovered' ? place : recoveredAt });
    }
  }
  return found;
};

/** Facts of all hits: direct signs before indirect ones; in a build the first error counts, while something runs the last. */
const mergedFacts = (hits: readonly Hit[], { failingStep }: DeploymentSituation): Facts => {
  const inOrder = buildSteps.some((name) => name === failingStep?.name) ? hits.toReversed() : hits;
  const ordered = [...inOrder.filter(({ direct }) => !direct), ...inOrder.filter(({ direct }) => direct)];
  return Object.assign({}, ...ordered.map(({ facts }) => facts)) as Facts;
};

const directStrength = 3;
const indirectStrength = 1;

const stepWeight = ({ steps }: CauseRule, { failingStep }: DeploymentSituation): { change: number; why?: string } =>
  failingStep === undefined || steps === undefined || steps.some((name) => name === failingStep.name)
    ? { change: 0 }
    : { change: -1, why: `the step that failed, ${failingStep.name}, isn't one where this is usual` };

const matchByHits = (rule: CauseRule, hits: readonly Hit[], situation: DeploymentSituation): RuleMatch | undefined => {
  const isDirect = hits.some(({ direct }) => direct);
  const seen = mergedFacts(hits, situation);
  const weight = rule.weigh?.(seen, situation);
  if (weight === 'dismiss') return undefined;
  const step = stepWeight(rule, situation);
  const sign = isDirect ? 'a line of the log says so' : 'the log hints at it';
  return {
    rule, hits,
    facts: { ...seen, ...weight?.facts },
    strength: (isDirect ? directStrength : indirectStrength) + (weight?.change ?? 0) + step.change,
    why: [sign, weight?.why, step.why].filter((reason) => reason !== undefined),
  };
};

const matchByObservation = (rule: CauseRule, situation: DeploymentSituation): RuleMatch | undefined => {
  const seen = rule.observe?.(situation);
  return seen && { rule, hits: [], facts: seen.facts ?? {}, strength: seen.indirect ? 2 : directStrength + 1, why: [seen.why] };
};

/** Every cause that shows in the situation. Takes time in proportion to the log. */
export function findCauses(situation: DeploymentSituation): RuleMatch[] {
  const inLog = [...searchEntries(situation)].flatMap(([rule, { hits, recoveredAt }]) => {
    const standing = hits.filter(({ position: place }) => place > recoveredAt);
    return standing.length > 0 ? (matchByHits(rule, standing, situation) ?? []) : [];
  });
  const others = rules.filter((rule) => !inLog.some((finding) => finding.rule === rule));
  return [...inLog, ...others.flatMap((rule) => matchByObservation(rule, situation) ?? [])];
}
