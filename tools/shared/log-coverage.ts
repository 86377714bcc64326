import { operations } from '../../src/contract/index.ts';
import { deployedAt, type LogCoverage } from '../../src/analysis/index.ts';
import { statusRowsIn, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { statusOf, type Subject } from './any-service.ts';
import { ifPossible } from './if-possible.ts';

const sinceWhen = 'Since when an empty log could have lines';

/** Since when the empty log of a service could have lines. */
export const emptyLogOf = async (
  context: ToolContext,
  subject: Subject,
): Promise<Pick<LogCoverage, 'deployed_at' | 'never_deployed'>> =>
  deployedAt(await ifPossible(context, sinceWhen, () => statusOf(context, subject)));

const isEmpty = ({ lines, not_read }: LogCoverage): boolean => lines === 0 && !not_read;

/**
 * Starts to read what `withEmptyLogs` needs if a log is empty, as most environments have one. Failures are those of the
 * read that needs the answer.
 */
export function readCoverageAhead(context: ToolContext, environment_id: string): void {
  context.read(operations.get_environment_status, { environment_id }).catch(() => undefined);
}

/**
 * Adds to the empty logs of an environment since when they could have lines. The statuses are read only if there are
 * such logs.
 */
export async function withEmptyLogs(
  context: ToolContext,
  environment_id: string,
  logs: readonly (LogCoverage & { readonly id: string })[],
): Promise<LogCoverage[]> {
  const statuses: JsonRecord | undefined = logs.some(isEmpty)
    ? await ifPossible(context, sinceWhen, () => context.attempt(operations.get_environment_status, { environment_id }))
    : undefined;
  const rows = statusRowsIn(statuses);
  return logs.map(({ id, ...log }) =>
    isEmpty(log) ? { ...log, ...deployedAt(rows.find((row) => row['id'] === id)) } : log,
  );
}
