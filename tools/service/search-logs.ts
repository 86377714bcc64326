import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { deploymentIdsIn, isStatusOf, levels, UnusableQuery, type LogLine, type LogSearchResult } from '../../src/analysis/index.ts';
import { anyOf, anyService, composeTool, isRecord, pruneRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { logOf, oneOf, readsByKind, readsInstead, readsOf, serviceSubject, type Subject } from '../shared/any-service.ts';
import { readEnvironmentLog, readOwnLog, readsInsteadOfEnvironmentLog } from '../shared/environment-log.ts';
import { readStatus } from '../shared/wait-for-end.ts';

const defaultLimit = 30;
const maximumLimit = 200;

/** The ids by which lines may name a deployment: some platforms name its execution, which only the status tells. */
async function idsOf(context: ToolContext, subject: Subject, deployment: string, lines: readonly LogLine[]): Promise<readonly (string | null | undefined)[]> {
  if (lines.length === 0 || lines.some((line) => line.deployment_request_id === deployment)) return [deployment];
  const status = await readStatus(context, subject);
  return isStatusOf(status, deployment) ? [deployment, ...deploymentIdsIn(status)] : [deployment];
}

/** The lines of one deployment in the log of an environment: those of services name no deployment. Undefined if that can't be read, or names none either. */
async function linesOfDeployment(context: ToolContext, subject: Subject, environmentId: string, deployment: string): Promise<readonly LogLine[] | undefined> {
  const all: readonly LogLine[] | undefined = await readOwnLog(context, environmentId);
  const own = all?.filter((line) => subject.kind === 'environment' || line.service_id === subject.id);
  if (own === undefined || (own.length > 0 && !own.some((line) => typeof line.deployment_request_id === 'string'))) return undefined;
  const ids = await idsOf(context, subject, deployment, own);
  return own.filter((line) => ids.includes(line.deployment_request_id ?? undefined));
}

/** The newest log lines of the subject; undefined if they can't be read. */
async function linesOf(context: ToolContext, deployment?: string): Promise<readonly LogLine[] | undefined> {
  const subject = serviceSubject(context);
  const environmentId = subject.kind === 'environment' ? subject.id : subject.environmentId;
  if (deployment !== undefined && environmentId !== undefined) return linesOfDeployment(context, subject, environmentId, deployment);
  return subject.kind === 'environment' ? readEnvironmentLog(context, subject.id) : logOf(context, subject);
}

const unreadable = 'The log could not be read, so it is not known whether there are such lines.';

const withoutDeployment = 'Only the log of an environment tells of which deployment a line is: without deployment_id, since and until find what was written at that time.';

/** A match or a context line as text, with its time and pod. */
const lineText = ({ time, pod, text, matched }: LogSearchResult['groups'][number][number]): string => `${matched ? '>' : ' '} ${[time, pod, text].filter((part) => part !== undefined && part !== '').join(' ')}`;

export const searchLogs = composeTool({
  name: 'search_logs',
  toolset: 'services',
  description:
    'Find lines in the logs of a service or environment: errors, exceptions, a request id. Without text, pattern or level it finds warnings and errors. Counts all matches.',
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
  operations: [...readsOf('logs'), operations.get_environment_logs],
  reads: [
    ...anyOf(...readsByKind('logs', 'the log', operations.get_environment_logs)),
    ...readsInstead('logs', 'the log'),
    ...readsInsteadOfEnvironmentLog,
    ...readsByKind('status', 'the deployment that lines are from', operations.get_environment_status),
  ],
  output: z.object({ matched: z.int(), shown: z.int(), searched: z.int(), levels: z.object({}), results: z.array(z.string()) }),
  answer: async ({ deployment_id, text, pattern, level, since, until, context: contextLines, limit }, context) => {
    const query = { text, pattern, level, since, until, context: contextLines, limit };
    const lines = await linesOf(context, deployment_id);
    if (!lines) return { not_known: deployment_id === undefined ? unreadable : `${unreadable} ${withoutDeployment}` };
    // Loaded on demand: the regular expression engine is large, and only needed here.
    const { searchLog } = await import('../../src/analysis/search.ts');
    const effectiveQuery = query.text === undefined && query.pattern === undefined && query.level === undefined ? { ...query, level: 'warn' as const } : query;
    try {
      const { groups, matched, shown, searched, levels: counts } = searchLog(lines, effectiveQuery, new Date(context.now()));
      return pruneRecord({ matched, shown, searched, levels: counts, results: groups.flatMap((group, index) => [...(index > 0 && query.context > 0 ? ['--'] : []), ...group.map(lineText)]) });
    } catch (error) {
      if (error instanceof UnusableQuery) return context.refuse('what to look for can\'t be used', error.message);
      throw error;
    }
  },
  render: {
    view: (answer) => answer,
    text: ({ matched, shown, searched, levels: counts, results, not_known }) =>
      typeof not_known === 'string' ? not_known : [
        `${String(matched)} of ${String(searched)} lines match${shown === matched ? '' : `; the newest ${String(shown)} are shown, for older ones give until`}. By level: ${isRecord(counts) ? Object.entries(counts).map(([level, count]) => `${level} ${String(count)}`).join(', ') : ''}.`,
        ...(Array.isArray(results) ? results.map(String) : []),
      ].join('\n'),
    keep: 'last',
    rest: 'For older ones give, as until, the time of the first one shown.',
    plainTimes: true,
  },
});
