import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refusingHost } from '../support/webhook-receiver.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeChat } from '../support/chats/fake-chat.ts';
import { startFakeMattermost } from '../support/chats/fake-mattermost.ts';
import { startFakeSlack } from '../support/chats/fake-slack.ts';
import { confirmationRequest } from '../server/guard/confirmation-request.ts';
import { namedRequest, openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { approvalLifetime } from '../../src/server/guard/index.ts';
import { closeChats, codeOf, openChat } from './approvals-chat-fixture.ts';

let here: Awaited<ReturnType<typeof openNamedApprovals>>;
let chat: FakeChat;
beforeEach(async () => {
  here = await openNamedApprovals(
    {
      ada: { chat: 'U-ADA' },
      bob: { chat: ['U-BOB'], callers: ['key:bot'] },
      cy: { chat: 'U-CY', may: [{ project: 'bank' }] },
    },
    { acceptsChat: true },
  );
});
afterEach(async () => {
  await closeChats();
  await chat.close();
  await here[Symbol.asyncDispose]();
});

const { plan } = confirmationRequest();
const twoOfThem = { twoPerson: { approvals: 2, setBy: 'policy.yaml' } };
/** A call for which saying yes is enough. */
const untyped = () => {
  const { typed: _, ...request } = namedRequest();
  return { ...request, typed: undefined };
};

/** Names that want to be more than names. */
const hostile =
  '<!channel> <@U-ADA> <https://evil.example|sign in> &lt;!here&gt; *bold* `code` ``` @all @channel [sign in](https://evil.example) :tada:';

/** The newest message of the chat. */
const message = () => chat.shown().at(-1)!;

/** Waits until the newest message says something. */
const untilSaid = (text: string | RegExp) =>
  eventually(() => expect(`${message().markup}\n${message().literal}`).toMatch(text));

describe.each([
  ['Slack', async () => (await startFakeSlack(Date.now)).chat],
  ['Mattermost', async () => (await startFakeMattermost()).chat],
])('a channel of %s', (_, start) => {
  /** A server with the chat, in which a call waits that somebody may see. */
  async function open(
    ...options: Parameters<typeof openChat> extends [unknown, unknown, ...infer More] ? More : never
  ) {
    chat = await start();
    const opened = await openChat(here, chat.files, ...options);
    chat.connect(opened.endpoint);
    return {
      ...opened,
      asked: async (more: Parameters<typeof opened.ask>[0] = {}): Promise<string> => {
        const before = chat.shown().length;
        const code = codeOf(await opened.ask(more));
        await eventually(() => expect(chat.shown().length).toBe(before + 1));
        return code;
      },
    };
  }
  test('shows a call with its plan, and approves it once its path is typed into a form', async () => {
    const { asked, ask } = await open();
    const code = await asked({ clientName: 'Bot' });
    expect(message().buttons).toEqual(['approve', 'refuse']);
    for (const text of ['shop/prod', 'ann', 'Bot', 'Sends: POST /environment/e-1/stop'])
      expect(message().literal).toContain(text);
    const { form } = await chat.press('U-ADA', 'approve');
    expect(form!.text).toContain('shop/prod');
    expect(here.decisions).toEqual([]);
    expect((await chat.submit('U-ADA', form!, 'shop/live')).error).toBeDefined();
    expect(codeOf(await ask())).toBe(code);
    expect(await chat.submit('U-ADA', form!, 'shop/prod')).toEqual({ status: 200, error: undefined });
    const { id } = message();
    expect(here.decisions).toMatchObject([
      { operator: 'ada', how: 'chat', verdict: 'approved', channel: chat.channel, message: id },
    ]);
    await untilSaid(/Approved by ada/);
    expect(chat.shown()).toHaveLength(1);
    expect(message()).toMatchObject({ id, buttons: [] });
    expect(message().literal).toContain('Sends: POST /environment/e-1/stop');
    expect(await ask()).toEqual({ kind: 'approved', how: 'chat', by: ['ada'] });
  });

  test('says when the time of a call is over, and has no buttons then', async () => {
    const { asked } = await open({ time: () => Date.now() - approvalLifetime + 1_000 });
    await asked();
    await untilSaid('No longer open');
    expect(chat.shown()).toHaveLength(1);
    expect(message().buttons).toEqual([]);
  });

  test('approves with one press what needs no path', async () => {
    const { asked, ask } = await open();
    await asked(untyped());
    expect(await chat.press('U-BOB', 'approve')).toEqual({ status: 200, form: undefined });
    expect(await ask(untyped())).toMatchObject({ kind: 'approved', by: ['bob'] });
  });

  test.each([
    ['a reason', 'after the sale', { reason: 'after the sale' }],
    ['none', '', {}],
  ])('refuses with %s', async (__, written, reason) => {
    const { asked, ask } = await open();
    await asked();
    const { form } = await chat.press('U-ADA', 'refuse');
    expect(here.decisions).toEqual([]);
    expect(await chat.submit('U-ADA', form!, written)).toMatchObject({ status: 200, error: undefined });
    await untilSaid(/Refused by ada/);
    await untilSaid(written);
    expect(await ask()).toEqual({ kind: 'refused', how: 'chat', by: 'ada', ...reason });
  });

  test.each([
    ['is no operator', 'U-EVE', {}],
    ['decides about other places', 'U-CY', {}],
    ['asked for it', 'U-BOB', { identity: 'key:bot', twoPerson: { approvals: 1, setBy: 'policy.yaml' } }],
  ])('tells whoever %s that nothing was decided, and asks them for nothing', async (__, user, more) => {
    const { asked } = await open();
    const code = await asked(more);
    for (const verdict of ['approve', 'refuse'] as const)
      expect(await chat.press(user, verdict)).toEqual({ status: 200, form: undefined });
    await eventually(() => expect(chat.whispers.map((one) => one.user)).toEqual([user, user]));
    expect(here.decisions).toEqual([]);
    expect(await here.queue.find(code, Date.now())).toMatchObject({ code });
  });

  test('takes a form from nobody but whoever it was opened for', async () => {
    const { asked, ask } = await open();
    const code = await asked(twoOfThem);
    const { form } = await chat.press('U-ADA', 'approve');
    await chat.submit('U-EVE', form!, 'shop/prod');
    expect(here.decisions).toEqual([]);
    expect(codeOf(await ask(twoOfThem))).toBe(code);
  });

  test('asks two operators where the policy wants two, and names both', async () => {
    const { asked, ask } = await open();
    await asked({ ...untyped(), ...twoOfThem });
    await chat.press('U-ADA', 'approve');
    await untilSaid(/ada agreed/);
    expect(message().buttons).toEqual(['approve', 'refuse']);
    await chat.press('U-ADA', 'approve');
    await eventually(() => expect(chat.whispers).toHaveLength(1));
    await chat.press('U-BOB', 'approve');
    await untilSaid(/Approved by bob/);
    expect(chat.shown()).toHaveLength(1);
    expect(await ask({ ...untyped(), ...twoOfThem })).toMatchObject({ kind: 'approved', by: ['ada', 'bob'] });
  });

  test('lets one of two decide who press at once', async () => {
    const { asked } = await open();
    await asked(untyped());
    const { form } = await chat.press('U-BOB', 'refuse');
    await Promise.all([chat.press('U-ADA', 'approve'), chat.submit('U-BOB', form!, '')]);
    const counted = here.decisions.filter(({ verdict }) => verdict !== 'not_made').map(({ operator }) => operator);
    const undone = here.decisions.filter(({ verdict }) => verdict === 'not_made').map(({ operator }) => operator);
    expect(counted.filter((name) => !undone.includes(name))).toHaveLength(1);
    await untilSaid(/(Approved by ada|Refused by bob)/);
  });

  test('does nothing twice', async () => {
    const { asked } = await open();
    await asked({ ...untyped(), ...twoOfThem });
    await chat.press('U-ADA', 'approve');
    await chat.again();
    await chat.again();
    expect(here.decisions).toHaveLength(1);
  });

  test('that deletes the message keeps the decision, and is told of it in another', async () => {
    const { asked, ask } = await open();
    await asked();
    const { form } = await chat.press('U-ADA', 'approve');
    chat.remove(message().id);
    expect(await chat.submit('U-ADA', form!, 'shop/prod')).toMatchObject({ status: 200, error: undefined });
    await eventually(() => expect(chat.shown()).toHaveLength(1));
    expect(message()).toMatchObject({ buttons: [] });
    await untilSaid(/Approved by ada/);
    expect(await ask()).toMatchObject({ kind: 'approved', by: ['ada'] });
  });

  test('hears of decisions on the page', async () => {
    const { asked, decideOnPage } = await open({ page: 'https://mcp.example.com/approvals' });
    const code = await asked();
    expect(message().markup).toContain(`https://mcp.example.com/approvals?code=${code}`);
    expect(await decideOnPage('bob', code, 'refused')).toEqual({ kind: 'decided' });
    await untilSaid(/Refused by bob, on the approvals page/);
    expect(chat.shown()).toHaveLength(1);
    expect((await chat.press('U-ADA', 'approve').catch(() => undefined))?.form).toBeUndefined();
  });

  test('that fails for a moment gets the call later', async () => {
    const { ask } = await open();
    chat.failing.push(503, 429);
    codeOf(await ask());
    await eventually(() => expect(chat.shown()).toHaveLength(1));
  });

  test('that is down takes nothing from the call: it waits, and others decide it', async () => {
    chat = await start();
    const down = Object.entries(chat.files).map(([name, text]) => [name, text] as const);
    const host = await refusingHost();
    const files = Object.fromEntries(down.map(([name, text]) => [name, text.replace(/127\.0\.0\.1:\d+/, host)]));
    const { ask, log, decideOnPage } = await openChat(here, files);
    const code = codeOf(await ask());
    await eventually(() => expect(log.lines.at(-1)?.message).toBe('approvals chat: not delivered'));
    for (const secret of Object.values(chat.files).slice(1))
      expect(JSON.stringify(log.lines)).not.toContain(secret.trim());
    expect(await here.queue.waiting(Date.now())).toMatchObject([{ code }]);
    expect(await decideOnPage('bob', code, 'approved_on_page')).toEqual({ kind: 'decided' });
    expect(await ask()).toMatchObject({ kind: 'approved', how: 'page', by: ['bob'] });
  });

  test('that opens no form says so, and the call waits', async () => {
    const { asked, ask } = await open();
    const code = await asked();
    chat.opensNoForms = true;
    expect(await chat.press('U-ADA', 'approve')).toEqual({ status: 200, form: undefined });
    await eventually(() => expect(chat.whispers).toMatchObject([{ user: 'U-ADA' }]));
    expect(codeOf(await ask())).toBe(code);
  });

  test('reads no name as its markup', async () => {
    const { asked } = await open();
    await asked({
      principal: hostile,
      clientName: `Bot ${hostile}`,
      conversation: hostile,
      typed: hostile,
      plan: {
        ...plan,
        target: { ...plan.target, name: hostile, path: hostile },
        summary: `Stop ${hostile}`,
        requests: [{ method: 'PUT', path: '/environment/e-1', body: { description: hostile } }],
        digest: 'hostile',
      },
    });
    for (const text of ['evil.example', '<!', '<@', '@all', 'tada']) expect(message().markup).not.toContain(text);
    expect(message().literal.split('<!channel> <@U-ADA>').length).toBeGreaterThanOrEqual(6);
    const { form } = await chat.press('U-ADA', 'approve');
    expect(form).toBeDefined();
    const second = await chat.press('U-ADA', 'refuse');
    await chat.submit('U-ADA', second.form!, hostile);
    await untilSaid(/Refused by ada/);
    for (const text of ['evil.example', '<!', '<@', '@all', 'tada']) expect(message().markup).not.toContain(text);
  });

  test.each([
    ['ampersands', '&'.repeat(9_000)],
    ['lines', 'a line of it <>\n'.repeat(400)],
  ])('shows the beginning of a long plan of %s, which can only be refused there', async (__, summary) => {
    const { asked } = await open({ page: 'https://mcp.example.com/approvals' });
    await asked({ plan: { ...plan, summary, digest: 'long' } });
    expect(message().buttons).toEqual(['refuse']);
    expect(message().literal).toContain(summary.slice(0, 500));
    await untilSaid(/\d+ more characters/);
    const { form } = await chat.press('U-ADA', 'refuse');
    expect(await chat.submit('U-ADA', form!, '')).toMatchObject({ status: 200, error: undefined });
  });
});
