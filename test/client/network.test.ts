import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { transportFaultOf } from '../../src/client/index.ts';
import { operations } from '../../src/contract/index.ts';
import {
  connectClient,
  apiErrorOf,
  ids,
  startStubServer,
  token,
  waitUntil,
  unusedUrl,
  type StubResponse,
} from './stub-server.ts';

const read = [operations.get_environment, { environment_id: ids.environment }] as const;
const change = [operations.stop_environment, { environment_id: ids.environment }] as const;
const good = { body: { id: ids.environment } };

const never = () => undefined;

/** A server that answers every connection with the same bytes. */
async function rawServer(bytes: string): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an unreachable platform', () => {
  test('is named where nothing listens', async () => {
    const url = await unusedUrl();
    const error = await apiErrorOf(connectClient(url).call(...read));
    expect(error).toMatchObject({ kind: 'unreachable', status: undefined });
    expect(error.message).toBe(
      `get_environment failed: nothing listens at ${url}. Check the base URL and that the platform is running there.`,
    );
  });

  test('is told from TLS troubles, which are not tried again', async () => {
    const { url, sockets } = await startStubServer(() => good);
    const waits: number[] = [];
    const client = connectClient(url.replace('http:', 'https:'), {
      sleep: async (milliseconds) => void waits.push(milliseconds),
    });
    const error = await apiErrorOf(client.call(...change));
    expect(error).toMatchObject({
      kind: 'unreachable',
      outcomeUnknown: false,
      reason: expect.stringContaining('TLS') as string,
    });
    expect(waits).toEqual([]);
    await waitUntil(() => sockets.size === 0);
  });

  test('is told from something that is no web server', async () => {
    const url = await rawServer('SSH-2.0-OpenSSH_9.9\r\n');
    expect(await apiErrorOf(connectClient(url).call(...read))).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('does not speak HTTP') as string,
    });
  });

  test('is told from an answer that ends too early', async () => {
    const url = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"');
    expect(await apiErrorOf(connectClient(url).call(...change))).toMatchObject({
      kind: 'unreachable',
      outcomeUnknown: true,
    });
  });

  test.each([
    ['ENOTFOUND', 'does not exist', false, false],
    ['EAI_AGAIN', 'could not be looked up', true, false],
    ['EHOSTUNREACH', 'no route', true, false],
    ['UND_ERR_CONNECT_TIMEOUT', 'no connection', true, false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false, false],
    ['CERT_HAS_EXPIRED', 'certificate', false, false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false, false],
    ['ECONNRESET', 'broke (ECONNRESET)', true, true],
    ['UND_ERR_SOCKET', 'broke', true, true],
    ['UND_ERR_INVALID_ARG', 'broke', false, true],
  ])('with %s says "%s"', (code, reason, transient, sent) => {
    const fault = transportFaultOf(Object.assign(new Error('x'), { code }), 'https://api.example.com');
    expect(fault).toMatchObject({
      kind: 'unreachable',
      transient,
      sent,
      reason: expect.stringContaining(reason) as string,
    });
    expect(fault.reason).toContain('https://api.example.com');
    expect(fault.next).toMatch(/\w+.*\.$/);
  });

  test('got nothing when connecting itself ran into an error', () => {
    expect(transportFaultOf({ code: 'ETIMEDOUT', syscall: 'connect' }, 'https://a')).toMatchObject({
      sent: false,
      transient: true,
    });
    expect(transportFaultOf({ code: 'ETIMEDOUT', syscall: 'read' }, 'https://a')).toMatchObject({ sent: true });
  });

  test.each([undefined, null, 'text', new Error('no code'), { code: 20 }])('may fail with anything: %s', (thrown) => {
    expect(transportFaultOf(thrown, 'https://a')).toMatchObject({ kind: 'unreachable', transient: false, sent: true });
  });
});

