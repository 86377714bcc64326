import { firstPart, lastPart } from '../../src/contract/index.ts';
import type { Diagnosis, Evidence, ServiceChange, TimelineEntry } from '../../src/analysis/index.ts';
import { compact, isRecord, pruneRecord, type JsonRecord, type Renderer } from '../../src/server/tool/index.ts';

/**
 * Maximum lengths of a log line that is shown with a diagnosis, in characters: of one on which the cause is based, and
 * of others.
 */
const maximumQuotedLength = 400;
const maximumLineLength = 200;

/** Characters kept from the beginning of a long line; the rest is its end, where nested errors state their cause. */
const beginning = 60;

// Column padding in a tool's output costs bytes and means nothing here.
const line = (text: string, maximumLength = maximumLineLength): string => {
  const narrow = text.trim().replaceAll(/\s+/g, ' ');
  return narrow.length > maximumLength
    ? `${firstPart(narrow, beginning)}…${lastPart(narrow, maximumLength - beginning)}`
    : narrow;
};

/** What a cause says, and the line on which it is based or else the most telling one. */
export const causeInShort = ({ cause, lines }: Pick<Diagnosis, 'cause' | 'lines'>): JsonRecord => {
  const decisive =
    lines.find(({ index }) => cause.quotes.includes(index)) ?? (cause.quotes.length === 0 ? lines.at(-1) : undefined);
  return { sentence: line(cause.sentence, maximumQuotedLength), line: decisive && line(decisive.text) };
};

const moment = ({ at, what, seconds }: TimelineEntry): string =>
  `${at === undefined ? '' : `${at} `}${what}${seconds === undefined ? '' : ` (${seconds} s)`}`;

const change = ({ text, at }: ServiceChange): string => `${text}${at === undefined ? '' : `, ${at}`}`;

/** The lock of the cluster, which prevents the deployment of any fix. */
function lockIn({ cluster }: Evidence): JsonRecord | undefined {
  if (!cluster?.lock) return undefined;
  const { owner_name, reason, locked_at, ttl_in_days } = cluster.lock;
  return { cluster: cluster.name, cluster_id: cluster.id, locked_by: owner_name, reason, locked_at, ttl_in_days };
}

/** What of the timeline is shown: the first sign of the cause is among the lines. */
const shownMoments = (timeline: readonly TimelineEntry[]): readonly TimelineEntry[] =>
  timeline.filter(({ what }) => !what.startsWith('first sign'));

/** What a view draws of a diagnosis: the moments of the deployment, and its lines with their levels. */
export const diagnosisFigures = (
  { kind, id }: { readonly kind: string; readonly id: string },
  { cause, lines, timeline }: Diagnosis,
): JsonRecord => ({
  service: { kind, id },
  timeline: shownMoments(timeline).map(({ at, what, seconds: took, step }) =>
    pruneRecord({ at, what: line(what), seconds: took, step: step?.name, status: step?.status }),
  ),
  lines: lines.map(({ index, time, level, text, count }) =>
    pruneRecord({
      at: time,
      level,
      text: line(text, maximumQuotedLength),
      count,
      is_cause: cause.quotes.includes(index),
    }),
  ),
});

/** A diagnosis as an answer: most important first, without the indexes of lines, which the reader can't look up. */
export function diagnosisAnswer(
  subject: string,
  evidence: Evidence,
  {
    outcome,
    cause,
    also,
    failing_step,
    deployment,
    since,
    serves,
    schedule,
    stopped,
    last_good,
    changes,
    lines,
    timeline,
    next,
  }: Diagnosis,
): JsonRecord {
  return pruneRecord({
    subject,
    outcome,
    since,
    stopped,
    serves,
    schedule,
    cause: { code: cause.code, sentence: cause.sentence, confidence: cause.confidence, why: cause.why },
    also: also.map(({ sentence }) => sentence),
    blocked: lockIn(evidence),
    failing_step,
    changes: changes.map(change),
    lines: lines.map(
      ({ index, text, count }) =>
        `${line(text, cause.quotes.includes(index) ? maximumQuotedLength : maximumLineLength)}${count > 1 ? ` ×${count}` : ''}`,
    ),
    timeline: shownMoments(timeline)
      .map(moment)
      .map((text) => line(text)),
    deployment: { id: deployment?.id, triggered_by: deployment?.triggered_by },
    last_good,
    next,
  });
}

const seconds = (value: unknown): string => (typeof value === 'number' ? ` (${value} s)` : '');

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const words = (record: unknown, members: readonly string[]): string =>
  isRecord(record)
    ? members.flatMap((member) => (record[member] === undefined ? [] : [compact(record[member])])).join(', ')
    : '';

/** By whom and when something was stopped, as part of a sentence. */
export const describeStop = ({ by, at }: JsonRecord): string =>
  `${by === undefined ? '' : ` by ${compact(by)}`}${at === undefined ? '' : ` at ${compact(at)}`}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((one) => `  ${one}`)];

const blockText = ({ cluster, cluster_id, locked_by, locked_at, ttl_in_days, reason }: JsonRecord): string =>
  `Nothing can be deployed, because its cluster ${compact(cluster)} (id ${compact(cluster_id)}) is locked by ${compact(locked_by)} since ${compact(locked_at)}${ttl_in_days === undefined ? '' : ` for ${compact(ttl_in_days)} days`}: ${compact(reason)}`;

/** A diagnosis as text. */
export function diagnosisText(view: JsonRecord): string {
  const { subject, outcome, cause, blocked, deployment, last_good: good, failing_step: step } = view;
  const { code, sentence, confidence, why } = (isRecord(cause) ? cause : {}) as {
    code?: string;
    sentence?: string;
    confidence?: string;
    why?: string;
  };
  return [
    `${String(subject)}: ${String(outcome)}${isRecord(step) ? ` in ${String(step['name'])}${seconds(step['seconds'])}` : ''}`,
    ...(isRecord(view['since'])
      ? [
          `That is over: a later deployment ended well (${words(view['since'], ['state', 'at', 'id'])}). About the one before:`,
        ]
      : []),
    ...(isRecord(view['stopped'])
      ? [
          `It was stopped afterwards${describeStop(view['stopped'])}, and nothing of it runs. About the deployment before:`,
        ]
      : []),
    `Cause (${[code, confidence && `confidence ${confidence}`].filter(Boolean).join(', ')}): ${sentence ?? 'not known'}`,
    ...(why === undefined ? [] : [`Rests on: ${why}`]),
    ...(typeof view['serves'] === 'string' ? [`Serves now: ${view['serves']}`] : []),
    ...(typeof view['schedule'] === 'string' ? [`Its schedule: ${view['schedule']}`] : []),
    ...texts(view['also']).map((other) => `Perhaps also: ${other}`),
    ...(isRecord(blocked) ? [blockText(blocked)] : []),
    ...section('Changed since the last good deployment', texts(view['changes'])),
    ...section('Lines that matter', texts(view['lines'])),
    ...section('Timeline', texts(view['timeline'])),
    ...(isRecord(deployment) ? [`Deployment: ${words(deployment, ['id', 'triggered_by'])}`] : []),
    ...(isRecord(good) ? [`Last good one: ${words(good, ['id', 'at'])}`] : []),
  ].join('\n');
}

/** Renderer of a diagnosis. */
export const diagnosisView: Renderer = { view: (answer) => answer, text: diagnosisText, keep: 'first' };
