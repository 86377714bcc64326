import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { condition } from '../../../src/contract/index.ts';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { eventually } from '../../support/eventually.ts';
import { agree, textOf, userAnswering, type TestClient, type User } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let user: User;
let chat: Awaited<ReturnType<typeof startReceiver>>;

const secret = 'only-the-chat-knows-it';
const password = 'only-the-mail-server-knows-it';

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  user = userAnswering(agree);
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0, allowPrivateWebhookTargets: true });
  await connect();
});

beforeEach(async () => {
  chat = await startReceiver();
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const call = async (tool: string, args: Json = {}) => {
  const result = await client.call(tool, args);
  for (const one of [secret, password]) expect(JSON.stringify([result, user.questions])).not.toContain(one);
  return result;
};

const succeeded = succeeding(call);

/** The last question that the user was asked. */
const question = (): string => user.questions.at(-1)!.message;

const newestEvent = (): Promise<Json> => newestEventOf(platform);

const receiverNamed = async (name: string): Promise<Json | undefined> =>
  rowsOf(await succeeded('list_alert_receivers')).find((row) => row['name'] === name);

const ruleNamed = async (name: string): Promise<Json | undefined> =>
  rowsOf(await succeeded('list_alert_rules')).find((row) => row['name'] === name);

const bodiesAt = (path: string): Json[] =>
  chat.received.flatMap((one) => (one.path === path ? [JSON.parse(one.body) as Json] : []));

const eventsAt = (path: string): unknown[] => bodiesAt(path).map(({ event_type: event }) => event);

const stored = (id: unknown): Json => (platform.dump()['alert_receiver'] as Json[]).find((row) => row['id'] === id)!;

const firing = { condition: { promql: 'vector(1)' }, for_duration: 'PT0S', service: 'shop/staging/checkout-api' };

test('a chat is set up, tried out, told of alerts, moved, and taken back', async () => {
  const made = await succeeded('create_alert_receiver', {
    name: 'shop-chat',
    webhook_url: `http://${chat.host}/${secret}`,
  });
  expect(made).toMatchObject({ type: 'SLACK', webhook_url_set: true, send_resolved: true });
  expect(await newestEvent()).toMatchObject({ event_type: 'CREATE', sub_target_type: 'ALERT_RECEIVER' });
  expect(JSON.stringify([await newestEvent(), stored(made['id'])])).not.toContain(secret);

  expect(await succeeded('test_alert_receiver', { alert_receiver: 'shop-chat' })).toMatchObject({ delivered: true });
  expect(bodiesAt(`/${secret}`)).toEqual([
    expect.objectContaining({ event_type: 'TEST', text: expect.stringContaining('a test') as unknown }),
  ]);
  expect(await newestEvent()).toMatchObject({ event_type: 'TRIGGER_TEST', sub_target_type: 'ALERT_RECEIVER' });

  await succeeded('create_alert_rule', { ...firing, name: 'checkout-slow', alert_receivers: ['shop-chat'] });
  await eventually(async () => expect((await ruleNamed('checkout-slow'))?.['state']).toBe('NOTIFIED'));
  expect(eventsAt(`/${secret}`)).toEqual(['TEST', 'ALERT_TRIGGERED']);

  await succeeded('update_alert_receiver', {
    alert_receiver: 'shop-chat',
    description: 'The shop.',
    webhook_url: null,
  });
  expect(question()).not.toContain('webhook_url: replaced');
  await connectors.close();
  platform = await platform.restart();
  await connect();
  expect(await receiverNamed('shop-chat')).toMatchObject({ description: 'The shop.', webhook_url_set: true });
  await succeeded('update_alert_receiver', { alert_receiver: 'shop-chat', webhook_url: `http://${chat.host}/moved` });
  expect(question()).toContain('webhook_url: replaced');
  await succeeded('test_alert_receiver', { alert_receiver: 'shop-chat' });
  expect(eventsAt('/moved')).toEqual(['TEST']);

  await succeeded('delete_alert_receiver', { alert_receiver: 'shop-chat' });
  expect(question()).toContain('The alert rule checkout-slow has no other receiver, and fires now (NOTIFIED)');
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'ALERT_RECEIVER' });
  expect(await receiverNamed('shop-chat')).toBeUndefined();
  expect(await ruleNamed('checkout-slow')).toMatchObject({ state: 'UNROUTED' });
  expect(await ruleNamed('checkout-slow')).not.toHaveProperty('receivers');
  expect(textOf(await call('get_organization_overview'))).toContain('checkout-slow (UNROUTED: nobody is told');
  const gone = await platform.call('get_alert_receiver', { alert_receiver_id: made['id'] });
  expect(gone.status).toBe(404);
});

