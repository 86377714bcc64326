import * as z from 'zod';
import { DateTime, HttpUrl, identity, resourceOf, secret, secretAfterHost, Uuid } from '../primitives.ts';
import { EnvironmentMode } from './environment.ts';

/** The events that the embedded platform reports. */
export const EventKind = z.enum(['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED']);
export type EventKind = z.infer<typeof EventKind>;

/** The event of a test delivery. */
export const testEvent = 'TEST';

/** A word for an event. Platforms have more events than the contract lists, and other spellings. */
const EventWord = z
  .string()
  .regex(/^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/, 'must be an event in capitals, such as DEPLOYMENT_FAILED');

const spellings: readonly (readonly [string, string])[] = [
  ['_SUCCEEDED', '_SUCCESSFUL'],
  ['_FAILED', '_FAILURE'],
  ['_CANCELED', '_CANCELLED'],
];

/** The spelling of an event word on other platforms; undefined if there is none. */
export function otherEventWord(word: string): string | undefined {
  const pairs = spellings.flatMap(
    ([one, other]) =>
      [
        [one, other],
        [other, one],
      ] as const,
  );
  const pair = pairs.find(([end]) => word.endsWith(end));
  return pair && `${word.slice(0, -pair[0].length)}${pair[1]}`;
}

export const WebhookKind = z.enum(['STANDARD', 'SLACK']);

/** The kind of webhook whose address is no secret. Every other kind is a chat. */
export const openWebhookKind: z.infer<typeof WebhookKind> = 'STANDARD';

const target = (address: z.ZodString): z.ZodString =>
  secretAfterHost(address, { member: 'kind', value: openWebhookKind });

/** Whether the name of a project fits an entry of a webhook's filter, in which * stands for anything. Case is ignored. */
export function fitsFilter(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const whole = name.toLowerCase();
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return whole === first;
  if (!whole.startsWith(first) || !whole.endsWith(last) || whole.length < first.length + last.length) return false;
  let at = first.length;
  const end = whole.length - last.length;
  for (const part of rest) {
    const found = whole.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export const WebhookRequest = z.object({
  target_url: target(HttpUrl).describe('Receives a POST per event.'),
  events: z
    .array(EventWord)
    .min(1)
    .describe(`Which to post: ${EventKind.options.join(', ')} or other words of the platform.`),
  enabled: z.boolean().default(true),
  kind: WebhookKind.default(openWebhookKind).describe('Form of a post.'),
  description: z.string().optional(),
  target_secret: secret().min(1).optional().describe('Sent along in a header.'),
  // Not in the API document.
  project_names_filter: z
    .array(z.string().min(1))
    .optional()
    .describe('Only of projects with these names; * stands for anything.'),
  environment_types_filter: z.array(EnvironmentMode).optional().describe('Only of environments in these modes.'),
});

export const Webhook = resourceOf(
  'webhook',
  z.object({
    ...identity,
    kind: WebhookKind,
    target_url: target(z.string()),
    events: z.array(z.string()),
    enabled: z.boolean(),
    description: z.string().optional(),
    target_secret_set: z.boolean(),
    project_names_filter: z.array(z.string()).optional(),
    environment_types_filter: z.array(z.string()).optional(),
  }),
);

const DeliveredEvent = z.enum([...EventKind.options, testEvent]);

/** Request body of a delivery. A test delivery is of no deployment. */
export const WebhookDelivery = z.object({
  event_type: DeliveredEvent,
  created_at: DateTime,
  payload: z.object({
    application_id: Uuid.optional(),
    environment_id: Uuid.optional(),
    project_id: Uuid.optional(),
    organization_id: Uuid,
    deployment_id: Uuid.optional(),
    service_id: Uuid.optional(),
    service_name: z.string().optional(),
    service_type: z.string().optional(),
    status: z.string(),
  }),
});

/**
 * Record of one delivery attempt. If the target couldn't be reached, the status code is 0 and the body is the reason.
 */
export const WebhookEvent = z.object({
  id: Uuid,
  created_at: DateTime,
  kind: WebhookKind,
  matched_event: DeliveredEvent,
  target_url_used: target(z.string()),
  request: WebhookDelivery,
  target_response_status_code: z.int(),
  target_response_body: z.string(),
  next_attempt_at: DateTime.optional().describe('When it is sent again; on the last attempt so far only.'),
});
