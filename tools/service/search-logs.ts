import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import {
  clip,
  coverageOf,
  levels,
  periodText,
  repeatsText,
  UnusableQuery,
  type LogCoverage,
  type LogLine,
  type LogSearchResult,
} from '../../src/analysis/index.ts';
import {
  anyOf,
  anyService,
  composeTool,
  isRecord,
  pruneRecord,
  withFigures,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  logOf,
  exactlyOne,
  readsByKind,
  readsInstead,
  readsOf,
  serviceSubject,
  type Subject,
} from '../shared/any-service.ts';
import {
  changeBefore,
  changeBeforeText,
  deploymentBefore,
  deploymentBeforeText,
  readHistoryAhead,
  readsOfChangeBefore,
} from '../shared/change-before.ts';
import { linesNaming, logOfDeployment } from '../shared/deployment-log.ts';
import { readEnvironmentLogs, readOwnLog, readsOfServiceLogs } from '../shared/environment-log.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { emptyLogOf } from '../shared/log-coverage.ts';

const defaultLimit = 30;
const maximumLimit = 200;

/** The lines to search, and what they cover. */
interface SearchedLog {
  readonly lines: readonly LogLine[];
  readonly logs: readonly LogCoverage[];
  /** Why there may be more lines of a deployment than could be read. */
  readonly missing?: string;
}

const onlyLatest =
  'the log of an environment has the latest deployment of each service only. Give the service together with deployment';

/** The lines of one deployment; undefined if they can't be read. */
async function logDuring(context: ToolContext, subject: Subject, deployment: string): Promise<SearchedLog | undefined> {
  if (subject.kind !== 'environment') {
    const log = await logOfDeployment(context, subject, deployment);
    return log && { ...log, logs: [coverageOf(log.lines)] };
  }
  const all = await readOwnLog(context, subject.id);
  if (!all) return undefined;
  const lines = await linesNaming(context, subject, deployment, all);
  return { lines, logs: [coverageOf(lines)], ...(lines.length === 0 && { missing: onlyLatest }) };
}

/** The newest lines of the subject; undefined if they can't be read. */
async function logOfSubject(context: ToolContext, subject: Subject): Promise<SearchedLog | undefined> {
  if (subject.kind === 'environment') return readEnvironmentLogs(context, subject.id);
  const log = await logOf(context, subject);
  if (!log) return undefined;
  const empty = log.lines.length === 0 ? await emptyLogOf(context, subject) : {};
  return { lines: log.lines, logs: [{ ...coverageOf(log.lines, log), ...empty }] };
}

const unreadable = 'The log could not be read, so it is not known whether there are such lines.';

type Found = LogSearchResult['groups'][number][number];

/** Whose line it is: its service, if the lines of several are shown, and its pod, whose name may say the same. */
const originOf = ({ service = '', pod = '' }: Found, isOfSeveral: boolean): readonly string[] =>
  !isOfSeveral || service === '' || pod === service || pod.startsWith(`${service}-`) ? [pod] : [service, pod];

/** A line of a match or around one as text, with its time and where it is from. */
const lineText = (line: Found, isOfSeveral: boolean): string => {
  const more = line.more === undefined ? undefined : `(${String(line.more)} more lines of it: give context)`;
  const parts = [
    line.time,
    ...originOf(line, isOfSeveral),
    line.text,
    line.repeats && repeatsText(line.repeats, line.time),
    more,
  ];
  return `${line.matched ? '>' : ' '} ${parts.filter((part) => part !== undefined && part !== '').join(' ')}`;
};

/** The longest line that a view gets, in characters. */
const longestDrawn = 400;

/** A line as a view draws it. */
const lineFigures = (line: Found, isOfSeveral: boolean): JsonRecord =>
  pruneRecord({
    at: line.time,
    from: originOf(line, isOfSeveral).join(' '),
    level: line.level,
    text: clip(line.text, longestDrawn),
    count: line.repeats?.count,
  });

