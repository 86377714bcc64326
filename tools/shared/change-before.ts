import { operations } from '../../src/contract/index.ts';
import { laterFirst, readDeployment, type HistoryItem } from '../../src/analysis/index.ts';
import { pruneRecord, rowsIn, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';

/** The newest deployments around a service: those of its environment, or its own if those can't be read. */
async function historyAround(context: ToolContext, subject: Subject): Promise<readonly JsonRecord[] | undefined> {
  const { environmentId: environment_id } = subject;
  const around =
    environment_id === undefined
      ? undefined
      : await context.attempt(operations.list_environment_deployments, { environment_id });
  const answer: JsonRecord | undefined =
    around ?? (subject.kind === 'environment' ? undefined : await readAspect(context, subject, 'deployments'));
  return answer && rowsIn(answer);
}

/**
 * Starts to read what `deploymentBefore` needs, if that is the history of the environment. Failures are those of the
 * read that needs the answer.
 */
export function readHistoryAhead(context: ToolContext, { environmentId: environment_id }: Subject): void {
  if (environment_id !== undefined)
    context.read(operations.list_environment_deployments, { environment_id }).catch(() => undefined);
}

/**
 * The last deployment that began before a moment, in the environment of the subject; undefined if none is known.
 * @param moment an ISO timestamp
 */
export async function deploymentBefore(
  context: ToolContext,
  subject: Subject,
  moment: string,
): Promise<JsonRecord | undefined> {
  const history: readonly HistoryItem[] | undefined = await historyAround(context, subject);
  const item = history?.find(({ auditing_data: audit }) => {
    const began = audit?.created_at ?? undefined;
    return began !== undefined && laterFirst(began, moment) >= 0;
  });
  if (!item) return undefined;
  const { action, startedAt, state, triggeredBy, commit, image, id } = readDeployment(item);
  const services = (item.services ?? []).flatMap(({ name }) => name ?? []);
  return pruneRecord({ action, at: startedAt, state, by: triggeredBy, services, commit, image, id });
}

/** The same in one line. */
export const deploymentBeforeText = ({ action, at, state, by, services, commit, image }: JsonRecord): string =>
  [
    `Before it: ${String(action)}`,
    ...(Array.isArray(services) && services.length > 0 ? [`of ${services.join(', ')}`] : []),
    ...(typeof by === 'string' ? [`by ${by}`] : []),
    `at ${String(at)}`,
    ...(typeof state === 'string'
      ? [`(${[state, commit, image].filter((part) => typeof part === 'string').join(', ')})`]
      : []),
  ].join(' ');
