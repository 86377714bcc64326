import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startFakeMattermost } from '../support/chats/fake-mattermost.ts';
import { startFakeSlack, type SlackChanges } from '../support/chats/fake-slack.ts';
import { namedRequest, openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { closeChats, codeOf, openChat } from './approvals-chat-fixture.ts';

const minutes = 60_000;
const { typed: _, ...rest } = namedRequest();
/** A call for which saying yes is enough. */
const call = { ...rest, typed: undefined };

let time: number;
let here: Awaited<ReturnType<typeof openNamedApprovals>>;
let closeFake: () => Promise<void>;
beforeEach(async () => {
  time = Date.now();
  here = await openNamedApprovals({ ada: { chat: 'U-ADA' }, bob: { chat: 'U-BOB' } }, { acceptsChat: true });
});
afterEach(async () => {
  await closeChats();
  await closeFake();
  await here[Symbol.asyncDispose]();
});

/** A call that waits, in the chat and at the server. */
async function waitingIn<Fake extends Awaited<ReturnType<typeof startFakeSlack | typeof startFakeMattermost>>>(
  fake: Fake,
) {
  closeFake = fake.chat.close;
  const opened = await openChat(here, fake.chat.files, { time: () => time });
  fake.chat.connect(opened.endpoint);
  const code = codeOf(await opened.ask(call));
  await eventually(() => expect(fake.chat.shown()).toHaveLength(1));
  const { id } = fake.chat.shown()[0]!;
  const stillWaits = async () => {
    expect(here.decisions).toEqual([]);
    expect(codeOf(await opened.ask(call))).toBe(code);
  };
  return { ...opened, ...fake, code, message: id, stillWaits };
}

const openSlack = async () => waitingIn(await startFakeSlack(() => time));
const openMattermost = async () => waitingIn(await startFakeMattermost());

describe('what claims to come from Slack does not count', () => {
  const attempts: readonly [string, () => SlackChanges][] = [
    ['signed with another secret', () => ({ secret: randomBytes(16).toString('hex') })],
    ['with the signature of another body', () => ({ signed: 'payload=%7B%7D' })],
    ['from more than five minutes ago', () => ({ at: time - 6 * minutes })],
    ['from more than five minutes ahead', () => ({ at: time + 6 * minutes })],
  ];
  test.each(attempts)('%s', async (__, changes) => {
    const { send, pressOf, buttonValue, message, stillWaits } = await openSlack();
    const press = pressOf('U-ADA', 'approve', message, buttonValue('approve', message));
    expect((await send(press, changes())).status).toBe(401);
    await stillWaits();
  });

  test('with clocks that differ by less than five minutes it does', async () => {
    const { send, pressOf, buttonValue, message } = await openSlack();
    const press = pressOf('U-ADA', 'approve', message, buttonValue('approve', message));
    expect((await send(press, { at: time - 4 * minutes })).status).toBe(200);
    expect(here.decisions).toMatchObject([{ operator: 'ada' }]);
  });

  test('a second time, also in parallel and for another decision', async () => {
    const { send, pressOf, buttonValue, message, chat, ask } = await openSlack();
    await send(pressOf('U-ADA', 'approve', message, buttonValue('approve', message)));
    expect(await ask(call)).toMatchObject({ kind: 'approved' });
    codeOf(await ask(call));
    await Promise.all([chat.again(), chat.again()]);
    expect(here.decisions).toHaveLength(1);
  });

  test.each([
    ['of another channel', (value: string) => [value, 'C0ELSEWHERE'] as const, 401],
    ['about another plan', (value: string) => [value.replace('as read', 'edited'), undefined] as const, 200],
    ['about another call', () => [JSON.stringify(['AAAA-BBBB', 'as read']), undefined] as const, 200],
    ['that says nothing', () => ['', undefined] as const, 400],
  ])('a button %s', async (__, change, status) => {
    const { send, pressOf, buttonValue, message, stillWaits } = await openSlack();
    const [value, place] = change(buttonValue('approve', message));
    expect((await send(pressOf('U-ADA', 'approve', message, value, place))).status).toBe(status);
    await stillWaits();
  });

  test('nor does what decides nothing', async () => {
    const { send, pressOf, message, stillWaits } = await openSlack();
    expect((await send(pressOf('U-ADA', 'link', message, ''))).status).toBe(200);
    expect((await send({ type: 'view_closed', user: { id: 'U-ADA' }, view: {} })).status).toBe(400);
    await stillWaits();
  });
});

describe('what claims to come from Mattermost does not count', () => {
  test.each<[string, (context: Record<string, unknown>) => Record<string, unknown>, number]>([
    ['without its token', ({ token: __, ...context }) => context, 400],
    ['with another token', (context) => ({ ...context, token: randomBytes(32).toString('base64url') }), 401],
    ['of another verdict', (context) => ({ ...context, verdict: 'refuse' }), 401],
    ['of another plan', (context) => ({ ...context, plan: 'edited' }), 401],
    ['of another call', (context) => ({ ...context, code: 'AAAA-BBBB' }), 401],
    ['that names its operator itself', (context) => ({ ...context, token: 'x', operator: 'ada' }), 401],
  ])('a button %s', async (__, change, status) => {
    const { send, pressOf, contextOf, message, stillWaits } = await openMattermost();
    const press = pressOf('U-ADA', message, change(contextOf('approve', message)));
    expect((await send(press)).status).toBe(status);
    await stillWaits();
  });

  test('a button of another channel', async () => {
    const { send, pressOf, contextOf, message, stillWaits } = await openMattermost();
    const press = pressOf('U-ADA', message, contextOf('approve', message));
    expect((await send({ ...press, channel_id: randomBytes(13).toString('hex') })).status).toBe(401);
    await stillWaits();
  });

  test('what its person can read of a form, for anybody or anything else', async () => {
    const { chat, send, pressOf, contextOf, submissionOf, message, stillWaits } = await openMattermost();
    const { form } = await chat.press('U-BOB', 'refuse');
    const submission = submissionOf('U-BOB', form!.id, 'no');
    const state = JSON.parse(String(submission['state'])) as Record<string, string>;
    const asAda = JSON.stringify({ ...state, user: 'U-ADA' });
    for (const forged of [
      { ...submission, user_id: 'U-ADA' },
      { ...submission, user_id: 'U-ADA', state: asAda },
      { ...submission, callback_id: 'approve' },
      pressOf('U-ADA', message, { ...contextOf('approve', message), token: state['token'] }),
    ])
      expect((await send(forged)).status).toBe(401);
    await stillWaits();
    expect((await send(submission)).status).toBe(200);
    expect(here.decisions).toMatchObject([{ operator: 'bob', verdict: 'refused', reason: 'no' }]);
  });

  test('a request a second time', async () => {
    const { chat, ask } = await openMattermost();
    await chat.press('U-ADA', 'approve');
    expect(await ask(call)).toMatchObject({ kind: 'approved' });
    codeOf(await ask(call));
    await Promise.all([chat.again(), chat.again()]);
    expect(here.decisions).toHaveLength(1);
  });

  test('that buttons lead to the configured address, where Mattermost reaches the server at another', async () => {
    const fake = await startFakeMattermost();
    const callback = 'http://127.0.0.1:8080/approvals/chat';
    const files = { ...fake.chat.files, 'chat.yaml': `${fake.chat.files['chat.yaml']}callback: ${callback}\n` };
    await waitingIn({ ...fake, chat: { ...fake.chat, files } });
    expect(fake.buttonUrl()).toBe(callback);
  });
});
