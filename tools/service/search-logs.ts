import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { levels, UnusableQuery, type LogSearchResult } from '../../src/analysis/index.ts';
import {
  anyOf,
  anyService,
  composeTool,
  isRecord,
  pruneRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { logOf, oneOf, readsByKind, readsInstead, readsOf, serviceSubject } from '../shared/any-service.ts';
import { linesNaming, logOfDeployment, type DeploymentLog } from '../shared/deployment-log.ts';
import { readEnvironmentLog, readOwnLog, readsInsteadOfEnvironmentLog } from '../shared/environment-log.ts';

const defaultLimit = 30;
const maximumLimit = 200;

/** The newest log lines of the subject, or of one deployment if it is given; undefined if they can't be read. */
async function logIn(context: ToolContext, deployment?: string): Promise<DeploymentLog | undefined> {
  const subject = serviceSubject(context);
  if (subject.kind !== 'environment') {
    if (deployment !== undefined) return logOfDeployment(context, subject, deployment);
    const lines = await logOf(context, subject);
    return lines && { lines };
  }
  const all = await (deployment === undefined ? readEnvironmentLog : readOwnLog)(context, subject.id);
  if (!all || deployment === undefined) return all && { lines: all };
  const lines = await linesNaming(context, subject, deployment, all);
  return { lines, ...(lines.length === 0 && { missing: onlyLatest }) };
}

const onlyLatest =
  'the log of an environment has the latest deployment of each service only. Give the service together with deployment';

const unreadable = 'The log could not be read, so it is not known whether there are such lines.';

/** A match or a context line as text, with its time and pod. */
const lineText = ({ time, pod, text, matched }: LogSearchResult['groups'][number][number]): string =>
  `${matched ? '>' : ' '} ${[time, pod, text].filter((part) => part !== undefined && part !== '').join(' ')}`;

export const searchLogs = composeTool({
  name: 'search_logs',
  toolset: 'services',
  title: 'Search or show the logs, find lines and stack traces',
  description:
    'Search or grep the logs of a service or environment for errors: error messages, exceptions, a request id, the last hour or night. By ' +
    'default it finds warnings and errors.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    deployment_id: z.string().optional().describe('Its lines only.'),
    text: z.string().min(1).optional().describe('Plain text, any case.'),
    pattern: z.string().min(1).optional().describe('RE2 expression.'),
    level: z.enum(levels).optional().describe('At least this grave.'),
    since: z.string().optional().describe('Time, or ago: PT15M.'),
    until: z.string().optional().describe('As since.'),
    context: z.int().min(0).max(20).default(0).describe('Lines around each match.'),
    limit: z.int().min(1).max(maximumLimit).default(defaultLimit).describe('Newest matches.'),
  },
  rules: oneOf('service', 'environment'),
  operations: [...readsOf('logs', 'deployments'), operations.get_environment_logs],
  equivalentOperations: [...readsOf('logs'), operations.get_environment_logs],
  reads: [
    ...anyOf(...readsByKind('logs', 'the log', operations.get_environment_logs)),
    ...readsInstead('logs', 'the log'),
    ...readsInsteadOfEnvironmentLog,
    ...readsByKind('status', 'the deployment that lines are from', operations.get_environment_status),
    ...readsByKind('deployments', 'when a deployment was'),
  ],
  output: z.object({
    matched: z.int(),
    shown: z.int(),
    searched: z.int(),
    levels: z.object({}),
    results: z.array(z.string()),
  }),
  answer: async ({ deployment_id, text, pattern, level, since, until, context: contextLines, limit }, context) => {
    const query = { text, pattern, level, since, until, context: contextLines, limit };
    const log = await logIn(context, deployment_id);
    if (!log) return { not_known: unreadable };
    const { lines, missing } = log;
    if (lines.length === 0 && missing !== undefined)
      return {
        not_known: `The lines of that deployment can not be had: ${missing}. Whether there were such lines is not known.`,
      };
    if (missing !== undefined) context.leftOut(`Earlier lines of that deployment can not be had: ${missing}.`);
    // Loaded on demand: the regular expression engine is large, and only needed here.
    const { searchLog } = await import('../../src/analysis/search.ts');
    const effectiveQuery =
      query.text === undefined && query.pattern === undefined && query.level === undefined
        ? { ...query, level: 'warn' as const }
        : query;
    try {
      const {
        groups,
        matched,
        shown,
        searched,
        levels: counts,
      } = searchLog(lines, effectiveQuery, new Date(context.now()));
      return pruneRecord({
        matched,
        shown,
        searched,
        levels: counts,
        results: groups.flatMap((group, index) => [
          ...(index > 0 && query.context > 0 ? ['--'] : []),
          ...group.map(lineText),
        ]),
      });
    } catch (error) {
      if (error instanceof UnusableQuery) return context.refuse("what to look for can't be used", error.message);
      throw error;
    }
  },
  render: {
    view: (answer) => answer,
    text: ({ matched, shown, searched, levels: counts, results, not_known }) =>
      typeof not_known === 'string'
        ? not_known
        : [
            `${String(matched)} of ${String(searched)} lines match${shown === matched ? '' : `; the newest ${String(shown)} are shown, for older ones give until`}. By level: ${
              isRecord(counts)
                ? Object.entries(counts)
                    .map(([level, count]) => `${level} ${String(count)}`)
                    .join(', ')
                : ''
            }.`,
            ...(Array.isArray(results) ? results.map(String) : []),
          ].join('\n'),
    keep: 'last',
    rest: 'For older ones give, as until, the time of the first one shown.',
    plainTimes: true,
  },
});
