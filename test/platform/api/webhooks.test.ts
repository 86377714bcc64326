import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { eventually } from '../../support/eventually.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

let platform: TestPlatform;
let connectors: Connectors;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let address: string;
let client: TestClient;

const secret = 'only-the-listener-knows-it';

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0, allowPrivateWebhookTargets: true });
  await connect();
});

beforeEach(async () => {
  receiver = await startReceiver();
  address = `http://${receiver.host}`;
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** The words of the events that came to a path. */
const toldAt = (path: string): string[] =>
  receiver.received.flatMap((one) =>
    one.path === path ? [(JSON.parse(one.body) as { event_type: string }).event_type] : [],
  );

const newestEvent = (): Promise<Json> => newestEventOf(platform);

const succeeded = succeeding(
  (tool, args) => client.call(tool, args),
  (result) => {
    expect(JSON.stringify(result)).not.toContain(secret);
  },
);

/** Deploys, and waits until the witness was told of the end, after which nobody else is told of anything. */
const deploy = async (): Promise<void> => {
  const before = toldAt('/witness').length;
  await platform.must('redeploy_application', { application_id: platform.seed['application_id'] });
  await eventually(() => expect(toldAt('/witness')).toHaveLength(before + 2));
};

test('a webhook is set up, tried out, limited, moved, and taken back', async () => {
  const events = ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED'];
  await succeeded('create_webhook', { target_url: `${address}/witness`, events });
  const { id: webhook } = await succeeded('create_webhook', {
    target_url: `${address}/first`,
    events,
    target_secret: secret,
  });
  expect(rowsOf(await succeeded('list_webhooks')).find(({ id }) => id === webhook)).toMatchObject({
    enabled: true,
    target_secret_set: true,
  });

  expect(await succeeded('test_webhook', { webhook })).toMatchObject({ target_response_status_code: 204 });
  expect(toldAt('/first')).toEqual(['TEST']);
  expect(await newestEvent()).toMatchObject({ event_type: 'TRIGGER_TEST', target_type: 'WEBHOOK' });
  expect(rowsOf(await succeeded('list_webhook_events', { webhook }))).toMatchObject([
    { matched_event: 'TEST', target_response_status_code: 204 },
  ]);

  await succeeded('update_webhook', { webhook, project_names_filter: ['nothing*'], target_url: `${address}/second` });
  await deploy();
  expect(toldAt('/second')).toEqual([]);
  await succeeded('update_webhook', { webhook, project_names_filter: ['SH*p'], environment_types_filter: ['STAGING'] });
  await deploy();
  await eventually(() => expect(toldAt('/second')).toEqual(events));
  await succeeded('update_webhook', { webhook, environment_types_filter: ['DEVELOPMENT'] });
  await deploy();
  expect(toldAt('/second')).toEqual(events);
  const secrets = receiver.received
    .filter(({ path }) => path === '/second')
    .map(({ headers }) => headers['x-webhook-secret']);
  expect(secrets).toEqual([secret, secret]);

  await connectors.close();
  platform = await platform.restart();
  await connect();
  expect(rowsOf(await succeeded('list_webhooks')).find(({ id }) => id === webhook)).toMatchObject({
    target_url: `${address}/second`,
    project_names_filter: ['SH*p'],
    environment_types_filter: ['DEVELOPMENT'],
  });
  await succeeded('delete_webhook', { webhook });
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_type: 'WEBHOOK', target_id: webhook });
  expect(rowsOf(await succeeded('list_webhooks')).map(({ id }) => id)).not.toContain(webhook);
  const where = { organization_id: platform.organizationId, webhook_id: webhook };
  expect((await platform.call('get_webhook', where)).status).toBe(404);
  expect((await platform.call('list_webhook_events', where)).status).toBe(404);
  await deploy();
  expect(toldAt('/second')).toEqual(events);
});

