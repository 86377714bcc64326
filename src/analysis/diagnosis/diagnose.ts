import type { Diagnosis, RelevantLine, TimelineEntry } from './diagnosis.ts';
import { type Evidence, quote } from './evidence.ts';
import { rankCauses } from './rank-causes.ts';
import { findCauses } from './match.ts';
import { diagnoseFailedSibling, showConfiguration, showErrors, showHistory } from './inspections.ts';
import { startAgain } from './fixes.ts';
import { nextCalls, type Remedy } from './next-calls.ts';
import { lockRemedies } from './rules/platform.ts';
import { readDeploymentSituation, type DeploymentSituation } from './situation.ts';
import { collapse, type Repeat, lineTemplate } from '../logs/collapse.ts';
import { weightOf } from '../logs/level.ts';
import type { Entry } from '../logs/entries.ts';
import { readDeployment, shortCommit, type PastDeployment } from '../history.ts';
import { servingOf, servingText } from '../serving.ts';
import { dataOf } from '../../contract/index.ts';

/** What became of a job's schedule, according to the log of its deployment; undefined if the log doesn't say. */
export function leftScheduleText(entries: readonly Entry[]): string | undefined {
  const left = entries
    .map(({ condition }) => (condition ? dataOf(condition, 'SCHEDULE_NOT_BEGUN')?.left : undefined))
    .findLast((found) => found !== undefined);
  if (left === undefined) return undefined;
  return left === 'none'
    ? 'no run starts by itself until a deployment of it ends well'
    : 'that of the version before goes on; the new one has not begun';
}

const maximumLines = 6;

// Warnings weigh less, whatever they say.
const errorWeight = 4;

const toRelevantLine = ({ index, time, level, shown: text, count }: Repeat): RelevantLine => ({
  index,
  ...(time !== undefined && { time }),
  level,
  text,
  count,
});

/**
 * The few lines worth reading, in their order. Lines that causes are based on are selected first, then the most severe
 * and latest.
 * @param quoted positions of the entries that causes are based on
 */
export function relevantLines(entries: readonly Entry[], quoted: readonly number[]): RelevantLine[] {
  const wanted = new Set(
    entries
      .filter(({ position }) => quoted.includes(position))
      .map(({ level, text }) => `${level} ${lineTemplate(text)}`),
  );
  const isQuoted = ({ level, text }: Repeat): boolean => wanted.has(`${level} ${lineTemplate(text)}`);
  const repeats = collapse(entries).filter(({ text }) => text.trim() !== '');
  const weighed = repeats
    .map((repeat) => ({ repeat, weight: (isQuoted(repeat) ? 100 : 0) + weightOf(repeat.text, repeat.declared) }))
    .filter(({ weight }) => (quoted.length > 0 ? weight >= errorWeight : weight > 0))
    .toSorted((one, other) => other.weight - one.weight || other.repeat.position - one.repeat.position);
  return weighed
    .slice(0, maximumLines)
    .map(({ repeat }) => repeat)
    .toSorted((one, other) => one.position - other.position)
    .map(toRelevantLine);
}

const contentOf = ({ commit, image }: PastDeployment): string => {
  const content = [commit && `commit ${shortCommit(commit)}`, image && `image ${image}`].filter(Boolean).join(', ');
  return content ? ` with ${content}` : '';
};

const startedEntry = (deployment: PastDeployment): TimelineEntry => ({
  at: deployment.startedAt,
  what: `${deployment.action.toLowerCase()} begun${deployment.triggeredBy ? ` by ${deployment.triggeredBy}` : ''}${contentOf(deployment)}`,
});

const stepWords: Readonly<Record<string, string>> = {
  SUCCESS: 'succeeded',
  ERROR: 'failed',
  CANCELED: 'canceled',
  CANCEL: 'canceled',
  SKIP: 'skipped',
};

const maximumChanges = 5;

