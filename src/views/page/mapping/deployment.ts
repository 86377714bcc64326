import {
  answerIn,
  figuresIn,
  isRecord,
  namesIn,
  numberIn,
  recordsIn,
  someText,
  textOf,
  textsIn,
  type JsonRecord,
  type ToolResult,
} from './result.ts';

/** A moment of a deployment. */
export interface Moment {
  readonly what: string;
  readonly at?: string;
  readonly seconds?: number;
  /** How it went, as the platform calls it; undefined for what is no step. */
  readonly status?: string;
  /** Its part of the longest step, from 0 to 1; undefined for what is no step, or has no duration. */
  readonly share?: number;
}

/** A line of a log. */
export interface LoggedLine {
  readonly text: string;
  readonly level: string;
  readonly at?: string;
  readonly from?: string;
  /** How often it is there, if more than once. */
  readonly count?: number;
  /** Whether the cause is concluded from it. */
  readonly isMarked: boolean;
}

/** A deployment, as it is drawn. */
export interface DeploymentStory {
  readonly subject: string;
  readonly outcome: string;
  readonly cause?: { readonly sentence: string; readonly confidence?: string; readonly why?: string };
  readonly also: readonly string[];
  /** The lock that prevents every fix, by its members. */
  readonly blocked: readonly (readonly [string, string])[];
  readonly changes: readonly string[];
  readonly moments: readonly Moment[];
  readonly lines: readonly LoggedLine[];
  readonly facts: readonly (readonly [string, string])[];
  readonly addresses: readonly string[];
}

const withShares = (moments: readonly Moment[]): readonly Moment[] => {
  const longest = Math.max(0, ...moments.map(({ status, seconds }) => (status === undefined ? 0 : (seconds ?? 0))));
  return moments.map((moment) =>
    moment.status === undefined || moment.seconds === undefined || longest === 0
      ? moment
      : { ...moment, share: moment.seconds / longest },
  );
};

const momentOf = (row: JsonRecord): Moment => ({
  what: textOf(row['step'] ?? row['what']),
  at: someText(row['at']),
  seconds: numberIn(row['seconds']),
  status: row['step'] === undefined ? undefined : textOf(row['status'] ?? 'unknown'),
});

/** The steps of an answer of `wait_for_deployment`. */
const tookOf = (row: JsonRecord): Moment => ({
  what: textOf(row['step_name']),
  seconds: numberIn(row['duration_sec']),
  status: textOf(row['status'] ?? 'unknown'),
});

const lineOf = (row: JsonRecord): LoggedLine => {
  const count = numberIn(row['count']);
  return {
    text: textOf(row['text']),
    level: textOf(row['level']),
    at: someText(row['at']),
    from: someText(row['from']),
    ...(count !== undefined && count > 1 && { count }),
    isMarked: row['is_cause'] === true,
  };
};

/** The lines of an answer of `search_logs`, oldest first. */
export const foundLines = (result: ToolResult): readonly LoggedLine[] =>
  recordsIn(figuresIn(result)['lines']).map(lineOf);

const facts = (record: JsonRecord, names: readonly string[]): readonly (readonly [string, string])[] =>
  names.flatMap((name) =>
    record[name] === undefined ? [] : [[name.replaceAll('_', ' '), textOf(record[name])] as const],
  );

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** The deployment in an answer of `diagnose_deployment` or `wait_for_deployment`. */
export function deploymentStory(result: ToolResult): DeploymentStory {
  const answer = answerIn(result);
  const figures = figuresIn(result);
  // The wait for a deployment that failed has its diagnosis as a part.
  const diagnosis = isRecord(answer['diagnosis']) ? answer['diagnosis'] : answer;
  const cause = recordOf(diagnosis['cause']);
  const lines = recordsIn(figures['lines']).map(lineOf);
  return {
    subject: textOf(answer['subject']),
    outcome: textOf(answer['outcome']).replaceAll('_', ' '),
    ...(cause['sentence'] !== undefined && {
      cause: {
        sentence: textOf(cause['sentence']),
        confidence: someText(cause['confidence']),
        why: someText(cause['why']),
      },
    }),
    also: textsIn(diagnosis['also']),
    blocked: facts(recordOf(diagnosis['blocked']), ['cluster', 'locked_by', 'locked_at', 'ttl_in_days', 'reason']),
    changes: textsIn(diagnosis['changes']),
    moments: withShares(
      answer['took'] === undefined
        ? recordsIn(figures['timeline']).map(momentOf)
        : recordsIn(answer['took']).map(tookOf),
    ),
    // Without its levels, a line is still a line.
    lines: lines.length > 0 ? lines : textsIn(diagnosis['lines']).map((text) => ({ text, level: '', isMarked: false })),
    facts: [
      ...facts(diagnosis, ['serves', 'schedule']),
      ...facts(answer, ['state', 'commit', 'job']),
      ...facts(recordOf(diagnosis['deployment']), ['triggered_by']),
      ...facts(recordOf(diagnosis['last_good']), ['at']).map(([, at]) => ['last good', at] as const),
    ],
    addresses: textsIn(answer['public_addresses']),
  };
}

/** Names of arguments that say what a call is about, without the last part that some callers add. */
const about = ['service', 'environment', 'deployment'];

/** What a path leads to, by how many names it has. */
const kindsOfPaths: Readonly<Record<number, string>> = { 2: 'environment', 3: 'service' };

/**
 * The arguments that say what a deployment is of: those of the call, whatever the caller calls them, or else the path in
 * the answer. Empty if neither says it, as for the upgrade of a cluster.
 */
export function subjectOf(result: ToolResult, args: JsonRecord): JsonRecord {
  const given = Object.entries(args).filter(([name]) => about.includes(name.replace(/_?id$/i, '')));
  if (given.length > 0) return Object.fromEntries(given);
  const { subject } = answerIn(result);
  const kind = typeof subject === 'string' ? kindsOfPaths[namesIn(subject).length] : undefined;
  return kind === undefined ? {} : { [kind]: subject };
}

/** What is asked of a log. */
export interface LogQuestion {
  readonly text: string;
  /** Empty: all. */
  readonly level: string;
}

const mostLines = 100;

/** The arguments for `search_logs`: of the diagnosed service if it is known, else of what the call was about. */
export function logArguments(result: ToolResult, args: JsonRecord, { text, level }: LogQuestion): JsonRecord {
  const { id } = recordOf(figuresIn(result)['service']);
  const deployment = recordOf(answerIn(result)['deployment'])['id'] ?? answerIn(result)['deployment_id'];
  return {
    ...(id === undefined ? subjectOf(result, args) : { service: id }),
    ...(id !== undefined && deployment !== undefined && { deployment }),
    ...(text !== '' && { text }),
    ...(level !== '' && { level }),
    // Without any filter, a search is for warnings and errors.
    ...(text === '' && level === '' && { pattern: '.' }),
    limit: mostLines,
  };
}
