import type { Selectable } from 'kysely';
import type * as z from 'zod';
import { fitsFilter, wellFormed, type EventKind, type WebhookDelivery } from '../../../contract/index.ts';
import { type DeploymentRow, type DeploymentServiceRow, serviceType } from '../deployment-rows.ts';
import { uuidFrom } from '../../common/index.ts';
import { blockedDueTime } from '../context.ts';
import type { Db, WebhookTable } from '../../store/index.ts';

/** The place of a deployment, which the filters of webhooks select by. */
interface DeploymentPlace {
  readonly project: string;
  readonly mode: string;
}

type Filters = Pick<Selectable<WebhookTable>, 'project_names_filter' | 'environment_types_filter'>;

const listOf = (json: string | null): readonly string[] => (json === null ? [] : (JSON.parse(json) as string[]));

/**
 * Whether the filters of a webhook accept deployments at a place. A filter that is absent or empty excludes nothing.
 */
function passesFilters(filters: Filters, { project, mode }: DeploymentPlace): boolean {
  const [names, modes] = [listOf(filters.project_names_filter), listOf(filters.environment_types_filter)];
  return (
    (names.length === 0 || names.some((pattern) => fitsFilter(pattern, project))) &&
    (modes.length === 0 || modes.includes(mode))
  );
}

/** The body of a delivery. */
export type DeliveryBody = z.output<typeof WebhookDelivery>;

/** An event of one service of a deployment that webhooks are notified of. */
export interface Announcement {
  readonly eventSeq: number;
  readonly event: EventKind;
  readonly deployment: DeploymentRow;
  readonly service: DeploymentServiceRow;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const bodyOf = (
  { event, deployment, service, at }: Announcement,
  owner: { project_id: string; organization_id: string },
): DeliveryBody => ({
  event_type: event,
  created_at: new Date(at).toISOString(),
  payload: {
    ...(service.kind === 'application' && { application_id: service.service_id }),
    environment_id: deployment.environment_id,
    project_id: owner.project_id,
    organization_id: owner.organization_id,
    deployment_id: deployment.id,
    service_id: service.service_id,
    service_name: service.name,
    service_type: serviceType(service.kind),
    status: service.state,
  },
});

/** The webhooks with pending deliveries for the same service and deployment. */
const openDeliveries = async (trx: Db, { deployment, service }: Announcement): Promise<Set<string>> => {
  const rows = await trx
    .selectFrom('webhook_delivery')
    .select('webhook_id')
    .where('deployment_id', '=', deployment.id)
    .where('service_id', '=', service.service_id)
    .where('due_ms', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.webhook_id));
};

/**
 * Adds a delivery to the outbox for every enabled webhook that subscribes to the event, in the caller's transaction.
 */
export async function announce(trx: Db, announcement: Announcement): Promise<void> {
  // A worker that finishes a delivery makes the next one of the deployment due, and must see this one.
  await trx.lock(announcement.deployment.id);
  const owner = await trx
    .selectFrom('environment')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .select(['project.id as project_id', 'project.organization_id', 'project.name as project', 'environment.mode'])
    .where('environment.id', '=', announcement.deployment.environment_id)
    .executeTakeFirstOrThrow();
  const webhooks = await trx
    .selectFrom('webhook')
    .select(['id', 'events', 'project_names_filter', 'environment_types_filter'])
    .where('organization_id', '=', owner.organization_id)
    .where('enabled', '=', 1)
    .orderBy('id')
    // One that is deleted meanwhile gets no delivery.
    .$call(trx.sql.kept)
    .execute();
  const subscribed = webhooks.filter(
    (webhook) => (JSON.parse(webhook.events) as string[]).includes(announcement.event) && passesFilters(webhook, owner),
  );
  if (subscribed.length === 0) return;
  const body = JSON.stringify(wellFormed(bodyOf(announcement, owner)));
  const earlier = await openDeliveries(trx, announcement);
  const rows = subscribed.map((webhook) => ({
    id: uuidFrom(`${announcement.deployment.id}/${announcement.eventSeq}/${webhook.id}`),
    webhook_id: webhook.id,
    event_seq: announcement.eventSeq,
    deployment_id: announcement.deployment.id,
    service_id: announcement.service.service_id,
    body,
    due_ms: earlier.has(webhook.id) ? blockedDueTime : announcement.at,
  }));
  await trx.insertInto('webhook_delivery').values(rows).execute();
}
