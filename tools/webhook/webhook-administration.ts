import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

const columns = ['target_url', 'enabled', 'kind', 'events', 'description', 'target_secret_set', 'id'];

export const listWebhooks = defineTool(operations.list_webhooks, {
  toolset: 'administration',
  title: 'All webhooks: who is told of deployments',
  description: 'List the webhooks: address, events and whether each is on.',
  render: table('webhook', columns),
});
