import { answerIn, isRecord, recordsIn, textOf, textsIn, type JsonRecord, type ToolResult } from './result.ts';

/** A request that a call would send. */
export interface PlannedRequest {
  readonly request: string;
  readonly body: readonly (readonly [string, string])[];
  /** Members that are sent back as they are. */
  readonly unchanged: readonly string[];
}

/** What a call would do, as a dry run says it. */
export interface Plan {
  readonly tool: string;
  /** How grave it is. */
  readonly tier: string;
  readonly summary: string;
  readonly target: string;
  readonly mode: string;
  readonly effects: readonly string[];
  readonly requests: readonly PlannedRequest[];
}

const planRecord = (result: ToolResult): JsonRecord | undefined => {
  const plan = answerIn(result)['dry_run'];
  return isRecord(plan) ? plan : undefined;
};

/** Whether a result is what a dry run says. */
export const isPlan = (result: ToolResult): boolean => planRecord(result) !== undefined;

const requestOf = ({ method, path, body, unchanged }: JsonRecord): PlannedRequest => ({
  request: `${textOf(method)} ${textOf(path)}`,
  body: isRecord(body) ? Object.entries(body).map(([name, value]) => [name, textOf(value)] as const) : [],
  unchanged: unchanged === undefined ? [] : textsIn(unchanged),
});

/** The plan in the answer of a dry run. */
export function planIn(result: ToolResult): Plan {
  const plan = planRecord(result) ?? {};
  const target = isRecord(plan['target']) ? plan['target'] : {};
  return {
    tool: textOf(plan['tool']),
    tier: textOf(plan['tier']),
    summary: textOf(plan['summary']),
    target: [target['kind'], target['path'] ?? target['name']]
      .map(textOf)
      .filter((part) => part !== '')
      .join(' '),
    mode: ['unknown', 'none'].includes(textOf(target['mode'])) ? '' : textOf(target['mode']),
    effects: textsIn(plan['effects']),
    requests: recordsIn(plan['requests']).map(requestOf),
  };
}

/** The arguments with which a dry run is carried out. */
export const withoutDryRun = (args: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name !== 'dry_run'));

/** What a call changed, as its answer says it: the changes, its effects, or that there was nothing to change. */
export function changesIn(result: ToolResult): readonly string[] {
  const { changes, effects, nothing_to_change: nothing } = answerIn(result);
  return [...textsIn(nothing).map((why) => `Nothing was changed: ${why}.`), ...textsIn(changes), ...textsIn(effects)];
}

const shownElsewhere = ['changes', 'effects', 'nothing_to_change', 'not_read'];

/** The other facts of an answer, those without parts of their own. */
export const plainFacts = (result: ToolResult): readonly (readonly [string, string])[] =>
  Object.entries(answerIn(result)).flatMap(([name, value]) =>
    shownElsewhere.includes(name) || typeof value === 'object'
      ? []
      : [[name.replaceAll('_', ' '), textOf(value)] as const],
  );
