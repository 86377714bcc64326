import { operation } from '../operation.ts';
import { Webhook, WebhookEvent, WebhookRequest } from '../resources/webhook.ts';
import { read, undocumented } from './common.ts';

const path = '/organization/{organizationId}/webhook/{webhookId}';

/** Where events of the organization are sent needs an administrator. */
const change = { ...undocumented, permission: 'admin', target: 'organization' } as const;

/** Operations outside the API document: one webhook. */
export const webhookExtensions = {
  get_webhook: operation({
    ...read,
    name: 'get_webhook',
    path,
    response: Webhook,
    summary: 'Read a webhook, without its secret.',
  }),
  update_webhook: operation({
    ...change,
    name: 'update_webhook',
    method: 'PUT',
    path,
    body: WebhookRequest,
    response: Webhook,
    effect: 'sensitive',
    summary: 'Replace a webhook: where deployment events are posted, and which.',
  }),
  test_webhook: operation({
    ...change,
    name: 'test_webhook',
    method: 'POST',
    path: `${path}/test`,
    response: WebhookEvent,
    effect: 'write',
    summary: 'Post a test event to the address of a webhook.',
  }),
  delete_webhook: operation({
    ...change,
    name: 'delete_webhook',
    method: 'DELETE',
    path,
    effect: 'sensitive',
    summary: 'Delete a webhook, with the records of its deliveries.',
  }),
} as const;
