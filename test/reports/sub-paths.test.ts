import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalsUrlOf } from '../../src/transport/index.ts';
import { approvalRequest, approvalsIn } from '../server/guard/approvals/approvals-fixture.ts';
import { closeTestServers, initialize, startTestServer, type TestServer } from '../transport/test-server.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { directoryForRecords } from '../support/memory-directory.ts';

const host = 'https://example.com';
const base = '/team/infra';
const page = `${base}/approvals`;

let folder: string;
let fixture: ReturnType<typeof approvalsIn>;
beforeAll(async () => {
  folder = await mkdtemp(join(directoryForRecords, 'infra-mcp-paths-'));
  fixture = approvalsIn(folder);
  await setOperatorSecret(fixture.operator);
});
afterAll(async () => {
  await closeTestServers();
  fixture[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

const start = (publicUrl: string): Promise<TestServer> =>
  startTestServer({
    publicUrl: new URL(publicUrl),
    approvals: { queue: fixture.queue, approveCommand: 'infra-mcp approve', latestCalls: async () => [] },
  });

test.each([
  [`${host}/mcp`, '/approvals'],
  [`${host}/mcp/`, '/approvals'],
  [host, '/approvals'],
  [`${host}${base}`, page],
  [`${host}${base}/`, page],
  [`${host}${base}/mcp`, page],
  [`${host}/mcp-servers`, '/mcp-servers/approvals'],
])('the approvals page of %s is at %s', (endpoint, path) => {
  expect(approvalsUrlOf(new URL(endpoint)).href).toBe(`${host}${path}`);
});

describe.each([
  ['passes the base path on', base],
  ['removes the base path', ''],
])('behind a proxy that %s', (_, sent) => {
  test.each([
    [`${host}${base}`, ['', '/', '/mcp', '/mcp/']],
    [`${host}${base}/mcp`, ['/mcp', '/mcp/']],
  ])('MCP is served at %s', async (publicUrl, paths) => {
    const { url } = await start(publicUrl);
    for (const path of [...paths, '/livez']) expect(await statusAt(url, sent + path), path).toBe(200);
  });

  test('every address of the approvals page is below its base path', async () => {
    const asked = await fixture.approvals.ask(approvalRequest(), Date.now());
    const code = asked.kind === 'pending' ? asked.code : '';
    const { url } = await start(`${host}${base}/mcp`);
    const at = new URL(`${sent}/approvals`, url).href;
    const submit = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(at, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: host, ...headers },
        body: new URLSearchParams(fields),
      });
    const seen: string[] = [await (await fetch(at)).text()];
    const entered = await submit({ do: 'enter', secret: operatorSecret, code });
    expect(entered.headers.get('location')).toBe(`${page}?code=${code}`);
    const cookie = entered.headers.get('set-cookie')!;
    expect(cookie).toContain(`; Path=${page};`);
    const headers = { cookie: cookie.split(';')[0]! };
    for (const query of ['', `?code=${code}`, '?code=2222-2222'])
      seen.push(await (await fetch(at + query, { headers })).text());
    const addresses = seen.flatMap((markup) =>
      [...markup.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address!.split('?')[0]!),
    );
    expect(new Set(addresses)).toEqual(new Set([page, `${page}/style.css`, `${page}/live.js`]));
    for (const path of ['/style.css', '/live.js']) expect((await fetch(at + path)).status).toBe(200);
    const decided = await submit({ do: 'refuse', code: '2222-2222', form_token: tokenIn(seen[1]!) }, headers);
    expect(decided.headers.get('location')).toBe(`${page}?said=gone`);
  });
});

test('other paths stay unknown, and the error names those below the base path', async () => {
  const { url } = await start(`${host}${base}`);
  for (const path of ['/team', '/team/infrastructure/mcp', '/other/mcp', `${base}${base}/mcp`, '//mcp'])
    expect(await statusAt(url, path), path).toBe(404);
  expect(await (await fetch(new URL('/nothing', url))).text()).toContain(`${base}/mcp`);
  const { url: root } = await start(`${host}/mcp`);
  expect(await statusAt(root, '/')).toBe(404);
});

/** The status of an initialization at a path, or of a GET where that is not MCP. */
async function statusAt(url: URL, path: string): Promise<number> {
  const isSignal = path.endsWith('/livez');
  const { status, body } = await fetch(url.origin + path, {
    method: isSignal ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...(!isSignal && { body: JSON.stringify(initialize) }),
  });
  await body?.cancel();
  return status;
}

const tokenIn = (markup: string): string => /name="form_token" value="([^"]*)"/.exec(markup)![1]!;
