import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApprovals, parseWebhookKey, parseWebhookUrl } from '../../../../src/server/guard/index.ts';
import { callSealer, type Pending } from '../../../../src/server/guard/approvals/pending-calls.ts';
import type { WaitingRecords } from '../../../../src/server/guard/storage/waiting-records.ts';
import { maximumNotices, type WebhookTimes } from '../../../../src/server/guard/approvals/deliveries.ts';
import { waitingNotice, createWaitingWebhook } from '../../../../src/server/guard/approvals/waiting-webhook.ts';
import { memoryLog } from '../../../support/call-context.ts';
import { eventually } from '../../../support/eventually.ts';
import { refusingHost, startReceiver, type ReceivedRequest } from '../../../support/webhook-receiver.ts';
import { approvalRequest, approvalsIn } from './approvals-fixture.ts';

const secretBytes = randomBytes(32);
const secret = `whsec_${secretBytes.toString('base64')}`;
const page = 'https://mcp.example.com/approvals';
const quick: WebhookTimes = { pauses: [5, 10, 20], timeout: 5_000, grace: 200 };

const pendingCall = (more: Partial<Pending> = {}): Pending => ({
  ...approvalRequest(),
  code: 'K7QM-2XRD',
  askedAt: Date.now(),
  expiresAt: Date.now() + 900_000,
  ...more,
});

/** The webhook to a URL, closed with the test. */
function webhookTo(url: string, times = quick) {
  const log = memoryLog();
  const webhook = createWaitingWebhook({
    target: parseWebhookUrl(url),
    key: parseWebhookKey(secret),
    page: () => page,
    log,
    times,
  });
  onTestFinished(() => webhook.close());
  return { ...webhook, log, logged: () => log.lines.map(({ message }) => message) };
}

