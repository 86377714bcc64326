import { createHmac, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readChatSettings } from '../../src/server/guard/approvals/chat/index.ts';
import { eventually } from '../support/eventually.ts';
import { writeOperators } from '../support/operators-file.ts';
import { refusingHost, startReceiver, type ReceivedRequest } from '../support/webhook-receiver.ts';
import { namedRequest, openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { approvalLifetime } from '../../src/server/guard/index.ts';
import { closeChats, codeOf, openChat } from './approvals-chat-fixture.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
/** A clock that tests may set, for the server and its store. */
let time: number;

let here: Awaited<ReturnType<typeof openNamedApprovals>>;
beforeEach(async () => {
  time = Date.now();
  here = await openNamedApprovals(
    { ada: { chat: 'U-ADA' }, bob: { chat: ['U-BOB'] }, cy: { chat: 'U-CY', may: [{ project: 'bank' }] } },
    { acceptsChat: true },
  );
});
afterEach(async () => {
  await closeChats();
  await here[Symbol.asyncDispose]();
});

/** A chat at this address: what the server posts there arrives there. */
async function openWebhook(url: string, record?: () => Promise<void>) {
  const files = { 'chat.yaml': 'kind: webhook\nurl_file: url\nsecret_file: secret\n', url, secret };
  const opened = await openChat(here, files, { time: () => time, ...(record && { record }) });
  const { endpoint } = opened;
  return {
    ...opened,
    /** Sends a message of the server back to it. */
    sendBack: async ({ headers, body }: ReceivedRequest) => {
      const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(headers[name]),
      ]);
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: Object.fromEntries(signed) as Record<string, string>,
        body,
      });
      return { status: answer.status, ...((await answer.json()) as { result: string }) };
    },
    /** Sends a request as the chat does, but for what a test changes. */
    send: async (body: string, changes: { id?: string; key?: Buffer; at?: number; signed?: string } = {}) => {
      const { id = randomBytes(8).toString('hex'), key: signing = key, at = time, signed = body } = changes;
      const timestamp = String(Math.floor(at / 1000));
      const signature = createHmac('sha256', signing).update(`${id}.${timestamp}.${signed}`).digest('base64');
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
        body,
      });
      return { status: answer.status, ...((await answer.json()) as { result: string; text: string }) };
    },
  };
}

const decision = (code: string, more: object = {}): string =>
  JSON.stringify({
    type: 'approval.decision',
    data: { code, plan: 'as read', user: 'U-ADA', verdict: 'approve', typed: 'shop/prod', ...more },
  });