/** The first match, and the deployment and the change before it. */
async function firstMatch(context: ToolContext, { first }: LogSearchResult): Promise<JsonRecord | undefined> {
  const { time } = first ?? {};
  if (time === undefined || Number.isNaN(Date.parse(time))) return undefined;
  const subject = serviceSubject(context);
  const [deployment, change] = await Promise.all([
    ifPossible(context, 'Which deployment was before it', () => deploymentBefore(context, subject, time)),
    ifPossible(context, 'Which change was before it', () => changeBefore(context, subject, time)),
  ]);
  return { time, deployment_before: deployment, change_before: change };
}

const firstMatchText = (first: unknown): readonly string[] => {
  if (!isRecord(first)) return [];
  const before = first['deployment_before'];
  return [
    isRecord(before) ? `${deploymentBeforeText(before)}.` : 'Which deployment was before it is not known.',
    ...changeBeforeText(first['change_before']),
  ];
};

/** What is said of an environment in which no service has a log. */
const nothingToSearch = 'Nothing was searched: no service with a log is in this environment.';

/** How many messages meet each criterion by itself, where none meets all of them. */
const metAloneText = (metAlone: unknown, defaultLevel: unknown): string =>
  isRecord(metAlone)
    ? Object.entries(metAlone)
        .map(([criterion, count]) => {
          const value =
            criterion === 'level' && typeof defaultLevel === 'string' ? ` (${defaultLevel} by default)` : '';
          return `${criterion}${value} ${String(count)}`;
        })
        .join(', ')
    : '';

const levelsText = (counts: unknown): string =>
  isRecord(counts)
    ? Object.entries(counts)
        .map(([level, count]) => `${level} ${String(count)}`)
        .join(', ')
    : '';

/** What is said of a search that nobody gave a criterion of: its answer is no picture of the log. */
const otherLevels = 'Only warnings and worse were looked for: level debug shows the last lines.';

/** How many messages match, and how many are shown; undefined if there are none at all. */
function countsText({
  matched,
  different,
  shown,
  searched,
  levels: counts,
  met_alone,
  default_level,
  each,
  first_match,
}: JsonRecord): string | undefined {
  if (searched === 0) return undefined;
  const found = `${String(matched)} of ${String(searched)} messages match`;
  const others = default_level === undefined ? '' : ` ${otherLevels}`;
  if (matched === 0)
    return `${found}. Each filter by itself leaves: ${metAloneText(met_alone, default_level)}.${others}`;
  const which = first_match === undefined ? ['newest', 'older', 'until'] : ['first', 'later', 'since'];
  const asTheyAre = each === true ? ' as they are' : '';
  return [
    found,
    ...(different === matched ? [] : [`, ${String(different)} different`]),
    ...(shown === (each === true ? matched : different)
      ? []
      : [`; the ${which[0]} ${String(shown)} are shown${asTheyAre}, for ${which[1]} ones give ${which[2]}`]),
    `. By level: ${levelsText(counts)}.${others}`,
  ].join('');
}