/** Checks the signature as a receiver does, with nothing of the program. */
const isSigned = ({ headers, body }: ReceivedRequest): boolean =>
  headers['webhook-signature'] ===
  `v1,${createHmac('sha256', secretBytes)
    .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`)
    .digest('base64')}`;

const until = (condition: () => void): Promise<void> => eventually(condition);

/** What a notice says of a caller and a target with this name. */
const named = (name: string) =>
  waitingNotice(
    pendingCall({
      principal: name,
      plan: { ...pendingCall().plan, target: { ...pendingCall().plan.target, path: name } },
    }),
  ).data;

describe('a notice of a waiting call', () => {
  test('is signed, says what waits and where to decide it, and nothing of the arguments', async () => {
    const receiver = await startReceiver();
    const { announce, logged } = webhookTo(receiver.url);
    const began = Math.floor(Date.now() / 1000);
    const pending = pendingCall();
    const plan = {
      ...pending.plan,
      requests: [{ method: 'POST' as const, path: '/environment/e-1/stop', body: { reason: 'private words' } }],
      effects: ['private effect'],
    };
    announce({ ...pending, plan });
    await until(() => expect(logged()).toEqual(['approvals webhook: delivered']));
    const [request] = receiver.received;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hooks?for=operators',
      headers: { 'content-type': 'application/json' },
    });
    expect(isSigned(request!)).toBe(true);
    expect(isSigned({ ...request!, body: request!.body.replace('shop/prod', 'shop/test') })).toBe(false);
    const sentAt = Number(request!.headers['webhook-timestamp']);
    expect([sentAt >= began, sentAt <= Date.now() / 1000]).toEqual([true, true]);
    expect(JSON.parse(request!.body)).toEqual({
      type: 'approval.waiting',
      timestamp: new Date(pending.askedAt).toISOString(),
      data: {
        code: 'K7QM-2XRD',
        caller: 'ann',
        tool: 'stop_environment',
        kind: 'environment',
        target: 'shop/prod',
        risk: 'destructive',
        mode: 'PRODUCTION',
        expires_at: new Date(pending.expiresAt).toISOString(),
        url: `${page}?code=K7QM-2XRD`,
      },
    });
  });

  test('tells the most critical mode of all that the call touches', () => {
    const { plan } = pendingCall();
    const touching = (mode: 'PRODUCTION' | 'unknown') =>
      pendingCall({
        plan: { ...plan, target: { ...plan.target, mode: 'DEVELOPMENT', touched: [{ kind: 'cluster', mode }] } },
      });
    expect(waitingNotice(touching('PRODUCTION')).data.mode).toBe('PRODUCTION');
    expect(waitingNotice(touching('unknown')).data.mode).toBe('unknown');
  });

  test('has no link where no page is served', () => {
    expect(waitingNotice(pendingCall()).data).not.toHaveProperty('url');
  });

  test.each([
    ['lines', 'shop/prod\n\napproved by\r\n\tthe operator', 'shop/prod approved by<U+000D> the operator'],
    ['what hides or reorders text', 'shop/\u202Edorp\u200B', 'shop/<U+202E>dorp<U+200B>'],
    ['terminal escapes', '\u001B[2Jshop/prod', '<U+001B>[2Jshop/prod'],
    ['a key by its form', 'shop/AKIAIOSFODNN7EXAMPLQ', 'shop/[hidden]'],
    ['a value after a telling name', 'DB_PASSWORD=correct-horse-battery', 'DB_PASSWORD=[hidden]'],
    ['credentials in a URL', 'https://ann:correct-horse@db.example/x', 'https://ann:[hidden]@db.example/x'],
  ])('cleans names of %s', (_, name, shown) => {
    expect(named(name)).toMatchObject({ caller: shown, target: shown });
  });

  test('cuts long names, also in the middle of a character, and masks before that', () => {
    expect(named('x'.repeat(10_000)).target).toBe(`${'x'.repeat(299)}…`);
    expect(named(`${'x'.repeat(299)}😀`).target.isWellFormed()).toBe(true);
    expect(named(`${'x '.repeat(140)}DB_PASSWORD=correct-horse-battery-staple`).target).not.toContain('correct');
  });
});

describe('delivery', () => {
  test('is tried again with the same id and a valid signature, until the receiver takes it', async () => {
    const receiver = await startReceiver((response, index) => response.writeHead([500, 429, 200][index]!).end('no'));
    const { announce, logged } = webhookTo(receiver.url);
    announce(pendingCall());
    await until(() => expect(logged()).toContain('approvals webhook: delivered'));
    expect(receiver.received).toHaveLength(3);
    expect(receiver.received.every(isSigned)).toBe(true);
    expect(new Set(receiver.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(
      1,
    );
  });

  test('ends after the last attempt, with an error in the log', async () => {
    const receiver = await startReceiver((response) => response.writeHead(503).end());
    const { announce, log } = webhookTo(receiver.url);
    announce(pendingCall());
    await until(() =>
      expect(log.lines.at(-1)).toMatchObject({
        level: 'error',
        message: 'approvals webhook: not delivered',
        fields: { code: 'K7QM-2XRD', host: receiver.host, why: 'status 503' },
      }),
    );
    expect(receiver.received).toHaveLength(4);
  });

  test('is not tried again once the call has expired', async () => {
    const receiver = await startReceiver((response) => response.writeHead(503).end());
    const { announce, logged } = webhookTo(receiver.url);
    announce(pendingCall({ expiresAt: Date.now() + 1 }));
    await until(() => expect(logged()).toEqual(['approvals webhook: not delivered']));
    expect(receiver.received).toHaveLength(1);
  });

  test.each([400, 401, 404, 410])('is not tried again after status %d', async (status) => {
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    const { announce, logged } = webhookTo(receiver.url);
    announce(pendingCall());
    await until(() => expect(logged()).toEqual(['approvals webhook: not delivered']));
    expect(receiver.received).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])('follows no redirect with status %d', async (status) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((response) => response.writeHead(status, { location: elsewhere.url }).end());
    const { announce, log } = webhookTo(receiver.url);
    announce(pendingCall());
    await until(() =>
      expect(log.lines).toMatchObject([{ fields: { why: `status ${status}: redirects are not followed` } }]),
    );
    expect(elsewhere.received).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  test('sends user name and password as Basic authorization, and logs nothing of the URL but its host', async () => {
    const receiver = await startReceiver((response) => response.writeHead(500).end());
    const { announce, log } = webhookTo(
      `http://hook%40user:p%40ssw0rd@${receiver.host}/services/T0/secret-path?token=secret-query`,
    );
    announce(pendingCall());
    await until(() => expect(log.lines.at(-1)!.level).toBe('error'));
    expect(receiver.received[0]!.headers['authorization']).toBe(
      `Basic ${Buffer.from('hook@user:p@ssw0rd').toString('base64')}`,
    );
    expect(JSON.stringify(log.lines)).not.toMatch(/hook.?.?.?user|ssw0rd|secret-/);
  });

  test('logs why nothing listens, without the URL', async () => {
    const host = await refusingHost();
    const { announce, log } = webhookTo(`http://ann:hunter22@${host}/secret-path`);
    announce(pendingCall());
    await until(() => expect(log.lines.at(-1)!.level).toBe('error'));
    expect(JSON.stringify(log.lines)).not.toMatch(/hunter22|secret-path/);
    expect(log.lines.at(-1)!.fields).toMatchObject({ host, why: 'ECONNREFUSED' });
  });

  test('gives up on a receiver that never responds, after its time', async () => {
    const receiver = await startReceiver(() => undefined);
    const { announce, log } = webhookTo(receiver.url, { pauses: [], timeout: 50, grace: 10 });
    announce(pendingCall());
    await until(() => expect(log.lines).toMatchObject([{ level: 'error', fields: { why: 'no response in time' } }]));
  });

  test('keeps a limited number of notices while the receiver hangs, and says which are not sent', async () => {
    const receiver = await startReceiver(() => undefined);
    const { announce, log, close } = webhookTo(receiver.url, { ...quick, timeout: 60_000 });
    for (let number = 0; number <= maximumNotices; number += 1) announce(pendingCall({ code: `CODE-${number}` }));
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'approvals webhook: not delivered, because too many notices wait to be sent',
        fields: { code: `CODE-${maximumNotices}`, host: receiver.host },
      },
    ]);
    await close();
    expect(
      log.lines.filter(({ message }) => message === 'approvals webhook: given up, because the server stops'),
    ).toHaveLength(maximumNotices);
  });

  test('in progress is finished when the server stops', async () => {
    const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 50));
    const { announce, close, logged } = webhookTo(receiver.url, { ...quick, grace: 5_000 });
    announce(pendingCall());
    await close();
    expect(logged()).toEqual(['approvals webhook: delivered']);
  });

  test('that waits to be sent again is given up at once when the server stops', async () => {
    const receiver = await startReceiver((response) => response.writeHead(503).end());
    const { announce, close, logged } = webhookTo(receiver.url, { pauses: [600_000], timeout: 5_000, grace: 20_000 });
    announce(pendingCall());
    await until(() => expect(logged()).toEqual(['approvals webhook: not delivered yet, trying again']));
    await close();
    expect(logged().at(-1)).toBe('approvals webhook: given up, because the server stops');
    expect(receiver.received).toHaveLength(1);
  });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-webhook-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('a call that waits', () => {
  test('is told of once, however often it is repeated, and again when its plan changed', async () => {
    const fixture = approvalsIn(await temporaryFolder());
    onTestFinished(() => fixture[Symbol.dispose]());
    const told: Pending[] = [];
    const approvals = createApprovals(fixture, (pending) => void told.push(pending));
    const ask = async (digest: string) => approvals.ask(approvalRequest({ digest }), Date.now());
    const first = await ask('one plan');
    await ask('one plan');
    expect(told).toMatchObject([{ code: (first as { code: string }).code }]);
    const second = await ask('another plan');
    await ask('another plan');
    expect(told.map(({ code }) => code)).toEqual([(first as { code: string }).code, (second as { code: string }).code]);
  });

  test('is told of by one process, even if another one adds it at the same moment', async () => {
    const folder = await temporaryFolder();
    const [fixture, rival] = [approvalsIn(folder), approvalsIn(folder)];
    onTestFinished(() => [fixture, rival].forEach((one) => one[Symbol.dispose]()));
    // Before this process adds the call, the rival does.
    const { waiting } = fixture.store;
    const raced: WaitingRecords = {
      ...waiting,
      add: async (added, now, presentIn) => {
        expect(await rival.store.waiting.add(callSealer(rival.keys).seal(pendingCall()), now, () => undefined)).toEqual(
          { kind: 'added' },
        );
        return waiting.add(added, now, presentIn);
      },
    };
    let told = 0;
    const approvals = createApprovals(
      { ...fixture, store: { ...fixture.store, waiting: raced } },
      () => void (told += 1),
    );
    expect(await approvals.ask(approvalRequest(), Date.now())).toMatchObject({ kind: 'pending', code: 'K7QM-2XRD' });
    expect(told).toBe(0);
  });

  test('is not told of where too many wait', async () => {
    const fixture = approvalsIn(await temporaryFolder());
    onTestFinished(() => fixture[Symbol.dispose]());
    let told = 0;
    const approvals = createApprovals(fixture, () => void (told += 1));
    for (let number = 0; number < 25; number += 1)
      await approvals.ask(approvalRequest({ call: `call ${number}` }), Date.now());
    expect(told).toBe(20);
  });

  test('does not wait for a receiver that hangs', async () => {
    const fixture = approvalsIn(await temporaryFolder());
    onTestFinished(() => fixture[Symbol.dispose]());
    const receiver = await startReceiver(() => undefined);
    const { announce } = webhookTo(receiver.url, { ...quick, timeout: 60_000 });
    expect(await createApprovals(fixture, announce).ask(approvalRequest(), Date.now())).toMatchObject({
      kind: 'pending',
    });
    await until(() => expect(receiver.received).toHaveLength(1));
  });
});

