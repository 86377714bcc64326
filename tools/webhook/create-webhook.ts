import { operations } from '../../src/contract/operations.ts';
import { defineTool, naming, record } from '../../src/mcp/tool.ts';

export const createWebhook = defineTool(operations.create_webhook, {
  toolset: 'webhooks',
  description: 'Have deployment events posted to an address of yours, for instance to notify a chat or a build system.',
  fields: { target_secret: 'Shared secret, sent in a header.' },
  plan: () => ['From now on every such event of the organization is sent to this address.'],
  render: record({ first: ['target_url', 'id', 'enabled', 'events'] }),
  next: naming`${'list_webhook_events'} shows what was delivered.`,
});