describe('a slow platform', () => {
  test('that does not begin to answer', async () => {
    const { url } = await startStubServer(never);
    const client = connectClient(url, { timeouts: { headers: 30 } });
    expect(await apiErrorOf(client.call(...change))).toMatchObject({
      kind: 'timeout',
      outcomeUnknown: true,
      reason: expect.stringContaining('did not begin') as string,
    });
  });

  test('that stops in the middle', async () => {
    const { url } = await startStubServer((_, response) => {
      response.write('{"id":');
      return undefined;
    });
    const client = connectClient(url, { timeouts: { body: 30 } });
    expect(await apiErrorOf(client.call(...change))).toMatchObject({
      kind: 'timeout',
      outcomeUnknown: true,
      reason: expect.stringContaining('in the middle') as string,
    });
  });

  test('that drips for ever is left at the deadline', async () => {
    const { url, sockets } = await startStubServer((_, response) => {
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
      return undefined;
    });
    const client = connectClient(url);
    expect(await apiErrorOf(client.call(...read, { deadline: Date.now() + 60 }))).toMatchObject({
      kind: 'timeout',
      reason: expect.stringContaining('deadline') as string,
    });
    await waitUntil(() => sockets.size === 0);
  });

  test('is left after the time a call may take', async () => {
    const { url } = await startStubServer(never);
    const client = connectClient(url, { timeouts: { call: 30 } });
    expect(await apiErrorOf(client.call(...change))).toMatchObject({ kind: 'timeout', outcomeUnknown: true });
  });

  test.each([
    ['a read', read],
    ['a change', change],
  ])('is left when the caller goes, which frees the connection: %s', async (_, [operation, input]) => {
    const { url, requests, sockets } = await startStubServer(never);
    const stop = new AbortController();
    const call = apiErrorOf(connectClient(url).call(operation, input, { signal: stop.signal }));
    await waitUntil(() => requests.length === 1);
    stop.abort();
    expect(await call).toMatchObject({ kind: 'canceled', outcomeUnknown: operation.method !== 'GET' });
    await waitUntil(() => sockets.size === 0);
  });

  test('is left when the client is closed', async () => {
    const { url, requests } = await startStubServer(never);
    const client = connectClient(url);
    const call = apiErrorOf(client.call(...read));
    await waitUntil(() => requests.length === 1);
    await client.close();
    expect(await call).toMatchObject({ kind: 'canceled', reason: expect.stringContaining('closed') as string });
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'canceled' });
    expect(requests).toHaveLength(1);
  });

  test('a client may be closed before its first call, and twice', async () => {
    const { url, requests } = await startStubServer(() => good);
    const client = connectClient(url);
    await client.close();
    await client.close();
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'canceled' });
    expect(requests).toEqual([]);
  });
});

describe('the size of an answer', () => {
  const body = JSON.stringify({ id: ids.environment, name: 'x'.repeat(5000) });
  const chunked = { headers: { 'transfer-encoding': 'chunked' } };

  test.each<[string, StubResponse]>([
    ['announced', {}],
    ['in chunks', chunked],
  ])('is bounded: %s', async (_, reply) => {
    const { url, requests } = await startStubServer(() => ({ ...reply, body }));
    const error = await apiErrorOf(connectClient(url, { maximumAnswerBytes: body.length - 1 }).call(...read));
    expect(error).toMatchObject({ kind: 'bad_answer', message: expect.stringContaining('larger than') as string });
    expect(requests).toHaveLength(1);
    const exact = connectClient(url, { maximumAnswerBytes: body.length });
    expect((await exact.call(...read)).name).toHaveLength(5000);
  });

  test('is bounded while it arrives, not after', async () => {
    const { url, sockets } = await startStubServer((_, response) => {
      const flood = () => void (response.writable && response.write('x'.repeat(10_000), () => setImmediate(flood)));
      flood();
      return undefined;
    });
    expect(await apiErrorOf(connectClient(url, { maximumAnswerBytes: 50_000 }).call(...read))).toMatchObject({
      kind: 'bad_answer',
    });
    await waitUntil(() => sockets.size === 0);
  });

  test('does not hide what an error is', async () => {
    const { url } = await startStubServer(() => ({ ...chunked, status: 403, body }));
    expect(await apiErrorOf(connectClient(url, { maximumAnswerBytes: 100 }).call(...read))).toMatchObject({
      kind: 'forbidden',
      status: 403,
      detail: undefined,
    });
  });
});