test('a chat is tried out before it is created, and nothing of it is kept', async () => {
  const receiver = {
    organization_id: platform.organizationId,
    name: 'not-yet',
    description: '',
    type: 'SLACK',
    send_resolved: true,
    webhook_url: `http://${chat.host}/not-yet`,
  };
  const before = platform.dump()['alert_receiver'];
  expect(await platform.must('test_new_alert_receiver', { alert_receiver: receiver, message: 'Hello.' })).toEqual({
    delivered: true,
  });
  expect(bodiesAt('/not-yet')).toEqual([
    expect.objectContaining({ event_type: 'TEST', text: expect.stringContaining('Hello.') as unknown }),
  ]);
  expect(platform.dump()['alert_receiver']).toEqual(before);
  const refused = await platform.call('test_new_alert_receiver', { alert_receiver: { ...receiver, type: 'PAGER' } });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('type') as unknown } });
  const unreached = { ...receiver, webhook_url: `http://127.0.0.1:1/${secret}` };
  const result = await platform.must('test_new_alert_receiver', { alert_receiver: unreached });
  expect(result).toMatchObject({ delivered: false });
  expect(JSON.stringify(result)).not.toContain(secret);
  const mail = { ...receiver, type: 'EMAIL', to: 'a@b.example', from: 'c@d.example', smarthost: 'mail.example:25' };
  expect(
    await platform.must('test_new_alert_receiver', {
      alert_receiver: { ...mail, require_tls: true, auth_password: 'correct-horse-9', webhook_url: undefined },
    }),
  ).toMatchObject({ delivered: false, reason: expect.stringContaining('Nothing was sent.') as unknown });
});

test('a chat that accepts nothing is said to be unreached, by its test and by the rules that have it', async () => {
  const refusing = await startReceiver((response) => response.writeHead(410).end(secret));
  await succeeded('create_alert_receiver', { name: 'closed', webhook_url: `http://${refusing.host}/${secret}` });
  const why = 'it answered with HTTP 410';
  expect(await succeeded('test_alert_receiver', { alert_receiver: 'closed' })).toMatchObject({
    delivered: false,
    reason: expect.stringContaining(why) as unknown,
  });
  await succeeded('create_alert_rule', { ...firing, name: 'unheard', alert_receivers: ['closed'] });
  await eventually(async () =>
    expect(await ruleNamed('unheard')).toMatchObject({ problem: expect.stringContaining(why) as unknown }),
  );
});

test('e-mail is kept with its password sealed, and nobody is said to be told through it', async () => {
  const mail = { to: 'a@acme.example', from: 'b@acme.example', smarthost: 'mail.acme.example:587' };
  const { id } = await succeeded('create_alert_receiver', { name: 'mail', ...mail, auth_password: password });
  const sealed = stored(id)['sealed_auth_password'];
  expect(sealed).toEqual(expect.any(String));
  expect(JSON.stringify([stored(id), await newestEvent()])).not.toContain(password);
  expect(await receiverNamed('mail')).toMatchObject({
    ...mail,
    type: 'EMAIL',
    require_tls: true,
    auth_password_set: true,
    problem: condition('RECEIVER_BY_MAIL', { receiver: 'mail' }).message,
  });
  await succeeded('update_alert_receiver', { alert_receiver: 'mail', smarthost: 'elsewhere.example:587' });
  expect(question()).toContain('they are sent to the new address');
  expect(stored(id)['sealed_auth_password']).toBe(sealed);
  expect(await succeeded('test_alert_receiver', { alert_receiver: 'mail' })).toMatchObject({ delivered: false });
});

test('a rule that keeps another receiver loses only the one that goes', async () => {
  await succeeded('create_alert_receiver', { name: 'second', webhook_url: `http://${chat.host}/second` });
  const both = { alert_receivers: ['on-call', 'second'] };
  await succeeded('create_alert_rule', { ...firing, name: 'heard', ...both });
  await eventually(async () => expect((await ruleNamed('heard'))?.['state']).toBe('NOTIFIED'));
  await succeeded('delete_alert_receiver', { alert_receiver: 'second' });
  expect(question()).toContain('The alert rule heard has it, and 1 other.');
  expect(await ruleNamed('heard')).toMatchObject({ state: 'NOTIFIED', receivers: ['on-call'] });
});

test.each([
  ['webhook_url', { type: 'SLACK' }],
  ['auth_password', { type: 'EMAIL', to: 'a@b.example', from: 'a@b.example', smarthost: 'a:1', require_tls: true }],
  ['smarthost', { type: 'EMAIL', to: 'a@b.example', from: 'a@b.example', smarthost: 'a', require_tls: true }],
  ['type', { type: 'PAGER', webhook_url: 'https://chat.example/in' }],
])('%s must be right', async (member, given) => {
  const request = { organization_id: platform.organizationId, name: 'x', description: '', send_resolved: true };
  const { status, body } = await platform.call('create_alert_receiver', { ...request, ...given });
  expect([status, body['message']]).toEqual([400, expect.stringContaining(member)]);
});

test('where private addresses are not allowed, nothing is sent to them', async () => {
  await connectors.close();
  platform = await platform.restart({ allowPrivateWebhookTargets: false });
  await connect();
  await succeeded('create_alert_receiver', { name: 'inside', webhook_url: `http://${chat.host}/inside` });
  expect(await succeeded('test_alert_receiver', { alert_receiver: 'inside' })).toMatchObject({
    delivered: false,
    reason: expect.stringContaining('its address is private or reserved') as unknown,
  });
  expect(chat.received).toEqual([]);
});
