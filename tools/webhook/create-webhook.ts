import { operations } from '../../src/contract/index.ts';
import { defineTool, hasUserinfo, naming, record } from '../../src/server/tool/index.ts';

export const createWebhook = defineTool(operations.create_webhook, {
  toolset: 'webhooks',
  description: 'Have deployment events posted to an address of yours, for instance to notify a chat or a build system.',
  fields: { target_secret: 'Shared secret, sent in a header.' },
  plan: ({ target_url }) => [
    'From now on every such event of the organization is sent to this address.',
    ...(hasUserinfo(target_url) ? ['The address has a user name or a password in it: they are kept like secrets, sent with every event, and not shown.'] : []),
  ],
  render: record({ first: ['target_url', 'id', 'enabled', 'events'] }),
  next: naming`${'list_webhook_events'} shows what was delivered.`,
});
