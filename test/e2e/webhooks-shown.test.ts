import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
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

test('a webhook that is turned off is no webhook to which nothing happened', async () => {
  const { text, answer } = await call('list_webhook_events', { webhook_id: platform.seed['webhook_id'] });
  expect(answer['totals']).toEqual(
    expect.objectContaining({ deliveries: 0, webhook: 'turned off', changed_at: expect.any(String) as unknown }),
  );
  expect(text).toMatch(/^<platform-data>\nThe webhook is turned off \(last changed at .*was never sent to it/);
});

test('without a webhook, what became of the deliveries of each is counted, and those that are off come first', async () => {
  const webhook = (
    await call('create_webhook', {
      target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/counted`,
      events: ['DEPLOYMENT_SUCCEEDED'],
    })
  ).answer['id'];
  const row = async () =>
    ((await call('list_webhook_events', {})).answer['webhooks'] as Json[]).find(({ id }) => id === webhook)!;
  expect(await row()).toMatchObject({ deliveries: 0, failed: 0 });
  status = 500;
  await call('deploy_service', { service: 'shop/staging/search', wait: true });
  await expect.poll(row).toMatchObject({ deliveries: 1, failed: 1, last_failure_at: expect.any(String) as unknown });
  status = 204;
  const { text } = await call('list_webhook_events', {});
  expect(text).toMatch(/hooks\.acme\.example\/deployments is turned off .*was never sent to it/);
  expect(text).toContain('Deliveries on record: 1; 0 received, 1 failed, 0 to be tried again.');
  // One that was on before keeps its deliveries, and is told as off beside them.
  await platform.must('update_webhook', {
    organization_id: platform.organizationId,
    webhook_id: webhook,
    target_url: 'https://hooks.acme.example/counted',
    events: ['DEPLOYMENT_SUCCEEDED'],
    enabled: false,
  });
  const off = await call('list_webhook_events', { webhook_id: webhook });
  expect(off.answer['totals']).toMatchObject({ failed: 1, webhook: 'turned off' });
  expect(off.text).toMatch(/turned off[^]*1 failed/);
  await platform.must('delete_webhook', { organization_id: platform.organizationId, webhook_id: webhook });
});

test('deliveries that can not be read are not taken for none', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (/\/webhook\/[^/]+\/event/.test(request.url!))
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await others.modern()).call('list_webhook_events', {});
  expect(textOf(result)).toContain('The deliveries of https://hooks.acme.example/deployments could not be read.');
  expect((result.structuredContent as { webhooks: Json[] }).webhooks[0]).not.toHaveProperty('deliveries');
  await others.close();
  await proxy.close();
});

test('the answer of a new webhook says what it is sent, and what else its test takes', async () => {
  const result = await (
    await connectors.modern(userAnswering(agree))
  ).call('create_webhook', { target_url: 'https://hooks.acme.example/new', events: ['DEPLOYMENT_FAILED'] });
  expect((result.structuredContent as Json)['effects']).toEqual(
    expect.arrayContaining([
      expect.stringContaining('every project and mode'),
      expect.stringMatching(/sends a test to it/),
    ]),
  );
  await platform.must('delete_webhook', {
    organization_id: platform.organizationId,
    webhook_id: (result.structuredContent as Json)['id'],
  });
});

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
      target_url: expect.stringContaining('chat.acme.example/[hidden') as string,
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
    expect.poll(async () => ((await deliveries()).answer['totals'] as Json)[how]).toBe(2);
  const quiet = await deliveries();
  expect(quiet.text).toMatch(
    /0 deliveries in 0 attempts\. No event for it is on record since it was made at \S+ \([^)]+\)\. It is told of DEPLOYMENT_STARTED, DEPLOYMENT_SUCCEEDED of every project and mode\./,
  );
  expect(quiet.answer['totals']).toMatchObject({ attempts: 0, made_at: expect.any(String) as unknown });
  await call('deploy_service', { service: 'shop/staging/search', wait: true });
  await counted('received');
  status = 500;
  await call('deploy_service', { service: 'shop/staging/search', wait: true });
  await counted('failed');
  const { text, answer } = await deliveries();
  const [totals, rows] = [answer['totals'] as Record<string, number>, rowsOf(answer)];
  expect(totals['deliveries']).toBe(rows.length);
  expect(rows.map((row) => [row['matched_event'], row['result']])).toEqual([
    ['DEPLOYMENT_SUCCEEDED', 'failed'],
    ['DEPLOYMENT_STARTED', 'failed'],
    ['DEPLOYMENT_SUCCEEDED', 'received'],
    ['DEPLOYMENT_STARTED', 'received'],
  ]);
  const [failed, , received] = rows.map((row) => String(row['attempts']));
  expect(failed).toMatch(/^6: 500 at [^,]+(, 500 at [^,]+){5}$/);
  expect(received).toMatch(/^1: 204 at [^,]+$/);
  expect(totals).toMatchObject({
    attempts: 14,
    received: 2,
    failed: 2,
    waiting: 0,
    last_failure: { target_response_status_code: 500 },
  });
  expect(text).toContain('4 deliveries in 14 attempts: 2 received, 2 failed, 0 to be tried again.\n');
  const behind = await deliveries({ page: 9 });
  expect(behind.answer['results']).toEqual([]);
  expect(behind.answer['totals']).not.toHaveProperty('made_at');
  expect(text).toContain('search');
  expect(text).not.toContain('deployment_id');
  expect((await deliveries({ fields: ['created_at', 'request'] })).text).toContain('deployment_id');
});

test('a delivery that is tried again says when', async () => {
  // Its retries are minutes away, and its deployments hours.
  const slow = await startTestPlatform({ allowPrivateWebhookTargets: true, timeScale: 100 });
  const connectorsOfSlow = connectorsTo(slow.url, slow.tokens.admin);
  const client = await connectorsOfSlow.modern(userAnswering(agree));
  try {
    status = 503;
    const { id } = await slow.must('create_webhook', {
      organization_id: slow.organizationId,
      target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      events: ['DEPLOYMENT_STARTED'],
    });
    await slow.must('deploy_container', { container_id: slow.seed['container_id'] });
    const shown = async () => client.call('list_webhook_events', { webhook: id });
    await expect
      .poll(async () => textOf(await shown()))
      .toContain('1 delivery in 1 attempt: 0 received, 0 failed, 1 to be');
    const result = await shown();
    const { results, totals } = result.structuredContent as { results: Json[]; totals: Json };
    expect(results).toMatchObject([{ result: 'waiting', attempts: expect.stringMatching(/^1: 503 at/) as unknown }]);
    const [{ created_at: at, next_attempt_at: next }] = results as [Json];
    expect(Date.parse(String(next)) - Date.parse(String(at))).toBe(200_000);
    expect(totals['next_attempt_at']).toBe(next);
    expect(textOf(result)).toContain(`next at ${String(next)}`);
  } finally {
    await connectorsOfSlow.close();
    await slow.close();
  }
});

test('what limits a webhook is in the list of those without whose deliveries are asked for', async () => {
  await call('create_webhook', {
    target_url: 'https://chat.acme.example/in/limited',
    events: ['DEPLOYMENT_FAILED'],
    project_names_filter: ['shop'],
    environment_types_filter: ['PRODUCTION'],
  });
  const { text, answer } = await call('list_webhook_events', {});
  expect(answer['webhooks']).toContainEqual(
    expect.objectContaining({ project_names_filter: ['shop'], environment_types_filter: ['PRODUCTION'] }),
  );
  expect(text).toMatch(/\["shop"\] \| \["PRODUCTION"\] \|/);
});

test('who changes or tries out a webhook that is off is told so', async () => {
  const off = { webhook_id: platform.seed['webhook_id'] };
  const changed = await call('update_webhook', { ...off, description: 'Off.' });
  expect(changed.text).toContain('It is off: nothing is sent to it until it is turned on (enabled: true).');
  const turnedOn = await call('update_webhook', { ...off, enabled: true, dry_run: true });
  expect(turnedOn.text).not.toContain('It is off');
  const port = (receiver.address() as AddressInfo).port;
  await call('update_webhook', { ...off, target_url: `http://127.0.0.1:${port}/in` });
  const tried = await call('test_webhook', off);
  expect(tried.answer).toMatchObject({ webhook: 'off: this test is sent all the same, and nothing else' });
  expect(tried.text).toContain('off: this test is sent all the same');
});

test('a delivery without an answer is told from one with a code', async () => {
  const { answer } = await call('create_webhook', {
    target_url: 'http://127.0.0.1:1/in',
    events: ['DEPLOYMENT_FAILED'],
  });
  await call('test_webhook', { webhook_id: answer['id'] });
  const { text, answer: events } = await call('list_webhook_events', { webhook_id: answer['id'] });
  expect(events['totals']).toMatchObject({ code_0: 'no answer came' });
  expect(text).toContain('Code 0: no answer came.');
});

test('the plan of a webhook says what its filters let through, and which project there is none of', async () => {
  const planned = async (more: Json): Promise<string> =>
    (
      await call('create_webhook', {
        target_url: 'https://chat.acme.example/in/planned',
        events: ['DEPLOYMENT_FAILED'],
        ...more,
        dry_run: true,
      })
    ).text;
  const limited = await planned({ project_names_filter: ['SH*p', 'shpo'], environment_types_filter: ['PRODUCTION'] });
  expect(limited).toContain('every such event of the projects SH*p, shpo, and of environments in PRODUCTION is sent');
  expect(limited).toContain('has this name of the filter: shpo.');
  expect(limited).not.toContain('of the organization is sent');
  expect(await planned({})).toContain('every such event of the organization is sent');
  const off = await planned({ enabled: false });
  expect(off).toContain('It is off: nothing is sent to it');
  expect(off).not.toContain('From now on');
  const changed = await call('update_webhook', {
    webhook_id: platform.seed['webhook_id'],
    project_names_filter: ['shpo'],
    dry_run: true,
  });
  expect(changed.text).toContain('has this name of the filter: shpo.');
});
