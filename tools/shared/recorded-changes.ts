import { maximumEventPageSize, operations } from '../../src/contract/index.ts';
import {
  readDeploymentSituation,
  recordedChange,
  type Evidence,
  type LenientEvent,
  type RecordedChange,
} from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  recordsIn,
  isSecretName,
  readUses,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import type { Subject } from './any-service.ts';

/** The reads for who changed a service, and the previous values. */
export const readsOfRecords: readonly ReadUse[] = readUses(
  'by whom and from what a variable or the configuration was changed is not told',
  operations.list_events,
  operations.get_organization,
);

const notTold = 'Who changed what is not told, because the platform failed to answer';

/** The newest events of a period; undefined if they can't be read. */
async function eventsBetween(
  context: ToolContext,
  from_timestamp: string,
  to_timestamp: string | undefined,
): Promise<readonly LenientEvent[] | undefined> {
  const organization = await context.attempt(operations.get_organization, {});
  if (!organization?.id) return undefined;
  const query = {
    organization_id: organization.id,
    page_size: maximumEventPageSize,
    from_timestamp,
    ...(to_timestamp !== undefined && { to_timestamp }),
  };
  const page: JsonRecord | undefined = await context.attempt(operations.list_events, query);
  const events = page && recordsIn(page['events']);
  if (events && events.length >= maximumEventPageSize)
    context.leftOut(`Of who changed what since then, only the newest ${events.length} events were looked through.`);
  return events;
}

/** Whether the organization has events of a period; undefined if that can't be read. */
export async function hasEventsBetween(context: ToolContext, from: string, to: string): Promise<boolean | undefined> {
  const organization = await context.attempt(operations.get_organization, {});
  if (!organization?.id) return undefined;
  const query = { organization_id: organization.id, page_size: 1, from_timestamp: from, to_timestamp: to };
  const page: JsonRecord | undefined = await context.attempt(operations.list_events, query);
  return page && recordsIn(page['events']).length > 0;
}

/**
 * The recorded changes between the last good deployment of a service and the diagnosed one; undefined if they explain
 * nothing, or can't be read. Events are read if a setting was changed, or if no other change is known.
 */
export async function recordedSince(
  context: ToolContext,
  { id: service, environmentId: environment, projectId: project }: Subject,
  evidence: Evidence,
): Promise<readonly RecordedChange[] | undefined> {
  const { lastGood, deployment, changes } = readDeploymentSituation(evidence);
  const isSetting = changes.some(({ kind }) => kind === 'variable' || kind === 'configuration');
  const isVersion = changes.some(({ kind }) => kind === 'commit' || kind === 'image');
  if (!lastGood?.startedAt || deployment?.end !== 'bad' || (isVersion && !isSetting)) return undefined;
  try {
    const events = await eventsBetween(context, lastGood.startedAt, deployment.startedAt);
    // A value that a list of variables would hide must not be proposed.
    const isSecret = (key: string, value?: string): boolean =>
      isSecretName(key) || (value !== undefined && context.hiddenIn({ key, value }).length > 0);
    return events?.flatMap((event) => recordedChange(event, { service, environment, project }, isSecret) ?? []);
  } catch (error) {
    if (!isPlatformFailure(error)) throw error;
    context.leftOut(`${notTold} (${error.operation}: ${error.reason}).`);
    return undefined;
  }
}