describe('a channel behind a signed webhook', () => {
  test('is named to whoever waits', async () => {
    const { ask } = await openWebhook((await startReceiver()).url);
    expect(await ask()).toMatchObject({ kind: 'pending', isInChat: true });
    expect(await ask()).toMatchObject({ kind: 'pending', isInChat: true });
  });

  test('is told once the time of a call is over, unless it was decided', async () => {
    const receiver = await startReceiver();
    const { ask, decideOnPage } = await openWebhook(receiver.url);
    const types = () => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    time = Date.now() - approvalLifetime + 1_000;
    const decided = codeOf(await ask());
    expect(await decideOnPage('ada', decided, 'refused')).toEqual({ kind: 'decided' });
    await ask();
    codeOf(await ask());
    await eventually(() => expect(types()).toContain('approval.expired'));
    expect(types().toSorted()).toEqual([
      'approval.decided',
      'approval.expired',
      'approval.requested',
      'approval.requested',
    ]);
  });

  test('gets the call with its plan, decides it, and is told who decided', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask({ clientName: 'Bot', conversation: '#releases' }));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const posted = JSON.parse(receiver.received[0]!.body) as { type: string; data: Record<string, unknown> };
    expect(posted).toMatchObject({
      type: 'approval.requested',
      data: {
        code,
        caller: 'ann',
        client: 'Bot',
        conversation: '#releases',
        target: 'shop/prod',
        mode: 'PRODUCTION',
        plan: 'as read',
        type_to_approve: 'shop/prod',
        operators: ['ada', 'bob'],
      },
    });
    expect(posted.data['text']).toContain('Sends: POST /environment/e-1/stop');
    const place = { channel: '#releases', message: '17' };
    expect(await send(decision(code, place))).toMatchObject({ status: 200, result: 'decided' });
    expect(here.decisions).toMatchObject([{ operator: 'ada', how: 'chat', verdict: 'approved', ...place }]);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({
      type: 'approval.decided',
      data: { code, result: 'approved', by: 'ada', how: 'chat' },
    });
    expect(await ask()).toEqual({ kind: 'approved', how: 'chat', by: ['ada'] });
  });

  test('refuses with a reason for the caller', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask());
    expect(await send(decision(code, { verdict: 'refuse', reason: 'after the sale' }))).toMatchObject({ status: 200 });
    expect(await ask()).toEqual({ kind: 'refused', how: 'chat', by: 'ada', reason: 'after the sale' });
  });

  test('that is down takes nothing from the call: it waits, and others decide it', async () => {
    const { ask, log } = await openWebhook(`http://${await refusingHost()}/`);
    const code = codeOf(await ask());
    await eventually(() => expect(log.lines.at(-1)?.message).toBe('approvals chat: not delivered'));
    expect(JSON.stringify(log.lines)).not.toContain(secret);
    expect(await here.queue.find(code, time)).toMatchObject({ code });
    expect(await here.as('bob', code, 'approved', time)).toEqual({ kind: 'decided' });
    expect(await ask()).toMatchObject({ kind: 'approved', how: 'terminal', by: ['bob'] });
  });
});

describe('a decision from a chat does not count', () => {
  const minutes = 60_000;
  type Changes = Parameters<Awaited<ReturnType<typeof openWebhook>>['send']>[1] & { body?: object };
  const attempts: readonly [string, () => Changes, number, string][] = [
    ['signed with another secret', () => ({ key: randomBytes(32) }), 401, 'unproven'],
    ['with the signature of another body', () => ({ signed: decision('AAAA-BBBB') }), 401, 'unproven'],
    ['from more than five minutes ago', () => ({ at: time - 6 * minutes }), 401, 'unproven'],
    ['from more than five minutes ahead', () => ({ at: time + 6 * minutes }), 401, 'unproven'],
    ['without the path that has to be typed', () => ({ body: { typed: 'shop/live' } }), 422, 'not_typed'],
    ['of a person who is no operator', () => ({ body: { user: 'U-EVE' } }), 403, 'unknown_user'],
    ['of an operator of another place', () => ({ body: { user: 'U-CY' } }), 403, 'not_theirs'],
    ['about a message that shows another plan', () => ({ body: { plan: 'edited' } }), 409, 'other_plan'],
    ['about what does not wait', () => ({ body: { code: 'AAAA-BBBB' } }), 409, 'gone'],
    ['with a verdict that is none', () => ({ body: { verdict: 'approved' } }), 400, 'malformed'],
    ['that names its operator itself', () => ({ body: { operator: 'ada' } }), 400, 'malformed'],
  ];
  test.each(attempts)('%s', async (_, changes, status, result) => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask());
    const { body, ...more } = changes();
    expect(await send(decision(code, body), more)).toMatchObject({ status, result });
    expect(here.decisions).toEqual([]);
    expect(codeOf(await ask())).toBe(code);
  });

  test('with clocks that differ by less than five minutes it does', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask());
    expect(await send(decision(code), { at: time - 4 * minutes })).toMatchObject({ status: 200 });
  });

  test('a second time, nor twice at once', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const again = { twoPerson: { approvals: 2, setBy: 'policy.yaml' } };
    const code = codeOf(await ask(again));
    const both = await Promise.all([send(decision(code), { id: 'one' }), send(decision(code), { id: 'one' })]);
    expect(both.map(({ result }) => result).toSorted()).toEqual(['counted', 'repeated']);
    expect(await send(decision(code), { id: 'one' })).toMatchObject({ status: 409, result: 'repeated' });
    expect(await send(decision(code), { id: 'two' })).toMatchObject({ status: 409, result: 'decided_before' });
    expect(await send(decision(code, { user: 'U-BOB' }))).toMatchObject({ status: 200, result: 'decided' });
    expect(await ask(again)).toEqual({ kind: 'approved', how: 'chat', by: ['ada', 'bob'] });
  });

  test('that is a message of the server, sent back', async () => {
    const receiver = await startReceiver();
    const { ask, sendBack } = await openWebhook(receiver.url);
    await ask();
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(await sendBack(receiver.received[0]!)).toMatchObject({ status: 400, result: 'malformed' });
  });

  test('where two decide at once, one of them', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask());
    const both = await Promise.all([send(decision(code)), send(decision(code, { user: 'U-BOB', verdict: 'refuse' }))]);
    expect(both.map(({ result }) => result).toSorted()).toEqual(['decided', 'gone']);
  });

  test('of an operator who left the file, or at a server without a chat', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url);
    const code = codeOf(await ask());
    expect(await send(decision(code))).toMatchObject({ status: 200 });
    const without = here.elsewhere();
    const decided = await here.store.waiting.decisionsOn([code]);
    expect(decided.get(code)).toHaveLength(1);
    expect(await without.approvals.ask(namedRequest(), time)).toEqual({ kind: 'invalid' });
    const later = codeOf(await ask());
    await writeOperators(here.path, { bob: { chat: 'U-BOB' } });
    expect(await send(decision(later))).toMatchObject({ status: 403, result: 'unknown_user' });
  });

  test('that can not be recorded', async () => {
    const receiver = await startReceiver();
    const { ask, send } = await openWebhook(receiver.url, () => Promise.reject(new Error('the disk is full')));
    const code = codeOf(await ask());
    expect(await send(decision(code))).toMatchObject({ status: 503, result: 'not_recorded' });
    expect(codeOf(await ask())).toBe(code);
  });
});

