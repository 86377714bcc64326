import type { Diagnosis } from '../../src/insight/diagnosis/diagnosis.ts';
import { isRecord, pruneRecord, type JsonRecord, type Renderer } from '../../src/mcp/tool.ts';

/** Most lines of a log that are shown with a diagnosis. */
const mostLines = 12;

const longestLine = 300;

const cut = (text: string): string => (text.length > longestLine ? `${text.slice(0, longestLine)}…` : text);

/** A diagnosis as an answer: what matters most first, without the lines' places, which nobody can look up. */
export const diagnosisAnswer = (subject: string, { outcome, cause, also, failing_step, deployment, last_good, changes, lines, timeline, next }: Diagnosis): JsonRecord =>
  pruneRecord({
    subject,
    outcome,
    cause: { code: cause.code, sentence: cause.sentence, confidence: cause.confidence, why: cause.why },
    also: also.map(({ code, sentence, confidence }) => ({ code, sentence, confidence })),
    failing_step,
    deployment,
    last_good,
    changes: changes.map(({ text, at }) => ({ text, at })),
    lines: lines.slice(-mostLines).map(({ time, text, count }) => ({ time, text: cut(text), ...(count > 1 && { count }) })),
    timeline,
    next,
  });

const list = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const seconds = (value: unknown): string => (typeof value === 'number' ? ` (${value} s)` : '');

const words = (record: unknown, members: readonly string[]): string =>
  isRecord(record) ? members.flatMap((member) => (record[member] === undefined ? [] : [String(record[member])])).join(', ') : '';

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** A diagnosis in words, the cause first. */
export function diagnosisText(view: JsonRecord): string {
  const { subject, outcome, cause, deployment, last_good: good, failing_step: step } = view;
  const { sentence, confidence, why } = (isRecord(cause) ? cause : {}) as { sentence?: string; confidence?: string; why?: string };
  return [
    `${String(subject)}: ${String(outcome)}${isRecord(step) ? ` in ${String(step['name'])}${seconds(step['seconds'])}` : ''}`,
    `Cause${confidence === undefined ? '' : ` (confidence ${confidence})`}: ${sentence ?? 'not known'}`,
    ...(why === undefined ? [] : [`Rests on: ${why}`]),
    ...list(view['also']).map((other) => `Perhaps also: ${String(other['sentence'])}`),
    ...section('Changed since the last good deployment', list(view['changes']).map(({ text, at }) => `${String(text)}${at === undefined ? '' : `, ${String(at)}`}`)),
    ...section('Lines that matter', list(view['lines']).map(({ text, count }) => `${String(text)}${count === undefined ? '' : ` ×${String(count)}`}`)),
    ...section('Timeline', list(view['timeline']).map(({ at, what, seconds: took }) => `${at === undefined ? '' : `${String(at)} `}${String(what)}${seconds(took)}`)),
    ...(isRecord(deployment) ? [`Deployment: ${words(deployment, ['id', 'state', 'at', 'triggered_by', 'commit', 'image'])}`] : []),
    ...(isRecord(good) ? [`Last good one: ${words(good, ['id', 'at'])}`] : []),
  ].join('\n');
}

/** How a diagnosis is shown. */
export const diagnosisView: Renderer = { view: (answer) => answer, text: diagnosisText, keep: 'first' };
