import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RecordedCall } from '../../src/server/audit/index.ts';
import { approvalRequest, approvalsIn } from '../server/guard/approvals/approvals-fixture.ts';
import { browserAt } from './operator-browser.ts';
import { closeTestServers, startTestServer } from './test-server.ts';
import { directoryForRecords } from '../support/memory-directory.ts';
import { exchangeRaw, statusOf } from './raw-connection.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';

let folder: string;
let approvalsFixture: ReturnType<typeof approvalsIn>;

beforeEach(async () => {
  folder = await mkdtemp(join(directoryForRecords, 'infra-mcp-page-'));
  approvalsFixture = approvalsIn(folder);
});

afterEach(async () => {
  await closeTestServers();
  approvalsFixture[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

const attack = '<script>alert(1)</script>"\'&\u202E';
const call: RecordedCall = {
  at: '2026-11-20T10:00:00.000Z',
  who: 'eve',
  tool: 'lock_cluster',
  request_id: 'r',
  target: { kind: 'cluster', name: attack },
  outcome: 'done',
} as RecordedCall;

const startOffice = async (options: Parameters<typeof startTestServer>[0] = {}, now?: () => number) => {
  await setOperatorSecret(approvalsFixture.operator);
  const approvals = {
    queue: approvalsFixture.queue,
    approveCommand: 'infra-mcp approve',
    latestCalls: async () => [call],
  };
  return startTestServer({ approvals, ...(now && { clock: { now } }), ...options });
};

const ask = async (more: Parameters<typeof approvalRequest>[0] = {}): Promise<string> => {
  const asked = await approvalsFixture.approvals.ask(approvalRequest(more), Date.now());
  return asked.kind === 'pending' ? asked.code : '';
};
const outcome = async (more: Parameters<typeof approvalRequest>[0] = {}) =>
  approvalsFixture.approvals.ask(approvalRequest(more), Date.now());

describe('the page of approvals', () => {
  test('is not there unless it is wanted', async () => {
    const { url } = await startTestServer();
    expect((await browserAt(url).get()).status).toBe(404);
  });

  test('says what to do where no secret is set', async () => {
    const { url } = await startTestServer({
      approvals: { queue: approvalsFixture.queue, approveCommand: 'infra-mcp approve', latestCalls: async () => [] },
    });
    expect(await (await browserAt(url).get()).text()).toContain('infra-mcp approve --set-secret');
  });

  test('shows nothing without the secret', async () => {
    const { url } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    expect(await (await browser.get()).text()).not.toContain(code);
    const wrong = await browser.post({ do: 'enter', secret: 'guessed' });
    expect(wrong.status).toBe(403);
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(await wrong.text()).toContain('not the secret');
    expect((await browser.enter()).status).toBe(303);
    expect(await (await browser.get()).text()).toContain(code);
  });

  test('lets nobody try the secret for ever', async () => {
    const { url } = await startOffice();
    const browser = browserAt(url);
    for (let tries = 0; tries < 5; tries += 1) await browser.post({ do: 'enter', secret: 'guessed' });
    const right = await browser.enter();
    expect(right.status).toBe(429);
    expect(browser.cookie()).toBe('');
  });

  test('pauses where wrong secrets come from, and lets the operator in from elsewhere', async () => {
    const { url, port } = await startOffice();
    const body = new URLSearchParams({ do: 'enter', secret: 'guessed' }).toString();
    const guess = `POST /approvals HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\nx-forwarded-for: 198.51.100.1\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    const answers = [];
    for (let tries = 0; tries < 6; tries += 1) answers.push(await exchangeRaw(port, guess, '127.0.0.2'));
    expect(answers.map(statusOf)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(answers[5]).toContain('from your address');
    expect(answers[5]).toContain('infra-mcp approve');
    expect((await browserAt(url).enter()).status).toBe(303);
  });

  test('approves for one call, once the name was typed, and the record will say where', async () => {
    const { url } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    const mistyped = await browser.follow(await browser.post({ ...fields, do: 'approve', typed: 'staging' }));
    expect(await mistyped.text()).toContain('not the name');
    expect(await outcome()).toMatchObject({ kind: 'pending' });
    const approved = await browser.follow(await browser.post({ ...fields, do: 'approve', typed: 'shop/prod' }));
    expect(await approved.text()).toContain('Approved, for one call');
    expect(await outcome()).toEqual({ kind: 'approved', how: 'page' });
    expect(await outcome()).toMatchObject({ kind: 'pending' });
  });

  test('decides nothing that can not be recorded, and says so', async () => {
    approvalsFixture[Symbol.dispose]();
    approvalsFixture = approvalsIn(folder, { record: async () => Promise.reject(new Error('ENOSPC')) });
    const { url, log } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    await browser.enter();
    const tried = await browser.follow(
      await browser.post({ ...(await browser.fieldsFor(code)), do: 'approve', typed: 'shop/prod' }),
    );
    expect(await tried.text()).toContain('Nothing was decided: it could not be recorded');
    expect(log.lines).toContainEqual(expect.objectContaining({ message: 'operator could not decide' }));
    expect(await outcome()).toMatchObject({ kind: 'pending', code });
  });

  test('refuses', async () => {
    const { url } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    expect(await (await browser.follow(await browser.post({ ...fields, do: 'refuse' }))).text()).toContain('Refused.');
    expect(
      await (await browser.follow(await browser.post({ ...fields, do: 'approve', typed: 'shop/prod' }))).text(),
    ).toContain('Nothing was decided');
    expect(await outcome()).toEqual({ kind: 'refused' });
  });

  test('shows what is asked for and the latest calls as text, whatever is in them', async () => {
    const { url } = await startOffice();
    await ask({ principal: attack, typed: attack });
    const browser = browserAt(url);
    await browser.enter();
    const markup = await (await browser.get()).text();
    expect(markup).not.toMatch(/<script(?! src="\/approvals\/live\.js" nonce="[\w-]{22}" defer>)|onerror|\u202E/);
    expect(markup.match(/&lt;script&gt;/g)!.length).toBeGreaterThanOrEqual(3);
    expect(markup.replaceAll('<wbr>', '')).toContain('lock_cluster');
  });

  test('names the assistant that asks, as it calls itself', async () => {
    const name = `${attack} 1.0`;
    await approvalsFixture.approvals.ask(approvalRequest({ clientName: name }), Date.now());
    const { url } = await startTestServer({
      approvals: {
        queue: approvalsFixture.queue,
        approveCommand: 'infra-mcp approve',
        latestCalls: async () => [{ ...call, client: 'codex 0.9' }],
      },
    });
    await setOperatorSecret(approvalsFixture.operator);
    const browser = browserAt(url);
    await browser.enter();
    const markup = await (await browser.get()).text();
    expect(markup).toMatch(/<dt>Assistant<\/dt><dd>[^<]+ 1\.0, as it calls itself<\/dd>/);
    expect(markup.replaceAll('<wbr>', '')).toContain('(codex 0.9)');
    expect(markup).not.toContain(attack);
  });

  test('names the conversation as text, and says where none is told', async () => {
    const { url } = await startOffice();
    const browser = browserAt(url);
    await browser.enter();
    await ask();
    expect(await (await browser.get()).text()).toContain('<dt>Conversation</dt><dd>not told</dd>');
    await ask({ call: 'another', conversation: attack });
    const markup = await (await browser.get()).text();
    expect(markup).toContain('<dt>Conversation</dt><dd>&lt;script&gt;');
    expect(markup).not.toContain(attack);
  });

  test('forgets an operator who leaves, or is away', async () => {
    let now = Date.now();
    const { url } = await startOffice({}, () => now);
    const browser = browserAt(url);
    await browser.enter();
    const held = browser.cookie();
    const fields = await browser.fieldsFor();
    const left = await browser.post({ ...fields, do: 'leave' });
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await (await fetch(new URL('/approvals', url), { headers: { cookie: held } })).text()).toContain(
      'Operator secret',
    );
    await browser.enter();
    now += 9 * 60_000;
    expect(await (await browser.get()).text()).toContain('Latest calls');
    now += 11 * 60_000;
    expect(await (await browser.get()).text()).toContain('Operator secret');
  });
});

const shownIn = (markup: string): string[] =>
  [...markup.matchAll(/<span class="code">(\S{9})<\/span><\/h3>/g)].map(([, code]) => code!);
const addressesIn = (markup: string): string[] =>
  [...markup.matchAll(/href="\/approvals(\?[^"]+)"/g)].map(([, address]) => address!.replaceAll('&amp;', '&'));

describe('with 300 calls that wait, the page', () => {
  const count = 300;
  const start = Date.parse('2026-11-20T10:00:00Z');
  const codes: string[] = [];
  let browser: ReturnType<typeof browserAt>;

  const askAt = async (number: number, more: Parameters<typeof approvalRequest>[0] = {}): Promise<string> => {
    const asked = await approvalsFixture.approvals.ask(
      approvalRequest({ call: `call ${number}`, identity: `caller ${number}`, ...more }),
      start + number,
    );
    return asked.kind === 'pending' ? asked.code : asked.kind;
  };

  beforeEach(async () => {
    codes.splice(0);
    for (let number = 0; number < count; number += 1) codes.push(await askAt(number));
    const { url } = await startOffice({}, () => start + count);
    browser = browserAt(url);
    await browser.enter();
  });

  const at = async (query: string) => (await browser.get(query)).text();

  test('shows them in pages that stay small, oldest or newest first, each once', async () => {
    const first = await at('');
    expect(first.length).toBeLessThan(200_000);
    expect(first).toContain('300 calls wait, oldest first; page 1 of 15');
    const seen: string[] = [];
    for (let markup = first; ;) {
      seen.push(...shownIn(markup));
      const next = /href="\/approvals(\?[^"]+)">Next/.exec(markup)?.[1]?.replaceAll('&amp;', '&');
      if (next === undefined) break;
      markup = await at(next);
    }
    expect(seen).toEqual(codes);
    const [newest] = addressesIn(first).filter((address) => address.includes('newest'));
    expect(shownIn(await at(newest!))).toEqual(codes.slice(-20).toReversed());
  });

  test('shows some of them for a query that makes no sense', async () => {
    for (const query of [
      '?page=0',
      '?page=99999999',
      '?page=-1',
      '?page=constructor',
      '?page=1e3',
      '?order=constructor',
      '?order=newest&page=400',
      '?said=constructor',
      '?said=__proto__',
      '?__proto__=x&toString=y',
      '?said=toString&code=',
    ]) {
      const answer = await browser.get(query);
      expect(answer.status, query).toBe(200);
      const markup = await answer.text();
      expect(shownIn(markup), query).toHaveLength(20);
      expect(markup, query).not.toMatch(/native code|class="said"/);
    }
  });

  test('finds one by its code, and decides it there', async () => {
    const code = codes[150]!;
    expect(shownIn(await at(`?code=${code}`))).toEqual([code]);
    expect(shownIn(await at(`?code=+${code.toLowerCase()}+`))).toEqual([code]);
    const unknown = await at('?code=constructor%3Cb%3E');
    expect(unknown).toContain('Nothing waits under CONSTRUCTOR&lt;B&gt;');
    const token = /name="form_token" value="([^"]+)"/.exec(unknown)![1]!;
    const approved = await browser.follow(
      await browser.post({ form_token: token, code, do: 'approve', typed: 'shop/prod' }),
    );
    expect(await approved.text()).toContain('Approved, for one call');
    expect(await approvalsFixture.approvals.ask(approvalRequest({ call: 'call 150' }), start + count)).toMatchObject({
      kind: 'approved',
    });
  });

  test('finds nothing under what can be no code', async () => {
    for (const typed of ['%00', 'C7DR%00JQW2', 'K7QM-2XR%00', '%ED%A0%80', '%FF', 'A'.repeat(200), 'constructor']) {
      const answer = await browser.get(`?code=${typed}`);
      expect(answer.status, typed).toBe(404);
      const markup = await answer.text();
      expect(markup, typed).not.toContain('\0');
      const token = /name="form_token" value="([^"]+)"/.exec(markup)![1]!;
      const decided = await browser.follow(
        await browser.post({
          form_token: token,
          code: decodeURIComponent(typed.replace('%ED%A0%80', '').replace('%FF', '')),
          do: 'refuse',
        }),
      );
      expect(await decided.text(), typed).toContain('Nothing was decided');
      const entering = browserAt(new URL((await browser.get()).url));
      expect((await entering.get(`?code=${typed}`)).status, typed).toBe(404);
    }
  });

  test('goes on to the one that the operator came for once they gave the secret', async () => {
    const other = browserAt(new URL((await browser.get()).url));
    expect(await (await other.get(`?code=${codes[7]}`)).text()).toContain(`name="code" value="${codes[7]}"`);
    const wrong = await other.post({ do: 'enter', secret: 'guessed', code: codes[7]! });
    expect(await wrong.text()).toContain(`name="code" value="${codes[7]}"`);
    const entered = await other.post({ do: 'enter', secret: operatorSecret, code: codes[7]! });
    expect(shownIn(await (await other.follow(entered)).text())).toEqual([codes[7]]);
  });

  test('shows the beginning of a long plan in the list, without a way to approve it there, and all of it alone', async () => {
    const { plan } = approvalRequest();
    const code = await askAt(-1, { plan: { ...plan, effects: [`${'x'.repeat(500_000)} end of the plan`] } });
    const markup = await at('');
    expect(markup.length).toBeLessThan(200_000);
    const [article] = markup.match(/<article[\s\S]*?<\/article>/g)!.filter((one) => one.includes(code));
    expect(article).toContain(`href="/approvals?code=${code}"`);
    expect(article).not.toContain('value="approve"');
    expect(article).toContain('value="refuse"');
    const whole = await at(`?code=${code}`);
    expect(whole).toContain('end of the plan');
    expect(whole).toContain('value="approve"');
  });
});

describe('another page', () => {
  const origins = ['https://evil.example', 'null', 'http://localhost:1', ''];

  test.each(origins)('at %j can not send its forms', async (origin) => {
    const { url } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    expect((await browser.post({ ...fields, do: 'approve', typed: 'shop/prod' }, { origin })).status).toBe(403);
    expect((await browser.post({ do: 'enter', secret: operatorSecret }, { origin })).status).toBe(403);
    expect(await outcome()).toMatchObject({ kind: 'pending' });
  });

  test.each(origins)('at %j can not get anything of it, however it is asked', async (origin) => {
    const { url } = await startOffice();
    const code = await ask();
    const browser = browserAt(url);
    await browser.enter();
    for (const query of ['', `?code=${code}`])
      for (const [name, value] of [
        ['accept', '*/*'],
        ['sec-fetch-site', 'same-origin'],
        ['x-infra-live', '1'],
      ] as const) {
        const answer = await browser.get(query, { origin, [name]: value });
        expect(answer.status).toBe(403);
        expect(await answer.text()).not.toContain('stop_environment');
      }
    for (const path of ['/approvals/events?of=waiting', '/approvals/live.js', '/approvals/style.css']) {
      const answer = await fetch(new URL(path, url), { headers: { cookie: browser.cookie(), origin } });
      expect([path, answer.status]).toEqual([path, 403]);
      await answer.body?.cancel();
    }
    // Somebody who follows a link sends no Origin, and a script of the page its own.
    const opened = await browser.get(`?code=${code}`, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining(code) as string]);
    expect((await browser.get('', { origin: url.origin })).status).toBe(200);
  });

  test('can not guess what its forms carry', async () => {
    const { url } = await startOffice();
    const code = await ask();
    const [browser, other] = [browserAt(url), browserAt(url)];
    await Promise.all([browser.enter(), other.enter()]);
    const foreign = await other.fieldsFor(code);
    for (const token of [foreign['form_token']!, '', 'x'.repeat(43)]) {
      expect((await browser.post({ code, form_token: token, do: 'approve', typed: 'shop/prod' })).status).toBe(403);
    }
    expect((await browserAt(url).post({ ...foreign, do: 'approve', typed: 'shop/prod' })).status).toBe(403);
    expect(await outcome()).toMatchObject({ kind: 'pending' });
  });

  test('can not frame it, run anything in it, or read it', async () => {
    const { url } = await startOffice();
    const browser = browserAt(url);
    const answers = [
      await browser.get(),
      await browser.enter(),
      await browser.get(),
      await browser.post({ do: 'nonsense' }),
    ];
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy')!;
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
        expect(policy).toContain(rule);
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(answers[1]!.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict$/);
  });

  test('can not reach it under a name of its own', async () => {
    const { port } = await startOffice();
    expect(
      statusOf(await exchangeRaw(port, 'GET /approvals HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n')),
    ).toBe(403);
  });
});

test('behind https its cookie never goes out in clear, and its forms may come from there', async () => {
  const { url } = await startOffice({ publicUrl: new URL('https://mcp.example.com/mcp') });
  const entered = await browserAt(url).post(
    { do: 'enter', secret: operatorSecret },
    { origin: 'https://mcp.example.com' },
  );
  expect(entered.status).toBe(303);
  expect(entered.headers.get('set-cookie')).toContain('; Secure');
});

test('a form that is too large is refused', async () => {
  const { url } = await startOffice();
  expect((await browserAt(url).post({ do: 'enter', secret: 'x'.repeat(9000) })).status).toBe(413);
});