test('credentials in the address are kept by their mark at that address alone', async () => {
  const where = { organization_id: platform.organizationId };
  const withCredentials = `http://me:pass-of-mine@${receiver.host}/with`;
  const created = await platform.must('create_webhook', {
    ...where,
    target_url: withCredentials,
    events: ['DEPLOYMENT_FAILED'],
  });
  const request = { ...where, webhook_id: created['id'], events: ['DEPLOYMENT_STARTED'] };
  await platform.must('update_webhook', { ...request, target_url: created['target_url'] });
  await platform.must('test_webhook', { ...where, webhook_id: created['id'] });
  expect(receiver.received.at(-1)!.headers.authorization).toMatch(/^Basic /);
  const moved = await platform.call('update_webhook', {
    ...request,
    target_url: String(created['target_url']).replace('/with', '/other'),
  });
  expect(moved.status).toBe(400);
});

test('no answer in the life of a chat webhook has what follows the host of its address', async () => {
  const [first, second] = ['services/T01/B02/path-of-this-chat-1', 'in/path-of-that-chat-2?token=of-that-chat-2'];
  const said: string[] = [];
  const questions: string[] = [];
  const asked = await connectors.modern(
    userAnswering((request) => {
      questions.push(JSON.stringify(request));
      return agree(request);
    }),
  );
  const run = async (tool: string, args: Json = {}): Promise<Json> => {
    const result = await asked.call(tool, args);
    expect(result.isError, textOf(result)).toBeFalsy();
    said.push(JSON.stringify(result));
    return (result.structuredContent ?? {}) as Json;
  };
  const hidden = `${address}/[hidden]`;
  const { id: webhook, target_url: shown } = await run('create_webhook', {
    target_url: `${address}/${first}`,
    kind: 'SLACK',
    events: ['DEPLOYMENT_FAILED'],
  });
  expect(String(shown)).toContain(`${address}/[hidden`);
  expect(questions.at(-1)).toContain(`${address}/[hidden, ${first.length} characters]`);
  await run('create_webhook', { target_url: `${address}/seen`, events: ['DEPLOYMENT_FAILED'] });
  expect(rowsOf(await run('list_webhooks')).map((row) => row['target_url'])).toEqual(
    expect.arrayContaining([hidden, `${address}/seen`]),
  );
  await run('update_webhook', { webhook, description: 'The channel of operations.' });
  expect(await run('test_webhook', { webhook })).toMatchObject({ target_url_used: hidden });
  expect(receiver.received.at(-1)!.path).toBe(`/${first}`);
  await run('update_webhook', { webhook, target_url: `${address}/${second}`, dry_run: true });
  await run('update_webhook', { webhook, target_url: `${address}/${second}` });
  expect(questions.at(-1)).toContain(`${address}/[hidden, ${second.length} characters]`);
  await run('test_webhook', { webhook });
  expect(receiver.received.at(-1)!.path).toBe(`/${second}`);
  const deliveries = rowsOf(await run('list_webhook_events', { webhook }));
  expect(deliveries.map((row) => row['target_url_used'])).toEqual([hidden, hidden]);
  await run('list_webhook_events');
  await run('list_events');
  await run('delete_webhook', { webhook, dry_run: true });
  expect(said.at(-1)).toContain('Its secret can not be read');
  const where = { organization_id: platform.organizationId, webhook_id: webhook };
  const present = await platform.must('get_webhook', where);
  const opened = await platform.call('update_webhook', { ...where, ...present, kind: 'STANDARD' });
  expect(opened.status).toBe(400);
  for (const operation of ['list_webhooks', 'list_webhook_events', 'list_events'])
    said.push(JSON.stringify(await platform.must(operation as 'list_events', where)));
  await run('delete_webhook', { webhook });
  said.push(JSON.stringify([present, await platform.must('list_events', where)]), opened.text, ...questions);
  for (const secretPart of ['path-of-this-chat', 'path-of-that-chat', 'of-that-chat-2'])
    expect(said.filter((text) => text.includes(secretPart))).toEqual([]);
});
