import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { closeTestServers, initialize, modernCall, modernHeaders, startTestServer } from './test-server.ts';
import { exchangeRaw, openRawConnection, statusOf } from './raw-connection.ts';

afterEach(closeTestServers);

const body = JSON.stringify(initialize);

const request = (headers: Record<string, string>, text = body): string =>
  [
    'POST /mcp HTTP/1.1',
    ...Object.entries({
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(text)),
      connection: 'close',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');

describe('a Host header', () => {
  test.each(['localhost', 'localhost:9', '127.0.0.1', '[::1]:80', 'LOCALHOST'])('may be %s', async (host) => {
    const { port } = await startTestServer();
    expect(statusOf(await exchangeRaw(port, request({ host })))).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:80',
    'localhost@evil.example',
    '0.0.0.0',
    '127.1.evil',
    '[::2]',
    'a b',
  ])('may not be %s', async (host) => {
    const { port, heldCalls: held } = await startTestServer();
    expect(statusOf(await exchangeRaw(port, request({ host })))).toBeOneOf([400, 403]);
    expect(held).toEqual([]);
  });

  test('has to be there', async () => {
    const { port } = await startTestServer();
    expect(
      statusOf(
        await exchangeRaw(
          port,
          `POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        ),
      ),
    ).toBe(400);
    expect(
      statusOf(
        await exchangeRaw(
          port,
          `POST /mcp HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
      ),
    ).toBe(403);
  });

  test('counts, not the address in the request line', async () => {
    const { port } = await startTestServer();
    const absolute = request({ host: 'evil.example' }).replace('POST /mcp', 'POST http://localhost/mcp');
    expect(statusOf(await exchangeRaw(port, absolute))).toBe(403);
  });

  test('may be a name the operator allows', async () => {
    const { port } = await startTestServer({
      allowedHosts: ['mcp.example.com'],
      publicUrl: new URL('https://infra.example.com/mcp'),
    });
    for (const host of ['mcp.example.com', 'infra.example.com:443'])
      expect(statusOf(await exchangeRaw(port, request({ host })))).toBe(200);
    expect(statusOf(await exchangeRaw(port, request({ host: 'example.com' })))).toBe(403);
  });
});

describe('an Origin header', () => {
  test.each(['http://localhost:5173', 'http://127.0.0.1', 'https://localhost'])('may be %s', async (origin) => {
    const { port } = await startTestServer();
    expect(statusOf(await exchangeRaw(port, request({ origin })))).toBe(200);
  });

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'file://',
    'https://127.0.0.1.evil.example',
    'chrome-extension://abc',
    'nonsense',
  ])('may not be %s', async (origin) => {
    const { port } = await startTestServer();
    expect(statusOf(await exchangeRaw(port, request({ origin })))).toBe(403);
  });

  test('may be a page the operator allows', async () => {
    const { port } = await startTestServer({ allowedOrigins: ['https://console.example.com'] });
    expect(statusOf(await exchangeRaw(port, request({ origin: 'https://console.example.com' })))).toBe(200);
    expect(statusOf(await exchangeRaw(port, request({ origin: 'https://example.com' })))).toBe(403);
  });

  test('is looked at before anything else, also for streams', async () => {
    const { url } = await startTestServer();
    const answer = await fetch(url, { headers: { origin: 'https://evil.example', accept: 'text/event-stream' } });
    expect(answer.status).toBe(403);
  });
});

describe('a request', () => {
  test('of a type that pages may send without asking is refused', async () => {
    const { port } = await startTestServer();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain; x=application/json',
    ]) {
      expect(statusOf(await exchangeRaw(port, request({ 'content-type': type })))).toBe(415);
    }
  });

  test('that is no JSON is refused', async () => {
    const { post } = await startTestServer();
    for (const text of ['', '{', 'undefined', '\u0000']) expect((await post(text)).status).toBe(400);
  });

  test('that is JSON of no meaning is refused', async () => {
    const { post } = await startTestServer();
    for (const text of ['null', '1', '[]', '{}', '[[]]', '{"jsonrpc":"2.0"}'])
      expect((await post(text)).status).toBe(400);
  });

  test('may only be GET, POST or DELETE', async () => {
    const { url } = await startTestServer();
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD']) expect((await fetch(url, { method })).status).toBe(405);
  });

  test('to another path is told what there is', async () => {
    const { url } = await startTestServer();
    for (const path of ['/', '/mcp//', '/__proto__', '/constructor', '/mcp/../livezz']) {
      const answer = await fetch(new URL(path, url));
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('/mcp');
    }
  });
});

const line = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;

describe('a path that only normalises to another one', () => {
  test.each([
    '/mcp/../livez',
    '/mcp/%2e%2e/livez',
    '/mcp/%2E%2E/livez',
    '/mcp/.%2e/livez',
    '/./livez',
    '/%2e/livez',
    '//livez',
    '//evil.example/livez',
    '/\\livez',
    '\\livez',
    '/mcp\\..\\livez',
    '/mcp/..%2flivez',
    '/mcp/..%5clivez',
    '/%6civez',
    '/livez/',
    '/livez/.',
    '/livez#x',
    '/LIVEZ',
    'http://localhost/mcp/../livez',
    'http://localhost//livez',
    'http:\\\\localhost\\livez',
    'http:/livez',
    'http:livez',
  ])('%s, is not found', async (target) => {
    const { port } = await startTestServer();
    const answer = await exchangeRaw(port, line(target));
    // What no path can be is refused before.
    expect(statusOf(answer)).toBeOneOf([400, 404]);
    expect(answer).not.toContain('"ok"');
  });

  test.each(['/livez', '/livez?x=/../approvals', '/livez?', 'http://localhost/livez', 'HTTP://evil.example/livez?x'])(
    '%s, is what it says',
    async (target) => {
      const { port } = await startTestServer();
      expect(statusOf(await exchangeRaw(port, line(target)))).toBe(200);
    },
  );
});

