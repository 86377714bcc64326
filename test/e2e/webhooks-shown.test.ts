import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let status = 204;
const receiver = createServer((_, response) => response.writeHead(status).end('as told'));

beforeAll(async () => {
  platform = await startTestPlatform({ allowPrivateWebhookTargets: true });
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
  await new Promise((resolve) => receiver.close(resolve));
});

async function call(tool: string, args: Json) {
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError === true ? textOf(result) : '').toBe('');
  return { text: textOf(result), answer: (result.structuredContent ?? {}) as Json };
}

test('without a webhook, those that there are are shown, without any secret', async () => {
  await call('create_webhook', {
    target_url: 'https://robot:hunter2-pass@chat.acme.example/in/ops',
    events: ['DEPLOYMENT_FAILED'],
    kind: 'SLACK',
    target_secret: 'hush-marten-3',
  });
  const { text, answer } = await call('list_webhook_events', {});
  const webhooks = answer['webhooks'] as Json[];
  expect(webhooks).toHaveLength(2);
  expect(webhooks).toContainEqual(
    expect.objectContaining({
      id: platform.seed['webhook_id'],
      target_url: 'https://hooks.acme.example/deployments',
      enabled: false,
    }),
  );
  expect(webhooks).toContainEqual(
    expect.objectContaining({
      kind: 'SLACK',
      events: ['DEPLOYMENT_FAILED'],
      target_secret_set: true,
      target_url: expect.stringContaining('chat.acme.example/in/ops') as string,
    }),
  );
  expect(text).toContain('2 webhooks\n');
  for (const shown of [text, JSON.stringify(answer)])
    for (const secret of ['hunter2-pass', 'hush-marten-3', 'never-shown']) expect(shown).not.toContain(secret);
});

test('a webhook is given by its host, and the whole address is refused with that', async () => {
  const byHost = await call('list_webhook_events', { webhook: 'hooks.acme.example' });
  expect(byHost.answer['results']).toEqual(
    (await call('list_webhook_events', { webhook: platform.seed['webhook_id'] })).answer['results'],
  );
  const refused = await (
    await connectors.modern()
  ).call('list_webhook_events', { webhook: 'https://hooks.acme.example/deployments' });
  expect([refused.isError, textOf(refused)]).toEqual([
    true,
    expect.stringContaining('given by the host of its address, here "hooks.acme.example", or by its id'),
  ]);
});

test('deliveries are counted by how they ended, and what was sent is shown in whole on request only', async () => {
  const webhook = (
    await call('create_webhook', {
      target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      events: ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED'],
    })
  ).answer['id'];
  const deliveries = async (more: Json = {}) => call('list_webhook_events', { webhook, ...more });
  const counted = (how: 'received' | 'failed') =>
    expect.poll(async () => ((await deliveries()).answer['totals'] as Json)[how]).toBeGreaterThan(0);
  expect((await deliveries()).text).toContain('0 events');
  await call('deploy_service', { service: 'shop/staging/search', wait: true });
  await counted('received');
  status = 500;
  await call('deploy_service', { service: 'shop/staging/search', wait: true });
  await counted('failed');
  const { text, answer } = await deliveries();
  const [totals, rows] = [answer['totals'] as Record<string, number>, rowsOf(answer)];
  expect(totals['attempts']).toBe(rows.length);
  expect(totals['failed']).toBe(rows.filter((row) => row['target_response_status_code'] === 500).length);
  expect(totals['received']! + totals['failed']!).toBe(rows.length);
  expect(totals['last_failure']).toMatchObject({ target_response_status_code: 500 });
  expect(text).toContain(
    `Of these ${totals['attempts']} attempts: ${totals['received']} received, ${totals['failed']} failed.`,
  );
  expect(text).toContain('search');
  expect(text).not.toContain('deployment_id');
  expect((await deliveries({ fields: ['created_at', 'request'] })).text).toContain('deployment_id');
});
