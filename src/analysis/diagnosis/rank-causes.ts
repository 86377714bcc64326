import type { Sibling } from '../changes.ts';
import type { Cause, Confidence } from './diagnosis.ts';
import type { CauseMatch, Hit } from './match.ts';
import { buildSteps, type CauseRule } from './rules/rule.ts';
import { type DeploymentSituation, isHostOf, isVariableOf } from './situation.ts';

// Messages that a dependency is missing or unreachable.
const absence =
  /refused|ENOTFOUND|EAI_AGAIN|no such host|bad address|resolv|translate host|not known|unknown ?host|unreachable|time[ds]?[ -]?out|(?:can't|cannot|could not|unable to|failed to) (?:connect|reach)|hang up|reset by peer|\b50[234]\b|not (?:set|found|defined)|unset|missing|required|undefined|KeyError|must be/i;

// Messages of an app about a database that a job should have prepared.
const unprepared = /schema|migrat|relation|column|\btables?\b/i;

const words = (text: string): string[] => text.split(/[^\w.-]+/);

/** Whether a line of the log says that this sibling, or a variable of it, is missing or unreachable. */
const isMissed = (sibling: Sibling, { entries }: DeploymentSituation): boolean =>
  entries.some(
    ({ searched }) =>
      absence.test(searched) && words(searched).some((word) => isHostOf(sibling, word) || isVariableOf(sibling, word)),
  );

const isUnprepared = ({ kind }: Sibling, { facts }: CauseMatch): boolean =>
  kind === 'job' && Object.values(facts).some((fact) => unprepared.test(fact));

/** Whether a match alone explains why the service failed. */
const explains = ({ rule, facts, strength }: CauseMatch): boolean =>
  strength > 0 && (rule.layer === 'cause' || facts['exception'] !== undefined);

/**
 * The siblings whose failure may be why the service failed: those that its log reports as missing or, if nothing in the
 * log alone explains the failure, all that failed before it.
 * @param finding the cause that the siblings may be behind
 * @param all every match
 */
function suspectedSiblings(
  finding: CauseMatch,
  all: readonly CauseMatch[],
  situation: DeploymentSituation,
): readonly Sibling[] {
  if (!finding.rule.suspectsSiblings) return [];
  const pointedAt = situation.failedSiblings.filter(
    (sibling) => isMissed(sibling, situation) || isUnprepared(sibling, finding),
  );
  return pointedAt.length > 0 || all.some(explains) ? pointedAt : situation.failedSiblings;
}

const layers: readonly CauseRule['layer'][] = ['cause', 'mechanism', 'symptom'];

const lastHit = ({ hits }: CauseMatch): number => hits.at(-1)?.position ?? -1;

/** Removes matches that a more specific rule supersedes. */
const withoutSuperseded = (findings: readonly CauseMatch[]): CauseMatch[] => {
  const covered = new Set(findings.flatMap(({ rule, strength }) => (strength > 0 ? (rule.supersedes ?? []) : [])));
  return findings.filter(({ rule }) => !covered.has(rule.code));
};

/**
 * Sorts matches: causes before their consequences, then by strength, then by how close the last hit is to the failure.
 */
const rankFindings = (findings: readonly CauseMatch[], { failingStep }: DeploymentSituation): CauseMatch[] => {
  const firstCounts = buildSteps.some((name) => name === failingStep?.name) ? -1 : 1;
  return findings.toSorted(
    (one, other) =>
      layers.indexOf(one.rule.layer) - layers.indexOf(other.rule.layer) ||
      other.strength - one.strength ||
      (lastHit(other) - lastHit(one)) * firstCounts,
  );
};

const confidenceOf = (strength: number): Confidence => (strength >= 3 ? 'high' : strength === 2 ? 'medium' : 'low');

// Maximum number of lines that a cause quotes: if there are more, the first ones and the last.
const maximumQuotes = 3;

const factsKey = ({ facts }: Hit): string => JSON.stringify(facts);

/** The first hit of each set of facts that the sentence uses: these name the culprit. */
const namingHits = (hits: readonly Hit[], { facts }: CauseMatch): readonly Hit[] => {
  const naming = hits.filter((hit) => Object.entries(hit.facts).some(([name, value]) => facts[name] === value));
  return naming.filter((hit, index) => naming.findIndex((other) => factsKey(other) === factsKey(hit)) === index);
};

/**
 * The hits that a cause quotes: the direct ones, if there are any. If there are many, those that name the culprit, then
 * the last.
 */
const quotedHits = (finding: CauseMatch): readonly Hit[] => {
  const { hits } = finding;
  const relevant = hits.some(({ direct }) => direct) ? hits.filter(({ direct }) => direct) : hits;
  if (relevant.length <= maximumQuotes) return relevant;
  const naming = namingHits(relevant, finding).slice(0, maximumQuotes);
  const rest = [...relevant.slice(-1), ...relevant].filter((hit) => !naming.includes(hit));
  const quoted = new Set([...naming, ...rest].slice(0, maximumQuotes));
  return relevant.filter((hit) => quoted.has(hit));
};

const list = new Intl.ListFormat('en');

/** Other possible reasons, if the rule allows for them. */
const suspicion = ({ rule }: CauseMatch, suspects: readonly Sibling[], { changes }: DeploymentSituation): string => {
  const settings = changes.flatMap(
    ({ kind, variable }) => variable ?? (kind === 'configuration' ? ['its configuration'] : []),
  );
  const siblings = suspects.map(({ kind, name, state }) => `${kind} ${name} (${state})`);
  return [
    rule.suspectsSettings &&
      settings.length > 0 &&
      ` Changed since the last good deployment: ${list.format(settings)}.`,
    siblings.length > 0 && ` In its environment ${list.format(siblings)} failed before it, which may be why.`,
  ]
    .filter(Boolean)
    .join('');
};

const toCause = (
  finding: CauseMatch,
  suspects: readonly Sibling[],
  situation: DeploymentSituation,
  strength = finding.strength,
  why: readonly string[] = finding.why,
): Cause => ({
  code: finding.rule.code,
  sentence: finding.rule.sentence(finding.facts, situation) + suspicion(finding, suspects, situation),
  confidence: confidenceOf(strength),
  why: why.join('; '),
  quotes: [
    ...new Set([...(finding.rule.alsoQuotes?.(situation) ?? []), ...quotedHits(finding)].map(({ index }) => index)),
  ],
});

/** The most likely cause, the match behind it, and other likely causes. */
interface CauseRanking {
  readonly cause: Cause;
  readonly finding?: CauseMatch;
  readonly also: readonly Cause[];
  /** Siblings whose failure may be behind the cause. */
  readonly suspects: readonly Sibling[];
  /** Positions of the entries that these are based on, most relevant first. */
  readonly positions: readonly number[];
}

const maximumOthers = 2;

/** The basis for the absence of a cause. Having no lines is different from not being able to read them. */
const linesRead = ({ entries, evidence: { missingLines } }: DeploymentSituation): string => {
  if (entries.length > 0) return `${entries.length} log lines were read`;
  return missingLines === undefined
    ? 'there is no log line of this deployment'
    : `its log lines can't be had: ${missingLines}`;
};

const noCause = (situation: DeploymentSituation): Cause => {
  const { outcome } = situation;
  const sentences = {
    never_deployed: 'It was never deployed, or no deployment is known by that id.',
    succeeded: 'Nothing failed: the deployment ended well.',
    in_progress: 'It is still going, and nothing that was read tells of trouble.',
    canceled: '',
    failed: '',
  };
  const code = outcome === 'never_deployed' || outcome === 'succeeded' ? 'none' : 'unknown';
  const sentence = sentences[outcome] || 'The cause is not known: nothing that was read fits a known one.';
  return { code, sentence, why: linesRead(situation), quotes: [] };
};

const positionsOf = (findings: readonly CauseMatch[], situation: DeploymentSituation): number[] =>
  findings.flatMap((finding) =>
    [...quotedHits(finding), ...(finding.rule.alsoQuotes?.(situation) ?? [])].map(({ position }) => position),
  );

/** Whether a match quotes only lines that another one matches too. */
const quotesSameLines = (one: CauseMatch, other: CauseMatch): boolean => {
  const positions = new Set(other.hits.map(({ position }) => position));
  return one.hits.length > 0 && quotedHits(one).every(({ position }) => positions.has(position));
};

/**
 * Chooses the most likely cause. A rival of about the same strength lowers the confidence. If the strength is then too
 * low, the cause is `unknown`, and the matches are listed as other causes.
 */
export function rankCauses(findings: readonly CauseMatch[], situation: DeploymentSituation): CauseRanking {
  if (situation.outcome === 'never_deployed' || situation.outcome === 'succeeded')
    return { cause: noCause(situation), also: [], suspects: [], positions: [] };
  const [first, ...others] = rankFindings(withoutSuperseded(findings), situation);
  if (first === undefined) return { cause: noCause(situation), also: [], suspects: [], positions: [] };
  const suspectsOf = (finding: CauseMatch): readonly Sibling[] =>
    suspectedSiblings(finding, [first, ...others], situation);
  const asCause = (finding: CauseMatch, strength?: number, why?: readonly string[]): Cause =>
    toCause(finding, suspectsOf(finding), situation, strength, why);
  const rival = others.find(
    ({ rule, strength }) => rule.layer === first.rule.layer && strength >= first.strength - 1 && strength > 0,
  );
  const competes = rival !== undefined && first.hits.length > 0;
  const strength = first.strength - (competes ? 1 : 0);
  if (strength <= 0) {
    const hints = [first, ...others].filter((hint) => hint.strength > 0).slice(0, maximumOthers);
    return {
      cause: noCause(situation),
      also: hints.map((hint) => asCause(hint)),
      suspects: [],
      positions: positionsOf(hints, situation),
    };
  }
  const why = competes ? [...first.why, `so does what points to ${rival.rule.code}`] : first.why;
  const also = others
    .filter(
      (other) =>
        other.strength > 0 && other.strength >= Math.min(first.strength, 3) - 1 && !quotesSameLines(other, first),
    )
    .slice(0, maximumOthers);
  return {
    cause: asCause(first, Math.min(strength, 3), why),
    finding: first,
    also: also.map((other) => asCause(other)),
    suspects: suspectsOf(first),
    positions: positionsOf([first, ...also], situation),
  };
}
