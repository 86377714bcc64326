import { RE2JS, RE2Set } from 're2js';
import { rules } from './rules/rules.ts';
import { building, type Facts, type Rule } from './rules/rule.ts';
import type { Situation } from './situation.ts';

/** A line that bears a sign of a rule. */
export interface Hit {
  readonly index: number;
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

interface Pattern {
  readonly rule: Rule;
  readonly matcher: RE2JS;
  readonly names: readonly string[];
  readonly means: 'direct' | 'indirect' | 'recovered';
}

interface Matcher {
  readonly all: RE2Set;
  readonly patterns: readonly Pattern[];
}

const namesIn = (source: string): string[] => [...source.matchAll(/\(\?<(\w+)>/g)].map((group) => group[1] ?? '');

const pattern = (rule: Rule, expression: RegExp, means: Pattern['means']): Pattern => ({
  rule, means, matcher: RE2JS.compile(RE2JS.translateRegExp(expression)), names: namesIn(expression.source),
});

let compiled: Matcher | undefined;

// All patterns run over a line at once, in time that depends on its length alone: whoever writes logs can't stall this.
const matcher = (): Matcher => {
  if (compiled) return compiled;
  const patterns = rules.flatMap((rule) => [
    ...rule.signs.map((sign) => pattern(rule, sign.pattern, sign.indirect ? 'indirect' : 'direct')),
    ...(rule.recovered ?? []).map((expression) => pattern(rule, expression, 'recovered')),
  ]);
  const all = new RE2Set();
  for (const { matcher: one } of patterns) all.add(one.pattern());
  all.compile();
  compiled = { all, patterns };
  return compiled;
};

// What buildkit puts before each line of a step's output.
const buildPrefix = /^#\d+ \d+\.\d+ /;

type Found = Map<Rule, { hits: Hit[]; recoveredAt: number }>;

const factsOf = ({ matcher: one, names }: Pattern, text: string): Facts => {
  const found = names.length > 0 ? one.matcher(text) : undefined;
  if (!found?.find()) return {};
  return Object.fromEntries(names.flatMap((name) => {
    const value = found.group(name);
    return value ? [[name, value]] : [];
  }));
};

const searchEntries = ({ entries, evidence: { service } }: Situation): Found => {
  const { all, patterns } = matcher();
  const found: Found = new Map();
  for (const { index, text } of entries) {
    const said = text.replace(buildPrefix, '');
    for (const place of all.match(said)) {
      const one = patterns[place];
      if (one === undefined || one.rule.kinds?.includes(service.kind) === false) continue;
      const { hits, recoveredAt } = found.get(one.rule) ?? { hits: [], recoveredAt: -1 };
      if (one.means !== 'recovered') hits.push({ index, direct: one.means === 'direct', facts: factsOf(one, said) });
      found.set(one.rule, { hits, recoveredAt: one.means === 'recovered' ? index : recoveredAt });
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
  const sign = isDirect ? 'the log says so' : 'the log only hints at it';
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
    const standing = hits.filter(({ index }) => index > recoveredAt);
    return standing.length > 0 ? (fromHits(rule, standing, situation) ?? []) : [];
  });
  const others = rules.filter((rule) => !inLog.some((finding) => finding.rule === rule));
  return [...inLog, ...others.flatMap((rule) => observed(rule, situation) ?? [])];
}
