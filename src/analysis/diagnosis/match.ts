import { RE2JS } from 're2js';
import { conditionChain, firstPart, type Reason } from '../../contract/index.ts';
import type { Entry } from '../logs/entries.ts';
import { rules } from './rules/rules.ts';
import { buildSteps, type CauseRule } from './rules/rule.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/** A regular expression that matches in linear time, even against hostile text. */
interface Pattern {
  /** The named groups of the first match, without empty ones; undefined if nothing matches. */
  readonly match: (text: string) => Readonly<Record<string, string>> | undefined;
}

const repeats = /^(?:[*?]|\{0,?)/;

// A required group without alternatives and nested groups.
const plainGroup = /(?<!\\)\((?:\?<\w+>|\?:)?((?:[^()|?\\]|\\[^()|])(?:[^()|\\]|\\[^()|])*)\)(?![*?{])/g;

/**
 * The longest literal text that every match of the expression must contain; empty if there is none. Only plain groups
 * are searched.
 */
export function requiredText(expression: string): string {
  const source = expression.replace(plainGroup, '$1');
  const runs = [''];
  let depth = 0;
  for (let index = 0; index < source.length; index += 1) {
    const char = source[index] ?? '';
    if (char === '\\') index += 1;
    const escaped = char === '\\' ? (source[index] ?? '') : '';
    if (char === '[')
      while (index + 1 < source.length && source[index] !== ']') index += source[index] === '\\' ? 2 : 1;
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === '|' && depth === 0) return '';
    const literal = char === '\\' ? (/\w/.test(escaped) ? '' : escaped) : /[\^$.*+?{}()[\]|]/.test(char) ? '' : char;
    const isPlain = depth === 0 && literal !== '';
    if (isPlain && !repeats.test(source.slice(index + 1))) runs.push((runs.pop() ?? '') + literal);
    else if (depth > 0 || !isPlain || runs.at(-1) !== '') runs.push('');
    if (char === '{') index = Math.max(index, source.indexOf('}', index));
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

const groupNames = (source: string): string[] => [...source.matchAll(/\(\?<(\w+)>/g)].map((group) => group[1] ?? '');

/** Creates a pattern from an expression without flags. It is compiled when a text first contains its required text. */
export function toPattern({ source }: RegExp): Pattern {
  const required = requiredText(source);
  const names = groupNames(source);
  let compiled: RE2JS | undefined;
  return {
    match: (text) => {
      if (!text.includes(required)) return undefined;
      compiled ??= RE2JS.compile(RE2JS.translateRegExp(source));
      // `test` runs on an automaton; only capturing groups needs the slower engine.
      if (!compiled.test(text)) return undefined;
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return Object.fromEntries(
        names.flatMap((name) => {
          const value = matcher.group(name);
          return value ? [[name, value]] : [];
        }),
      );
    },
  };
}

/** A line that matches a sign of a rule. */
export interface Hit {
  readonly index: number;
  /** Position of the entry, which may be one of several lines of its message. */
  readonly position: number;
  readonly direct: boolean;
  readonly facts: Facts;
}

/** A rule that matches the evidence; without hits if it matches something other than the log. */
export interface CauseMatch {
  readonly rule: CauseRule;
  readonly hits: readonly Hit[];
  readonly facts: Facts;
  /** Strength of the match: 3 and more certain, 2 likely, 1 possible. */
  readonly strength: number;
  readonly why: readonly string[];
}

/** A pattern of a rule, and the meaning of a match. */
interface SignTest {
  readonly rule: CauseRule;
  readonly pattern: Pattern;
  readonly unless?: Pattern;
  readonly meaning: 'direct' | 'indirect' | 'recovered';
}

const signTests: readonly SignTest[] = rules.flatMap((rule) => [
  ...rule.signs.map(({ pattern, indirect }): SignTest => ({
    rule,
    pattern: toPattern(pattern),
    unless: rule.unless && toPattern(rule.unless),
    meaning: indirect ? 'indirect' : 'direct',
  })),
  ...(rule.recovered ?? []).map((pattern): SignTest => ({ rule, pattern: toPattern(pattern), meaning: 'recovered' })),
]);

/** The condition signs of all rules, by reason. */
const conditionTests = Map.groupBy(
  rules.flatMap((rule) => (rule.conditions ?? []).map((each) => ({ rule, ...each }))),
  ({ reason }) => reason,
);
const recoveries = Map.groupBy(
  rules.flatMap((rule) => (rule.recoveredBy ?? []).map((reason) => ({ rule, reason }))),
  ({ reason }) => reason,
);

// The prefix that buildkit adds to each line of a step's output.
const buildPrefix = /^#\d+ \d+\.\d+ /;

// Number of characters of a line that are searched: a message mentions a fault early.
const searchedLength = 1000;

type HitsByRule = Map<CauseRule, { hits: Hit[]; recoveredAt: number }>;

/** The conditions that the platform attached to a line, with their causes. */
const statedIn = ({ condition }: Entry) =>
  condition
    ? conditionChain(condition).flatMap((each) =>
        (conditionTests.get(each.reason as Reason) ?? []).map((test) => ({ ...test, facts: test.factsIn(each) })),
      )
    : [];

const searchEntries = ({ entries, evidence: { service } }: DeploymentSituation): HitsByRule => {
  const found: HitsByRule = new Map();
  const isApplicable = ({ rule }: { readonly rule: CauseRule }): boolean =>
    rule.kinds?.includes(service.kind) !== false;
  const of = (rule: CauseRule) => {
    if (!found.has(rule)) found.set(rule, { hits: [], recoveredAt: -1 });
    return found.get(rule)!;
  };
  const applicable = signTests.filter(isApplicable);
  for (const entry of entries) {
    const { index, position, searched, condition } = entry;
    for (const { rule, indirect, facts } of statedIn(entry).filter(isApplicable))
      if (facts) of(rule).hits.push({ index, position, direct: !indirect, facts });
    for (const { rule } of recoveries.get(condition?.reason as Reason) ?? []) of(rule).recoveredAt = position;
    const message = firstPart(searched, searchedLength).replace(buildPrefix, '');
    if (message === '') continue;
    for (const { rule, pattern, unless, meaning } of applicable) {
      const facts = pattern.match(message);
      if (facts === undefined || unless?.match(message)) continue;
      if (meaning === 'recovered') of(rule).recoveredAt = position;
      else of(rule).hits.push({ index, position, direct: meaning === 'direct', facts });
    }
  }
  return found;
};

/**
 * The merged facts of all hits. Direct signs override indirect ones; in a build the first error wins, at run time the
 * last.
 */
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

const matchByHits = (rule: CauseRule, hits: readonly Hit[], situation: DeploymentSituation): CauseMatch | undefined => {
  const isDirect = hits.some(({ direct }) => direct);
  const facts = mergedFacts(hits, situation);
  const weight = rule.weigh?.(facts, situation);
  if (weight === 'dismiss') return undefined;
  const step = stepWeight(rule, situation);
  const sign = isDirect ? 'a line of the log says so' : 'the log hints at it';
  return {
    rule,
    hits,
    facts: { ...facts, ...weight?.facts },
    strength: (isDirect ? directStrength : indirectStrength) + (weight?.change ?? 0) + step.change,
    why: [sign, weight?.why, step.why].filter((reason) => reason !== undefined),
  };
};

const matchByObservation = (rule: CauseRule, situation: DeploymentSituation): CauseMatch | undefined => {
  const observation = rule.observe?.(situation);
  return (
    observation && {
      rule,
      hits: [],
      facts: observation.facts ?? {},
      strength: observation.indirect ? 2 : directStrength + 1,
      why: [observation.why],
    }
  );
};

/** Finds every rule that matches the situation, in time linear in the length of the log. */
export function findCauses(situation: DeploymentSituation): CauseMatch[] {
  const inLog = [...searchEntries(situation)].flatMap(([rule, { hits, recoveredAt }]) => {
    const current = hits.filter(({ position }) => position > recoveredAt);
    return current.length > 0 ? (matchByHits(rule, current, situation) ?? []) : [];
  });
  const others = rules.filter((rule) => !inLog.some((finding) => finding.rule === rule));
  return [...inLog, ...others.flatMap((rule) => matchByObservation(rule, situation) ?? [])];
}
