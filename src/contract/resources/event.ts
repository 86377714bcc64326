import * as z from 'zod';
import { defaultPageSizes } from '../limits.ts';
import { DateTime, reference, Uuid } from '../primitives.ts';

/**
 * One requested change. `change` and `original_change` are JSON text of the changed members, after and before, without
 * secrets.
 */
export const Event = z.object({
  id: Uuid,
  timestamp: DateTime,
  event_type: z.string(),
  target_type: z.string(),
  target_id: Uuid.nullable().optional(),
  target_name: z.string(),
  sub_target_type: z.string().nullable().optional(),
  change: z.string(),
  original_change: z.string().nullable().optional(),
  origin: z.string(),
  triggered_by: z.string(),
  user_agent: z.string().nullable().optional(),
  project_id: Uuid.nullable().optional(),
  project_name: z.string().nullable().optional(),
  environment_id: Uuid.nullable().optional(),
  environment_name: z.string().nullable().optional(),
});

/**
 * Events, newest first, with the queries of the previous and next pages. Some platforms report since when they keep
 * events.
 */
export const EventPage = z.object({
  events: z.array(Event),
  links: z.object({ previous: z.string().nullable(), next: z.string().nullable() }),
  organization_max_limit_reached: z.boolean(),
  events_since: DateTime.optional(),
});

/** Maximum number of events on one page. */
export const maximumEventPageSize = 100;

export const eventQuery = {
  pageSize: z
    .int()
    .min(1)
    .max(maximumEventPageSize)
    .nullish()
    .describe(`Events per page, default ${defaultPageSizes.events}.`),
  continueToken: z.string().optional(),
  stepBackToken: z.string().optional(),
  fromTimestamp: DateTime.optional(),
  toTimestamp: DateTime.optional(),
  eventType: z.string().optional(),
  targetType: z.string().optional(),
  targetId: Uuid.optional().describe('Needs targetType.'),
  subTargetType: z.string().optional(),
  triggeredBy: z.string().optional(),
  origin: z.string().optional(),
  serviceProjectId: reference('project').optional(),
  serviceEnvironmentId: reference('environment').optional(),
};
