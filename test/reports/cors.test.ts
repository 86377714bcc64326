import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourceMetadata } from '../../src/transport/http/resource-metadata.ts';
import { createApprovalQueue } from '../../src/server/guard/index.ts';
import { closeTestServers, initialize, startTestServer, type TestServer } from '../transport/test-server.ts';

const page = 'https://console.example.com';
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
const metadata = '/.well-known/oauth-protected-resource/mcp';

let server: TestServer;
let locked: TestServer;
beforeAll(async () => {
  const allowedOrigins = [page];
  const approvals = {
    queue: {} as ReturnType<typeof createApprovalQueue>,
    approveCommand: 'infra-mcp approve',
    latestCalls: async () => [],
  };
  const routes = { [metadata]: resourceMetadata(new URL('https://mcp.example.com/mcp'), 'https://login.example.com') };
  server = await startTestServer({ allowedOrigins, approvals, routes });
  locked = await startTestServer({
    allowedOrigins,
    authenticate: async () =>
      new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' } }),
  });
});
afterAll(closeTestServers);

const ask = (path: string, method: string, headers: Record<string, string>, { url } = server): Promise<Response> =>
  fetch(new URL(path, url), { method, headers, ...(method === 'POST' && { body: '{}' }) });

/** The CORS headers of a response. */
const permissions = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('pages of an allowed origin', () => {
  test.each([
    ['a stream that is not there', '/mcp', 'GET', 400],
    ['the end of an unknown session', '/mcp', 'DELETE', 400],
    ['another method', '/mcp', 'PUT', 405],
    ['another type', '/mcp', 'POST', 415],
    ['nothing', '/nothing', 'GET', 404],
    ['a signal', '/livez', 'GET', 200],
    ['a signal', '/readyz', 'GET', 200],
    ['a signal by another method', '/livez', 'POST', 405],
    ['metadata', metadata, 'GET', 200],
    ['metadata by another method', metadata, 'DELETE', 405],
  ])('may read the response about %s: %s, %s', async (_, path, method, status) => {
    const answer = await ask(path, method, { origin: page, accept: '*/*', 'content-type': 'text/plain' });
    expect(answer.status).toBe(status);
    expect(permissions(answer)['access-control-allow-origin']).toBe(page);
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
  });

  test('may read why they were rejected, and what a session needs', async () => {
    const answer = await ask('/mcp', 'POST', { origin: page }, locked);
    expect(answer.status).toBe(401);
    expect(permissions(answer)['access-control-allow-origin']).toBe(page);
    const exposed = permissions(answer)['access-control-expose-headers']!.toLowerCase().split(/, */);
    for (const name of ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate', 'retry-after'])
      expect(exposed).toContain(name);
  });

  test('may read event streams', async () => {
    const opened = await server.post(initialize, { origin: page });
    expect(opened.headers.get('content-type')).toBe('text/event-stream');
    expect(permissions(opened)['access-control-allow-origin']).toBe(page);
    await opened.body?.cancel();
    const session = opened.headers.get('mcp-session-id')!;
    const stream = await ask('/mcp', 'GET', { origin: page, accept: 'text/event-stream', 'mcp-session-id': session });
    expect([stream.status, permissions(stream)['access-control-allow-origin']]).toEqual([200, page]);
    await stream.body?.cancel();
    const ended = await ask('/mcp', 'DELETE', { origin: page, 'mcp-session-id': session });
    expect([ended.status, permissions(ended)['access-control-allow-origin']]).toEqual([200, page]);
  });

  test.each(['/mcp', '/livez', '/readyz', metadata, '/nothing'])('may ask before they use %s', async (path) => {
    const answer = await ask(path, 'OPTIONS', { origin: page, ...preflight }, path === '/mcp' ? locked : server);
    expect(answer.status).toBe(204);
    const {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers,
    } = permissions(answer);
    expect(origin).toBe(page);
    expect(methods!.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST', 'DELETE']));
    expect(headers!.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'accept',
        'mcp-session-id',
        'mcp-protocol-version',
        'last-event-id',
        'mcp-method',
        'mcp-name',
        'x-infra-api-token',
      ]),
    );
  });

  test('are those of this machine too, at any port', async () => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000']) {
      const answer = await ask('/mcp', 'OPTIONS', { origin, ...preflight });
      expect([answer.status, permissions(answer)['access-control-allow-origin']]).toEqual([204, origin]);
    }
  });
});

describe('pages of any other origin', () => {
  test.each(['https://evil.example', 'http://console.example.com', `${page}:8443`, `${page}.evil.example`, 'null'])(
    'get no permission: %s',
    async (origin) => {
      for (const path of ['/mcp', '/livez', metadata, '/nothing']) {
        for (const method of ['OPTIONS', 'GET']) {
          const answer = await ask(path, method, { origin, accept: '*/*', ...preflight });
          expect(permissions(answer)).toEqual({});
          expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
        }
      }
      expect((await server.post(initialize, { origin })).status).toBe(403);
    },
  );
});

test('the approvals page stays unreadable for every other origin', async () => {
  for (const path of [
    '/approvals',
    '/approvals/style.css',
    '/approvals/live.js',
    '/approvals/more',
    '/approvals?code=x',
  ]) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT'])
      expect(permissions(await ask(path, method, { origin: page, ...preflight }))).toEqual({});
  }
});
