import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listWebhookEvents = defineTool(operations.list_webhook_events, {
  toolset: 'webhooks',
  description:
    'Did the calls of a webhook get through? Its delivery history: what was sent and how the receiver answered, newest first. Status code 0 ' +
    'means that the address could not be reached.',
  render: table('event', ['created_at', 'matched_event', 'target_response_status_code', 'target_response_body', 'target_url_used', 'request', 'kind', 'id']),
});