describe('a redirect', () => {
  test('of a read is followed within the origin, with the credential', async () => {
    const { url, requests } = await startStubServer((one) =>
      one.url.endsWith('/') ? good : { status: 308, headers: { location: `${one.url}/` } },
    );
    expect(await connectClient(url).call(...read)).toEqual(good.body);
    expect(requests.map((one) => one.url)).toEqual([
      `/environment/${ids.environment}`,
      `/environment/${ids.environment}/`,
    ]);
    expect(requests[1]?.headers.authorization).toBe(`Token ${token}`);
  });

  test.each([301, 302, 303, 307, 308])(
    '%i to another origin is an error that names it; nothing goes there',
    async (status) => {
      const other = await startStubServer(() => good);
      const { url } = await startStubServer(() => ({ status, headers: { location: `${other.url}/elsewhere` } }));
      const client = connectClient(url);
      for (const [operation, input] of [read, change]) {
        const error = await apiErrorOf(client.call(operation, input));
        expect(error).toMatchObject({
          kind: 'unreachable',
          reason: expect.stringContaining(`redirects to ${other.url},`) as string,
        });
        expect(error.next).toContain('base URL');
      }
      expect(other.requests).toEqual([]);
    },
  );

  test.each([
    ['//evil.example/x', 'http://evil.example'],
    ['https://127.0.0.1/x', 'https://127.0.0.1'],
    ['javascript:alert(1)', 'no web address'],
    ['http://[broken', 'no valid address'],
    [`https://${'a'.repeat(300)}.example`, 'no valid address'],
  ])('to %s is an error', async (location, says) => {
    const { url, requests } = await startStubServer(() => ({ status: 302, headers: { location } }));
    expect(await apiErrorOf(connectClient(url).call(...read))).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining(says) as string,
    });
    expect(requests).toHaveLength(1);
  });

  test('with a user name in it is an error', async () => {
    const { url, requests } = await startStubServer(() => ({
      status: 302,
      headers: { location: `${url.replace('//', '//ann:hunter2@')}/x` },
    }));
    const error = await apiErrorOf(connectClient(url).call(...read));
    expect(error.kind).toBe('unreachable');
    expect(error.message).not.toContain('hunter2');
    expect(requests).toHaveLength(1);
  });

  test('of a change is not followed within the origin either', async () => {
    const { url, requests } = await startStubServer(() => ({ status: 307, headers: { location: '/x' } }));
    expect(await apiErrorOf(connectClient(url).call(...change))).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('another path of its own') as string,
    });
    expect(requests).toHaveLength(1);
  });

  test('that goes round in circles ends', async () => {
    const { url, requests } = await startStubServer((one) => ({ status: 302, headers: { location: one.url } }));
    expect(await apiErrorOf(connectClient(url).call(...read))).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('again and again') as string,
    });
    expect(requests).toHaveLength(4);
  });
});

test('hundreds of calls at once share a bounded number of kept connections', async () => {
  const opened = new Set<number | undefined>();
  const { url, requests, sockets } = await startStubServer(async (one, response) => {
    opened.add(response.socket?.remotePort);
    await new Promise((resolve) => setImmediate(resolve));
    return { body: { id: one.url.split('/').at(-1) } };
  });
  const client = connectClient(url);
  const wanted = Array.from(
    { length: 500 },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );
  const answers = await Promise.all(
    wanted.map((id) => client.call(operations.get_environment, { environment_id: id })),
  );
  expect(answers.map(({ id }) => id)).toEqual(wanted);
  expect(requests).toHaveLength(500);
  expect(sockets.size).toBeLessThanOrEqual(64);
  expect(opened.size).toBeLessThanOrEqual(64);
});