/**
 * The events in order: the last good deployment, the changes since, the deployment's steps, the first line that shows
 * the cause, the end.
 * @param sign position of the entry with that line
 */
export function timelineOf(situation: DeploymentSituation, sign?: number): TimelineEntry[] {
  const { lastGood, changes, deployment, steps, entries, stop } = situation;
  if (deployment === undefined) return [];
  const line = sign === undefined ? undefined : entries.find(({ position }) => position === sign);
  const dated = changes
    .filter(({ at }) => at !== undefined)
    .toSorted((one, other) => Date.parse(one.at ?? '') - Date.parse(other.at ?? ''));
  return [
    ...(lastGood
      ? [{ at: lastGood.startedAt, what: `last good ${lastGood.action.toLowerCase()}${contentOf(lastGood)}` }]
      : []),
    ...dated.slice(-maximumChanges).map(({ at, text }) => ({ at, what: text })),
    startedEntry(deployment),
    ...steps.map(({ name, status, seconds }) => ({
      what: `${name} ${stepWords[status ?? ''] ?? status ?? 'went on'}`,
      seconds,
      step: { name, status },
    })),
    ...(line ? [{ at: line.time, what: `first sign: ${quote(line.shown.trim())}` }] : []),
    {
      at: deployment.endedAt,
      what:
        deployment.end === undefined
          ? `still ${deployment.state ?? 'going'}`
          : `ended as ${deployment.state ?? 'unknown'}`,
      seconds: deployment.seconds,
    },
    ...(stop ? [{ at: stop.startedAt, what: `stopped${stop.triggeredBy ? ` by ${stop.triggeredBy}` : ''}` }] : []),
  ];
}

const describeDeployment = ({ deployment }: DeploymentSituation): Diagnosis['deployment'] =>
  deployment && {
    id: deployment.id,
    state: deployment.state,
    action: deployment.action,
    at: deployment.startedAt,
    triggered_by: deployment.triggeredBy,
    commit: deployment.commit,
    image: deployment.image,
  };

/**
 * Determines why a deployment failed, from the evidence alone: if no rule matches, the cause is `unknown`. Sentences
 * and lines quote logs, which are untrusted and must be delimited. Never throws, whatever is missing. Takes time linear
 * in the length of the log.
 */
export function diagnose(evidence: Evidence): Diagnosis {
  const situation = readDeploymentSituation(evidence);
  const { cause, finding, also, suspects, positions } = rankCauses(findCauses(situation), situation);
  const { lastGood, since, stop, failingStep, changes } = situation;
  const remedies = finding && [...suspects.slice(0, 1).map(diagnoseFailedSibling), ...finding.rule.remedies];
  const fixes: readonly Remedy[] = evidence.cluster?.lock
    ? lockRemedies
    : since
      ? [showHistory]
      : (remedies ?? (cause.code === 'none' ? [startAgain] : [startAgain, showErrors, showHistory, showConfiguration]));
  return {
    outcome: situation.outcome,
    deployment: describeDeployment(situation),
    since: since && { id: since.id, state: since.state, at: since.startedAt },
    serves: servingText(
      servingOf({
        kind: evidence.service.kind,
        status: evidence.status,
        configuration: evidence.service.configuration ?? undefined,
        history: evidence.history.map(readDeployment),
      }),
    ),
    schedule:
      evidence.service.kind === 'job' && situation.outcome !== 'succeeded'
        ? leftScheduleText(situation.entries)
        : undefined,
    stopped: stop && { by: stop.triggeredBy, at: stop.startedAt },
    last_good: lastGood && { id: lastGood.id, at: lastGood.startedAt },
    failing_step: failingStep && { name: failingStep.name, seconds: failingStep.seconds },
    cause,
    also,
    timeline: timelineOf(situation, finding && positions[0]),
    lines: cause.code === 'none' ? [] : relevantLines(situation.entries, positions),
    changes,
    next: nextCalls(fixes, situation, finding?.facts ?? {}),
  };
}
