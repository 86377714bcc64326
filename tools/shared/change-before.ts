import { maximumEventPageSize, operations } from '../../src/contract/index.ts';
import {
  isWanted,
  laterFirst,
  readDeployment,
  tellEvent,
  type HistoryItem,
  type LenientEvent,
} from '../../src/analysis/index.ts';
import {
  isRecord,
  isSecretName,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
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

/** The reads of `changeBefore`. */
export const readsOfChangeBefore: readonly ReadUse[] = readUses(
  'which change was before the first match is not told',
  operations.list_events,
  operations.get_organization,
);

/** The types of events about changes of what is configured; the others are about deployments and clusters. */
const changeTypes: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE'];

/** Whether an event is about a service, or what it sees of its environment and project; or about an environment. */
const concerns = ({ kind, id, environmentId: environment, projectId: project }: Subject, event: LenientEvent) =>
  kind === 'environment'
    ? isWanted({ environment: id }, event) || (project !== undefined && event.target_id === project)
    : isWanted({ service: id, environment, project }, event);

/**
 * The last recorded change before a moment: of a service, or of what it sees of its environment and project. If none is
 * among the newest events until then, or they can't be read, that as a code.
 * @param moment an ISO timestamp
 */
export async function changeBefore(context: ToolContext, subject: Subject, moment: string): Promise<JsonRecord> {
  const organization = await context.attempt(operations.get_organization, {});
  const page: JsonRecord | undefined = organization?.id
    ? await context.attempt(operations.list_events, {
        organization_id: organization.id,
        page_size: maximumEventPageSize,
        to_timestamp: new Date(moment).toISOString(),
      })
    : undefined;
  if (!page) return { not_known: 'not_readable' };
  const event = (recordsIn(page['events']) as LenientEvent[]).find(
    (one) => changeTypes.includes(one.event_type) && concerns(subject, one),
  );
  if (!event) return { not_known: 'none_recorded' };
  const { at, who: by, what, where, changes } = tellEvent(event, isSecretName);
  return pruneRecord({ at, by, what, where, changes });
}

/** The same in one line; none where nothing was looked up. */
export function changeBeforeText(change: unknown): readonly string[] {
  if (!isRecord(change)) return [];
  const { not_known: unknown, at, by, what, where, changes } = change;
  if (unknown !== undefined)
    return [
      unknown === 'none_recorded'
        ? 'Which change was before it is not known: none of it is among the newest events until then.'
        : 'Which change was before it is not known: events can not be read here.',
    ];
  const who = typeof by === 'string' ? ` by ${by}` : '';
  const from = typeof changes === 'string' ? ` (${changes})` : '';
  return [`Last change before it: ${String(what)} ${String(where)}${who} at ${String(at)}${from}.`];
}