describe('the file of a chat', () => {
  test.each([
    ['another kind', 'kind: pigeon\nurl: https://a.example\nsecret_file: secret', /kind: /],
    ['no address', 'kind: webhook\nsecret_file: secret', /needs url or url_file/],
    [
      'an address that others can read',
      'kind: webhook\nurl: http://a.example/T0P\nsecret_file: secret',
      /must begin with https/,
    ],
    ['a secret in it', 'kind: webhook\nurl: https://a.example\nsecret: whsec_x', /secret/],
    [
      'a Slack channel by its name',
      'kind: slack\nchannel: releases\ntoken_file: secret\nsigning_secret_file: secret',
      /channel: /,
    ],
    [
      'an API that others can read',
      'kind: slack\nchannel: C012345\ntoken_file: secret\nsigning_secret_file: secret\napi: http://a.example/T0P/',
      /must begin with https/,
    ],
    [
      'a token of several words',
      'kind: mattermost\nurl: https://a.example\nchannel: abcdefghijklmnopqrstuvwxyz\ntoken_file: words',
      /bot's token/,
    ],
    [
      'a token in it',
      'kind: mattermost\nurl: https://a.example\nchannel: abcdefghijklmnopqrstuvwxyz\ntoken: T0P',
      /token/,
    ],
    ['a missing secret file', 'kind: webhook\nurl: https://a.example\nsecret_file: none', /can't be read/],
  ])('with %s is an error that shows no secret', async (_, text, message) => {
    const file = join(here.folder.path, 'chat.yaml');
    await writeFile(file, text);
    await writeFile(join(here.folder.path, 'secret'), secret);
    await writeFile(join(here.folder.path, 'words'), 'T0P secret');
    await expect(readChatSettings(file)).rejects.toThrow(message);
    await expect(readChatSettings(file)).rejects.not.toThrow(/T0P|whsec_x/);
  });
});