describe('a body', () => {
  test('that says it is too large is refused unread', async () => {
    const { port } = await startTestServer({ limits: { body: 1000 } });
    const connection = await openRawConnection(port);
    connection.send(request({ 'content-length': '1001' }, ''));
    await connection.ended;
    expect(statusOf(connection.received())).toBe(413);
  });

  test('that becomes too large is refused as soon as it is', async () => {
    const { port } = await startTestServer({ limits: { body: 1000 } });
    const connection = await openRawConnection(port);
    connection.send(request({ 'transfer-encoding': 'chunked' }, '').replace(/content-length: .*\r\n/, ''));
    const chunk = `1f4\r\n${'x'.repeat(500)}\r\n`;
    connection.send(chunk + chunk + chunk);
    await connection.ended;
    expect(statusOf(connection.received())).toBe(413);
  });

  test('that fits is served', async () => {
    const { post } = await startTestServer({ limits: { body: 1000 } });
    expect((await post(modernCall('who'), modernHeaders('who'))).status).toBe(200);
  });

  test('that never ends is given up', async () => {
    const { port } = await startTestServer({ limits: { requestTime: 200, headersTime: 100 } });
    const connection = await openRawConnection(port);
    connection.send(request({ 'content-length': '100' }, '{'));
    await connection.ended;
    expect(statusOf(connection.received())).toBe(408);
  });

  test('that breaks off harms nobody', async () => {
    const { port, post, log } = await startTestServer();
    const connection = await openRawConnection(port);
    connection.send(request({ 'content-length': '100' }, '{'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.socket.destroy();
    expect((await post(initialize)).status).toBe(200);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('headers', () => {
  test('that are too large are refused', async () => {
    const { port } = await startTestServer();
    expect(statusOf(await exchangeRaw(port, request({ 'x-large': 'x'.repeat(17 * 1024) })))).toBe(431);
  });

  test('that never end are given up', async () => {
    const { port } = await startTestServer({ limits: { headersTime: 100, requestTime: 1000 } });
    const connection = await openRawConnection(port);
    connection.send('POST /mcp HTTP/1.1\r\nhost: localhost\r\n');
    await connection.ended;
    expect(statusOf(connection.received())).toBe(408);
  });
});

describe('a flood', () => {
  test('of connections leaves those beyond the limit outside', async () => {
    const { port } = await startTestServer({ limits: { connections: 5 } });
    const wires = await Promise.all(Array.from({ length: 5 }, () => openRawConnection(port)));
    const beyond = await openRawConnection(port);
    await beyond.ended;
    for (const { socket } of wires) socket.destroy();
    await eventually(async () => expect(statusOf(await exchangeRaw(port, request({})))).toBe(200));
  });

  test('of calls is queued, then sent away for a moment', async () => {
    const { post, heldCalls: held } = await startTestServer({
      limits: { callsPerPrincipal: 2, waitingPerPrincipal: 1, waitingTime: 10_000 },
    });
    const call = (label: string) => post(modernCall('hold', { label }), modernHeaders('hold'));
    const running = [call('a'), call('b')];
    await eventually(() => expect(held).toHaveLength(2));
    const third = call('c');
    const fourth = call('d');
    const sentAway = await Promise.race([third, fourth]);
    expect(sentAway.status).toBe(503);
    expect(Number(sentAway.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(held).toHaveLength(2);
    held[0]!.release();
    await eventually(() => expect(held).toHaveLength(3));
    for (const { release: letGo } of held) letGo();
    expect((await Promise.all([...running, third, fourth])).filter(({ status }) => status === 200)).toHaveLength(3);
  });

  test('of calls that wait too long sends them away', async () => {
    const { post, heldCalls: held } = await startTestServer({ limits: { callsPerPrincipal: 1, waitingTime: 20 } });
    void post(modernCall('hold', { label: 'a' }), modernHeaders('hold'));
    await eventually(() => expect(held).toHaveLength(1));
    expect((await post(modernCall('who'), modernHeaders('who'))).status).toBe(503);
  });

  test('of clients that leave gives their places back', async () => {
    const { url, post, heldCalls: held } = await startTestServer({ limits: { callsPerPrincipal: 1 } });
    const leave = new AbortController();
    const gone = fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...modernHeaders('hold'),
      },
      body: JSON.stringify(modernCall('hold', { label: 'a' })),
      signal: leave.signal,
    });
    await eventually(() => expect(held).toHaveLength(1));
    leave.abort();
    await expect(gone).rejects.toThrow();
    expect((await post(modernCall('who'), modernHeaders('who'))).status).toBe(200);
    expect(held[0]!.cancelled).toBe(true);
  });

  test('of streams is refused beyond the limit', async () => {
    const { url, post } = await startTestServer({ limits: { streamsPerPrincipal: 1 } });
    const stream = async () => {
      const session = (await post(initialize)).headers.get('mcp-session-id')!;
      return fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    };
    const first = await stream();
    expect(first.status).toBe(200);
    expect((await stream()).status).toBe(503);
    await first.body!.cancel();
    await eventually(async () => {
      const next = await stream();
      expect(next.status).toBe(200);
      await next.body!.cancel();
    });
  });
});
