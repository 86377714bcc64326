import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LogVerification, RecordedCall } from '../../src/server/audit/index.ts';
import type { AuditSource } from '../../src/transport/http/console/audit/audit-tab.ts';
import { approvalRequest, approvalsIn } from '../server/guard/approvals/approvals-fixture.ts';
import { openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { directoryForRecords } from '../support/memory-directory.ts';
import { secretOf } from '../support/operators-file.ts';
import { browserAt } from './operator-browser.ts';
import { exchangeRaw, statusOf } from './raw-connection.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

let folder: string;
let fixture: ReturnType<typeof approvalsIn>;

beforeEach(async () => {
  folder = await mkdtemp(join(directoryForRecords, 'infra-mcp-console-'));
  fixture = approvalsIn(folder);
  await setOperatorSecret(fixture.operator);
});

afterEach(async () => {
  await closeTestServers();
  fixture[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

const markup = '<img src=x onerror=alert(1)>';

const record = (hour: number, more: Partial<RecordedCall>): RecordedCall => ({
  chain: 'c',
  at: `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`,
  who: 'key:ci',
  tool: 'deploy_service',
  outcome: 'done',
  ...more,
});

const records: readonly RecordedCall[] = [
  record(8, { target: { kind: 'application', path: 'shop/staging/api', name: 'api' } }),
  record(9, { who: 'key:ann', client: `${markup} 1`, tool: 'list_projects', target: { kind: 'organization' } }),
  record(10, { who: 'operator:bob', tool: 'stop_environment', outcome: 'approved', confirmed: 'page' }),
  record(11, { tool: 'restart_services', target: { kind: 'environment', path: 'bank/prod', name: markup } }),
];

const intact: LogVerification = { entries: 7, chains: 2, faults: [] };

const auditOf = (more: Partial<AuditSource> = {}): AuditSource => ({
  read: async (limit, wanted) => records.filter(wanted).slice(-limit),
  verify: async () => intact,
  isOneOfSeveral: false,
  ...more,
});

const approvalsOf = ({ queue }: Pick<typeof fixture, 'queue'>) => ({
  queue,
  approveCommand: 'infra-mcp approve',
  latestCalls: async (wanted: (call: RecordedCall) => boolean) => records.filter(wanted),
});

const start = async (audit: Partial<AuditSource> = {}, options: Parameters<typeof startTestServer>[0] = {}) =>
  startTestServer({ approvals: approvalsOf(fixture), console: { audit: auditOf(audit) }, ...options });

const ask = async (): Promise<string> => {
  const asked = await fixture.approvals.ask(approvalRequest(), Date.now());
  return asked.kind === 'pending' ? asked.code : asked.kind;
};

/** The tools of the records that a page shows, newest first. */
const shownIn = (page: string): string[] =>
  [...page.matchAll(/data-column="tool">(.*?)<\/td>/g)].map(([, tool]) => tool!.replaceAll('<wbr>', ''));

/** Opens the tab with the audit log, signed in. */
async function openAudit(audit: Partial<AuditSource> = {}) {
  const { url } = await start(audit);
  const browser = browserAt(url, '/console/audit');
  await browser.enter();
  const at = async (query = '') => (await browser.get(query)).text();
  return { browser, url, at };
}

/** Signs in beside a cookie that the browser has already. @returns the new one */
const signIn = async (url: URL, cookie: string): Promise<string> => {
  const entered = await fetch(new URL('/console/audit', url), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url.origin, cookie },
    body: new URLSearchParams({ do: 'enter', secret: operatorSecret }),
  });
  return entered.headers.get('set-cookie')!.split(';')[0]!;
};

describe('the console', () => {
  test('is not there unless it is wanted, and the approvals then have a page of their own', async () => {
    const { url } = await startTestServer({ approvals: approvalsOf(fixture) });
    expect((await fetch(new URL('/console', url))).status).toBe(404);
    const browser = browserAt(url);
    await browser.enter();
    expect(await (await browser.get()).text()).not.toContain('<nav');
  });

  test('takes addresses of the approvals page to its tab, with the code, and what is sent there has no effect', async () => {
    const { url } = await start();
    const code = await ask();
    const locationOf = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(new URL(path, url), { redirect: 'manual', ...init });
      return [answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')];
    };
    expect(await locationOf(`/approvals?code=${code}`)).toEqual([303, `/console/approvals?code=${code}`, null]);
    expect(await locationOf('/console')).toEqual([303, '/console/approvals', null]);
    const body = new URLSearchParams({ do: 'enter', secret: operatorSecret });
    const { origin } = url;
    expect(await locationOf('/approvals', { method: 'POST', body, headers: { origin } })).toEqual([
      303,
      '/console/approvals',
      null,
    ]);
  });

  test('shows nothing of any tab to whoever is not signed in, with the way in', async () => {
    const { url } = await start();
    const code = await ask();
    for (const path of ['/console/approvals', '/console/audit', `/console/approvals?code=${code}`]) {
      const page = await (await fetch(new URL(path, url))).text();
      expect(page).toContain('Operator secret');
      expect(page).not.toMatch(/deploy_|stop_environment|<nav/);
    }
  });

  test('signs in at any tab, for all of them, and nowhere else', async () => {
    const { url } = await start();
    const browser = browserAt(url, '/console/audit');
    const entered = await browser.enter();
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/console/audit']);
    expect(entered.headers.get('set-cookie')).toMatch(/Path=\/console; HttpOnly; SameSite=Strict$/);
    const { cookie } = browser;
    const page = await (await fetch(new URL('/console/approvals', url), { headers: { cookie: cookie() } })).text();
    expect(page).toContain('aria-current="page">Approvals<');
    expect(page).toContain('href="/console/audit"');
  });

  test('keeps its sign-in beside that of another server on the same host, which browsers send to both', async () => {
    const [one, other] = [await start(), await start()];
    const first = await signIn(one.url, '');
    const second = await signIn(other.url, first);
    expect(second.split('=')[0]).not.toBe(first.split('=')[0]);
    for (const { url } of [one, other]) {
      const page = await fetch(new URL('/console/audit', url), { headers: { cookie: `${first}; ${second}` } });
      expect(await page.text()).toContain('Sign out');
    }
    const swapped = await fetch(new URL('/console/audit', one.url), { headers: { cookie: second } });
    expect(await swapped.text()).not.toContain('Sign out');
  });

  test('approves at its tab, as the page did', async () => {
    const { url } = await start();
    const code = await ask();
    const browser = browserAt(url, '/console/approvals');
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    const approved = await browser.post({ ...fields, do: 'approve', typed: 'shop/prod' });
    expect(approved.headers.get('location')).toBe('/console/approvals?said=approved');
    expect(await fixture.approvals.ask(approvalRequest(), Date.now())).toEqual({ kind: 'approved', how: 'page' });
  });

  test('is below the path of a public URL, with its cookie, which goes out with https only', async () => {
    const { url } = await start({}, { publicUrl: new URL('https://example.com/team/infra/mcp') });
    const entered = await browserAt(url, '/console/audit').post(
      { do: 'enter', secret: operatorSecret },
      { origin: 'https://example.com' },
    );
    expect(entered.headers.get('location')).toBe('/team/infra/console/audit');
    expect(entered.headers.get('set-cookie')).toMatch(
      /Path=\/team\/infra\/console; HttpOnly; SameSite=Strict; Secure$/,
    );
  });
});

describe('the audit log', () => {
  test('shows the newest records first, with who decided, and the assistant by the name that it gives itself', async () => {
    const { at } = await openAudit();
    const page = await at();
    expect(shownIn(page)).toEqual(['restart_services', 'stop_environment', 'list_projects', 'deploy_service']);
    expect(page.replaceAll('<wbr>', '')).toContain('operator:bob');
    expect(page).not.toContain('<img');
    expect(page.replaceAll('<wbr>', '')).toContain('(&lt;img src=x onerror=alert(1)&gt; 1)');
  });

  test.each([
    ['?who=ANN', ['list_projects']],
    ['?tool=deploy', ['deploy_service']],
    ['?place=bank/', ['restart_services']],
    ['?from=2026-11-20+09:00&to=2026-11-20+11:00', ['stop_environment', 'list_projects']],
    ['?from=2026-11-21', []],
    ['?who=key:ci&tool=deploy&place=shop', ['deploy_service']],
    ['?who=%00&who=constructor', []],
  ])('filters by %s', async (query, tools) => {
    const { at } = await openAudit();
    const page = await at(query);
    expect(shownIn(page)).toEqual(tools);
    expect(page.includes('None found: no record fits.')).toBe(tools.length === 0);
  });

  test('keeps what was typed, as text, and says what is no time', async () => {
    const { at } = await openAudit();
    const page = await at(`?who=${encodeURIComponent(`"><script>`)}&from=yesterday`);
    expect(page).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(page).toContain('Not looked: From (UTC) must be a time');
    expect(shownIn(page)).toEqual([]);
  });

  test('says that nothing is recorded, that records go elsewhere, and that the log can not be read, each in other words', async () => {
    const texts = [];
    for (const read of [
      async () => [],
      async () => undefined,
      async () => Promise.reject(new Error('EACCES: permission denied')),
    ]) {
      const { at } = await openAudit({ read });
      texts.push(/<p id="records"[^>]*>([^<]*)</.exec(await at())![1]);
      await closeTestServers();
    }
    expect(texts).toEqual([
      'None found: nothing is recorded yet.',
      expect.stringMatching(/^Couldn't look: the records go to a command/),
      expect.stringMatching(/^Couldn't look: the log can't be read\. EACCES/),
    ]);
  });

  test.each<[string, AuditSource['verify'], RegExp]>([
    ['whole', async () => intact, /Verified: 7 entries of 2 processes are as they were written\./],
    [
      'changed',
      async () => ({ ...intact, faults: [{ where: 'audit.jsonl:3', what: `Entry 3 was changed ${markup}` }] }),
      /Not as it was written: 1 found[\s\S]*audit\.jsonl:3: Entry 3/,
    ],
    [
      'sealed with another key',
      async () => ({ ...intact, hasOtherKeys: true as const }),
      /Not verified: no entry fits/,
    ],
    ['empty', async () => ({ entries: 0, chains: 0, faults: [] }), /None found: the log has no entries to verify/],
    ['in a command', async () => undefined, /Couldn't verify: the records go to a command/],
    ['without its key', async () => Promise.reject(new Error('no key')), /Couldn't verify: no key/],
  ])('says of a log that is %s what verifying it came to, and before that nothing of it', async (_, verify, words) => {
    let count = 0;
    const { at } = await openAudit({
      verify: async () => {
        count += 1;
        return verify();
      },
    });
    expect(await at()).toContain('Not verified. ');
    expect(count).toBe(0);
    const page = await at('?verify=yes');
    expect(page).toMatch(words);
    expect(page).not.toContain('<img');
  });

  test('shows 100 records, and leads to older ones', async () => {
    const many = Array.from({ length: 250 }, (_, index) => ({
      ...records[0]!,
      at: new Date(Date.parse('2026-11-20T00:00:00Z') + index * 60_000).toISOString(),
    }));
    const { at } = await openAudit({ read: async (limit, wanted) => many.filter(wanted).slice(-limit) });
    const counts = [];
    for (let query: string | undefined = ''; query !== undefined;) {
      const page = await at(query);
      counts.push(shownIn(page).length);
      query = /href="\/console\/audit(\?[^"]*)">Older/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(counts).toEqual([100, 100, 50]);
  });

  test('keeps from an operator what is recorded of other places, and shows what they did themselves', async () => {
    const named = await openNamedApprovals({
      ada: {},
      bob: { may: [{ project: 'shop' }, { tier: 'sensitive', project: 'inn' }] },
    });
    try {
      const { url } = await startTestServer({ approvals: approvalsOf(named), console: { audit: auditOf() } });
      const seenBy = async (name: string, path: string, at = url) => {
        const browser = browserAt(at, path);
        await browser.post({ do: 'enter', name, secret: secretOf(name) });
        return (await browser.get()).text();
      };
      const page = await seenBy('bob', '/console/audit');
      expect(shownIn(page)).toEqual(['stop_environment', 'deploy_service']);
      expect(page).toContain('Kept from you');
      expect(page).not.toContain('bank');
      expect(shownIn(await seenBy('bob', '/console/approvals'))).toEqual(
        ['deploy_service', 'stop_environment'].toReversed(),
      );
      // What is kept may be all there is.
      const elsewhere = records.slice(-1);
      const { url: ofOthers } = await startTestServer({
        approvals: { ...approvalsOf(named), latestCalls: async (wanted) => elsewhere.filter(wanted) },
        console: { audit: auditOf({ read: async (_, wanted) => elsewhere.filter(wanted) }) },
      });
      for (const path of ['/console/audit', '/console/approvals']) {
        const none = await seenBy('bob', path, ofOthers);
        expect(/<p id="records"[^>]*>([^<]*)</.exec(none)![1]).toBe('None found of what you may see.');
      }
      const all = await seenBy('ada', '/console/audit');
      expect(shownIn(all)).toHaveLength(4);
      expect(all).not.toContain('Kept from you');
    } finally {
      await named[Symbol.asyncDispose]();
    }
  });
});

describe('against the console', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: '' }],
    ['another site, by what the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['the same site, which is another port', { 'sec-fetch-site': 'same-site' }],
  ])('a form from %s does nothing, not even sign in', async (_, headers: Record<string, string>) => {
    const { url } = await start();
    const code = await ask();
    const browser = browserAt(url, '/console/approvals');
    expect((await browser.post({ do: 'enter', secret: operatorSecret }, headers)).status).toBe(403);
    expect(browser.cookie()).toBe('');
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    expect((await browser.post({ ...fields, do: 'approve', typed: 'shop/prod' }, headers)).status).toBe(403);
    expect(await fixture.approvals.ask(approvalRequest(), Date.now())).toMatchObject({ kind: 'pending' });
  });

  test('no address decides, signs in or out', async () => {
    const { url } = await start();
    const code = await ask();
    const browser = browserAt(url, '/console/approvals');
    expect(
      (await browser.get(`?do=enter&secret=${encodeURIComponent(operatorSecret)}`)).headers.get('set-cookie'),
    ).toBeNull();
    await browser.enter();
    const fields = await browser.fieldsFor(code);
    for (const action of ['approve', 'refuse', 'leave'])
      await browser.get(`?${new URLSearchParams({ ...fields, do: action, typed: 'shop/prod' }).toString()}`);
    expect(await (await browser.get()).text()).toContain(code);
  });

  test('a cookie of before is worth nothing once its operator left', async () => {
    const { url } = await start();
    const browser = browserAt(url, '/console/audit');
    await browser.enter();
    const held = { cookie: browser.cookie() };
    await browser.post({ ...(await browser.fieldsFor()), do: 'leave', form_token: await tokenIn(browser) });
    for (const path of ['/console/audit', '/console/approvals'])
      expect(await (await fetch(new URL(path, url), { headers: held })).text()).toContain('Operator secret');
    expect((await fetch(new URL('/console/events', url), { headers: held })).status).toBe(403);
  });

  test('no page of another server reads it, frames it, or runs anything in it', async () => {
    const { url, port } = await start({}, { allowedOrigins: ['https://app.example.com'] });
    const browser = browserAt(url, '/console/audit');
    await browser.enter();
    const foreignPage = await browser.get('', { origin: 'https://app.example.com' });
    expect([foreignPage.status, foreignPage.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    for (const path of ['/approvals', '/console', '/console/approvals', '/console/events?of=waiting']) {
      const headers = { origin: 'https://app.example.com', cookie: browser.cookie() };
      expect([path, (await fetch(new URL(path, url), { redirect: 'manual', headers })).status]).toEqual([path, 403]);
    }
    const { headers } = await browser.get();
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'nonce-[\w-]{22}'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const foreign = 'GET /console/audit HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n';
    expect(statusOf(await exchangeRaw(port, foreign))).toBe(403);
  });
});

/** The token of the forms of a page that a browser is on. */
const tokenIn = async (browser: ReturnType<typeof browserAt>): Promise<string> =>
  /name="form_token" value="([^"]+)"/.exec(await (await browser.get()).text())![1]!;

/** The events of a stream, read until one fits. */
async function* eventsIn(answer: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk as Uint8Array);
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}