describe('the URL and the secret', () => {
  test.each(['https://hooks.example.com/x', 'http://127.0.0.1:8080/x', 'http://localhost/x', 'http://[::1]:9/x'])(
    'may be %s',
    (url) => {
      expect(parseWebhookUrl(url).url).toBe(url);
    },
  );

  test.each([
    'http://hooks.example.com/x?key=abcdef',
    'http://127.0.0.1.example.com/',
    'http://localhost.example.com/',
    'ftp://ann:abcdef@localhost/',
    'abcdef',
  ])('may not be %s, which is not repeated', (url) => {
    expect(() => parseWebhookUrl(url)).toThrow(/approvals webhook's URL/);
    expect(() => parseWebhookUrl(url)).not.toThrow(/abcdef|example\.com\/x/);
  });

  test.each([23, 65])('are refused with a secret of %d bytes, which is not repeated', (length) => {
    const wrong = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
    expect(() => parseWebhookKey(wrong)).toThrow(/24 to 64 random bytes/);
    expect(() => parseWebhookKey(wrong)).not.toThrow(wrong.slice(6, 20));
  });

  test.each([
    '',
    'whsec_',
    'hunter2',
    Buffer.alloc(32, 7).toString('base64'),
    'whsec_not base64 at all, but long enough to be one',
  ])('are refused with %j', (wrong) => {
    expect(() => parseWebhookKey(wrong)).toThrow(/24 to 64 random bytes/);
  });

  test('are read with the line end of a file', () => {
    expect(parseWebhookKey(`${secret}\n`)).toEqual(secretBytes);
  });
});