export const searchLogs = composeTool({
  name: 'search_logs',
  toolset: 'services',
  title: 'Search or show a log, find lines',
  description:
    'Search, show, print or grep logs (log lines, output) of a service, build or environment: error, ' +
    'exceptions, stack traces, messages, a request id, in a period (last hour, today, yesterday, night). ' +
    'Default: warnings, errors.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    deployment_id: z.string().optional().describe('Its lines only.'),
    text: z.string().min(1).optional().describe('Plain text, ignoring case.'),
    pattern: z.string().min(1).optional().describe('RE2 expression.'),
    level: z.enum(levels).optional().describe('Or worse.'),
    since: z.string().optional().describe('Time, or ago: PT15M.'),
    until: z.string().optional().describe('As since.'),
    context: z.int().min(0).max(20).default(0).describe('Lines around each match.'),
    limit: z.int().min(1).max(maximumLimit).default(defaultLimit).describe('Newest matches.'),
    oldest: z.boolean().optional().describe('Oldest first.'),
  },
  ...exactlyOne('service', 'environment'),
  operations: [...readsOf('logs', 'deployments'), operations.get_environment_logs],
  equivalentOperations: [...readsOf('logs'), operations.get_environment_logs],
  reads: [
    ...anyOf(...readsByKind('logs', 'the log', operations.get_environment_logs)),
    ...readsInstead('logs', 'the log'),
    ...readsOfServiceLogs,
    ...readsByKind('status', 'the deployment that lines are from', operations.get_environment_status),
    ...readsByKind('deployments', 'when a deployment was', operations.list_environment_deployments),
    ...readsOfChangeBefore,
  ],
  output: z.object({
    matched: z.int(),
    shown: z.int(),
    searched: z.int(),
    levels: z.object({}),
    results: z.array(z.string()),
  }),
  answer: async (
    { deployment_id, text, pattern, level, since, until, context: contextLines, limit, oldest },
    context,
  ) => {
    const subject = serviceSubject(context);
    if (oldest === true) readHistoryAhead(context, subject);
    const log = await (deployment_id === undefined
      ? logOfSubject(context, subject)
      : logDuring(context, subject, deployment_id));
    if (!log) return { not_known: unreadable };
    const { lines, logs, missing } = log;
    if (lines.length === 0 && missing !== undefined)
      return {
        not_known: `The lines of that deployment can not be had: ${missing}. Whether there were such lines is not known.`,
      };
    if (missing !== undefined) context.leftOut(`Earlier lines of that deployment can not be had: ${missing}.`);
    const isForFailures = text === undefined && pattern === undefined && level === undefined;
    // Nothing to look for and every level: that asks for the last lines as they are. Those of a deployment repeat too
    // much: it is checked, fails and starts again.
    const isForLines = text === undefined && pattern === undefined && level === 'debug' && deployment_id === undefined;
    const query = {
      text,
      pattern,
      level: isForFailures ? ('warn' as const) : level,
      since,
      until,
      context: contextLines,
      limit,
      oldest,
      isEach: isForLines,
    };
    // Loaded on demand: the regular expression engine is large, and only needed here.
    const { searchLog } = await import('../../src/analysis/search.ts');
    try {
      const result = searchLog(lines, query, new Date(context.now()));
      const isOfSeveral = subject.kind === 'environment';
      const { groups, matched, different, shown, searched, levels: counts, metAlone } = result;
      const answer = pruneRecord({
        matched,
        different,
        shown,
        searched,
        levels: counts,
        met_alone: metAlone,
        default_level: isForFailures && searched > 0 ? query.level : undefined,
        each: isForLines ? true : undefined,
        logs,
        without_logs: logs.length === 0 && lines.length === 0 ? true : undefined,
        first_match: oldest === true ? await firstMatch(context, result) : undefined,
        results: groups.flatMap((group, index) => [
          ...(index > 0 && query.context > 0 ? ['--'] : []),
          ...group.map((line) => lineText(line, isOfSeveral)),
        ]),
      });
      return withFigures(answer, { lines: groups.flat().map((line) => lineFigures(line, isOfSeveral)) });
    } catch (error) {
      if (error instanceof UnusableQuery) return context.refuse("what to look for can't be used", error.message);
      throw error;
    }
  },
  render: {
    view: (answer) => answer,
    text: ({ results, not_known, logs, without_logs, first_match, ...counts }) =>
      typeof not_known === 'string'
        ? not_known
        : [
            without_logs === true ? nothingToSearch : undefined,
            countsText({ ...counts, first_match }),
            periodText(logs),
            ...firstMatchText(first_match),
            ...(Array.isArray(results) ? results.map(String) : []),
          ]
            .filter((line) => line !== undefined && line !== '')
            .join('\n'),
    keep: ({ first_match }) => (first_match === undefined ? 'last' : 'first'),
    rest: 'For older ones give, as until, the time of the first one shown.',
    plainTimes: true,
  },
});