async function next(events: AsyncGenerator<string>, wanted: string): Promise<void> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the stream ended without ${wanted}`);
    if (value === wanted) return;
  }
}

const openEvents = async (query = '?of=waiting+minute', options: Parameters<typeof startTestServer>[0] = {}) => {
  const server = await start({}, options);
  const browser = browserAt(server.url, '/console/approvals');
  await browser.enter();
  const leaving = new AbortController();
  const answer = await fetch(new URL(`/console/events${query}`, server.url), {
    headers: { cookie: browser.cookie() },
    signal: leaving.signal,
  });
  return { server, browser, answer, events: eventsIn(answer), leave: () => leaving.abort() };
};

describe('its stream of events', () => {
  test('says that something waits, and holds nothing of it', async () => {
    const { answer, events, server, leave } = await openEvents();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await next(events, 'event: here\ndata: ');
    await expect.poll(() => server.load().streams).toBe(1);
    await ask();
    await next(events, 'event: changed\ndata: waiting');
    leave();
    await expect.poll(() => server.load().streams).toBe(0);
  });

  test('ends when its operator leaves, without keeping anybody signed in', async () => {
    let now = Date.now();
    const { events } = await openEvents('?of=waiting', { clock: { now: () => now } });
    await next(events, 'event: here\ndata: ');
    now += 11 * 60_000;
    await next(events, 'event: changed\ndata: session');
    expect((await events.next()).done).toBe(true);
  });

  test('ends when the server stops', async () => {
    const { events, server } = await openEvents();
    await next(events, 'event: here\ndata: ');
    const closed = server.close();
    for await (const event of events) expect(event).toMatch(/^event: /);
    await closed;
  });

  test.each([
    ['without a session', { cookie: 'infra_operator=guessed' }, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('does not open %s', async (_, headers: Record<string, string>, status) => {
    const { url } = await start();
    const browser = browserAt(url, '/console/approvals');
    await browser.enter();
    const answer = await fetch(new URL('/console/events', url), { headers: { cookie: browser.cookie(), ...headers } });
    expect(answer.status).toBe(status);
  });
});
