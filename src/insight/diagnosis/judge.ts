import type { Cause, Confidence } from './diagnosis.ts';
import type { Finding } from './match.ts';
import { building, type Rule } from './rules/rule.ts';
import type { Situation } from './situation.ts';

const layers: readonly Rule['layer'][] = ['cause', 'mechanism', 'symptom'];

const lastHit = ({ hits }: Finding): number => hits.at(-1)?.index ?? -1;

/** Without those that a more telling one covers: its signs are theirs as well. */
const uncovered = (findings: readonly Finding[]): Finding[] => {
  const covered = new Set(findings.flatMap(({ rule, strength }) => (strength > 0 ? (rule.over ?? []) : [])));
  return findings.filter(({ rule }) => !covered.has(rule.code));
};

/** Most telling first: a cause before what it brings about, then the better shown, then the one nearest to the failure. */
const ranked = (findings: readonly Finding[], { failingStep }: Situation): Finding[] => {
  const firstCounts = building.some((name) => name === failingStep?.name) ? -1 : 1;
  return findings.toSorted((one, other) =>
    layers.indexOf(one.rule.layer) - layers.indexOf(other.rule.layer)
    || other.strength - one.strength
    || (lastHit(other) - lastHit(one)) * firstCounts);
};

const confidenceOf = (strength: number): Confidence => (strength >= 3 ? 'high' : strength === 2 ? 'medium' : 'low');

// Most lines that a cause quotes.
const mostQuotes = 3;

const quotesOf = ({ hits }: Finding): number[] => {
  const telling = hits.some(({ direct }) => direct) ? hits.filter(({ direct }) => direct) : hits;
  const indexes = [...new Set(telling.map(({ index }) => index))];
  return indexes.length <= mostQuotes ? indexes : [...indexes.slice(0, mostQuotes - 1), indexes.at(-1) ?? 0];
};

const toCause = (finding: Finding, situation: Situation, strength = finding.strength, why: readonly string[] = finding.why): Cause => ({
  code: finding.rule.code,
  sentence: finding.rule.sentence(finding.facts, situation),
  confidence: confidenceOf(strength),
  why: why.join('; '),
  quotes: quotesOf(finding),
});

/** What was decided: the cause, the finding behind it, and what else was seen. */
export interface Judgement {
  readonly cause: Cause;
  readonly finding?: Finding;
  readonly also: readonly Cause[];
}

const mostOthers = 2;

const nothing = ({ outcome, entries }: Situation): Cause => {
  const sentences = {
    never_deployed: 'It was never deployed, or no deployment is known by that id.',
    succeeded: 'Nothing failed: the deployment ended well.',
    in_progress: 'It is still going, and nothing that was read tells of trouble.',
    canceled: '', failed: '',
  };
  const code = outcome === 'never_deployed' || outcome === 'succeeded' ? 'none' : 'unknown';
  const sentence = sentences[outcome] || 'The cause is not known: nothing that was read fits a known one.';
  return { code, sentence, why: entries.length === 0 ? 'there is no log line of this deployment' : `${entries.length} log lines were read`, quotes: [] };
};

/**
 * Decides on the cause. Where two are about as well shown, the confidence falls; where none is shown better than
 * another hint, the cause stays unknown and the hints stand beside it.
 */
export function judge(findings: readonly Finding[], situation: Situation): Judgement {
  if (situation.outcome === 'never_deployed' || situation.outcome === 'succeeded') return { cause: nothing(situation), also: [] };
  const [first, ...others] = ranked(uncovered(findings), situation);
  const also = (list: readonly Finding[]): Cause[] => list.filter(({ strength }) => strength > 0).slice(0, mostOthers).map((finding) => toCause(finding, situation));
  if (first === undefined) return { cause: nothing(situation), also: [] };
  const rival = others.find(({ rule, strength }) => rule.layer === first.rule.layer && strength >= first.strength - 1 && strength > 0);
  const competes = rival !== undefined && first.hits.length > 0;
  const strength = first.strength - (competes ? 1 : 0);
  if (strength <= 0) return { cause: nothing(situation), also: also([first, ...others]) };
  const why = competes ? [...first.why, `so does what points to ${rival.rule.code}`] : first.why;
  return { cause: toCause(first, situation, Math.min(strength, 3), why), finding: first, also: also(others) };
}
