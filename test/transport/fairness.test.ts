import { afterEach, describe, expect, test } from 'vitest';
import type { AuthenticateCaller } from '../../src/transport/index.ts';
import { unrestricted } from '../../src/transport/http/restriction.ts';
import { eventually } from '../support/eventually.ts';
import {
  closeTestServers,
  initialize,
  modernCall,
  modernHeaders,
  startTestServer,
  type TestServer,
} from './test-server.ts';
import { exchangeRaw, openRawConnection, statusOf } from './raw-connection.ts';

afterEach(closeTestServers);

/** Lets in whoever says who they are. */
const authenticate: AuthenticateCaller = async ({ headers }) => ({
  principal: `key:${headers.get('authorization')}`,
  level: 'admin',
  restriction: unrestricted,
});

const as = (name: string, token?: number): Record<string, string> => ({
  authorization: name,
  ...(token !== undefined && { 'x-infra-api-token': `token-${token}` }),
});

const start = (limits: Parameters<typeof startTestServer>[0]) => startTestServer({ authenticate, ...limits });

const open = async ({ post }: TestServer, headers: Record<string, string>) => {
  const answer = await post(initialize, headers);
  return {
    status: answer.status,
    headers: { ...headers, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' },
  };
};
const isOpen = async ({ post }: TestServer, headers: Record<string, string>) =>
  (await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status === 200;

const hold = ({ post }: TestServer, headers: Record<string, string>) =>
  post(modernCall('hold', { label: 'x' }), { ...modernHeaders('hold'), ...headers });
const legacyHold = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'hold', arguments: { label: String(id) } },
});

const takeBack = (id: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
const isFree = async ({ post }: TestServer) =>
  (await post(modernCall('who'), { ...modernHeaders('who'), ...as('ann') })).status === 200;

/** A request as it goes over the wire. */
const said = (message: object, headers: Record<string, string>): string => {
  const text = JSON.stringify(message);
  const all = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
  };
  return ['POST /mcp HTTP/1.1', ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', text].join(
    '\r\n',
  );
};

const openFrom = async (port: number, from: string, headers: Record<string, string>) =>
  statusOf(await exchangeRaw(port, said(initialize, headers), from));

describe('a key that sends another platform token with every request', () => {
  test('opens no more sessions than with one, and takes none of the others', async () => {
    const server = await start({ limits: { sessions: 6, sessionsPerPrincipal: 3 } });
    const bob = await open(server, as('bob'));
    const opened = [];
    for (let token = 0; token < 10; token += 1) opened.push(await open(server, as('ann', token)));
    const alive = await Promise.all(opened.map(({ headers }) => isOpen(server, headers)));
    expect(alive.filter(Boolean)).toHaveLength(3);
    expect(await isOpen(server, bob.headers)).toBe(true);
    expect((await open(server, as('eve'))).status).toBe(200);
  });

  test('has no more calls at once, and no more that wait', async () => {
    const server = await start({ limits: { callsPerPrincipal: 2, waitingPerPrincipal: 1 } });
    const running = [hold(server, as('ann', 1)), hold(server, as('ann', 2))];
    await eventually(() => expect(server.heldCalls).toHaveLength(2));
    const more = [hold(server, as('ann', 3)), hold(server, as('ann', 4))];
    expect((await Promise.race(more)).status).toBe(503);
    expect(server.heldCalls).toHaveLength(2);
    const bob = hold(server, as('bob'));
    await eventually(() => expect(server.heldCalls).toHaveLength(3));
    for (const { release: letGo } of server.heldCalls) letGo();
    await eventually(() => expect(server.heldCalls).toHaveLength(4));
    for (const { release: letGo } of server.heldCalls) letGo();
    await Promise.all([...running, ...more, bob]);
  });

  test('has no more open streams', async () => {
    const server = await start({ limits: { streamsPerPrincipal: 1 } });
    const stream = async (headers: Record<string, string>) =>
      fetch(server.url, { headers: { accept: 'text/event-stream', ...(await open(server, headers)).headers } });
    const first = await stream(as('ann', 1));
    const second = await stream(as('ann', 2));
    expect(second.status).toBe(503);
    expect(await second.text()).toContain('Too many event streams');
    const bob = await stream(as('bob'));
    expect([first.status, bob.status]).toEqual([200, 200]);
    await Promise.all([first, bob].map(({ body }) => body!.cancel()));
  });
});

test('without caller authentication each platform token has its own share, and no more', async () => {
  const server = await startTestServer({ limits: { callsPerPrincipal: 1, waitingTime: 20 } });
  const running = [hold(server, { 'x-infra-api-token': 'ann' }), hold(server, { 'x-infra-api-token': 'bob' })];
  await eventually(() => expect(server.heldCalls).toHaveLength(2));
  expect((await hold(server, { 'x-infra-api-token': 'bob' })).status).toBe(503);
  for (const { release: letGo } of server.heldCalls) letGo();
  await Promise.all(running);
});

describe('when all sessions are taken', () => {
  test('whoever has most gives one up to somebody who has fewer, and never one in use', async () => {
    const server = await start({ limits: { sessions: 3, sessionsPerPrincipal: 3 } });
    const [used, left] = [await open(server, as('ann')), await open(server, as('ann'))];
    const stream = await fetch(server.url, { headers: { accept: 'text/event-stream', ...used.headers } });
    const bob = await open(server, as('bob'));
    expect((await open(server, as('eve'))).status).toBe(200);
    expect(await Promise.all([used, left, bob].map(({ headers }) => isOpen(server, headers)))).toEqual([
      true,
      false,
      true,
    ]);
    // Nobody has more than one now.
    expect((await open(server, as('dan'))).status).toBe(503);
    await stream.body!.cancel();
  });
});

describe('a batch', () => {
  test('counts as many calls as it holds', async () => {
    const server = await start({ limits: { callsPerPrincipal: 3, waitingTime: 20 } });
    const { headers } = await open(server, as('ann'));
    const batch = server.post(
      [legacyHold(1), legacyHold(2), { jsonrpc: '2.0', method: 'notifications/initialized' }],
      headers,
    );
    await eventually(() => expect(server.heldCalls).toHaveLength(2));
    expect((await server.post([legacyHold(3), legacyHold(4)], headers)).status).toBe(503);
    expect(server.heldCalls).toHaveLength(2);
    const single = hold(server, as('ann'));
    await eventually(() => expect(server.heldCalls).toHaveLength(3));
    for (const { release: letGo } of server.heldCalls) letGo();
    await Promise.all([batch.then((answer) => answer.text()), single]);
    const again = server.post([legacyHold(5), legacyHold(6), legacyHold(7)], headers);
    await eventually(() => expect(server.heldCalls).toHaveLength(6));
    for (const { release: letGo } of server.heldCalls) letGo();
    expect((await again).status).toBe(200);
  });

  test('with too many requests is refused as a whole', async () => {
    const server = await start({ limits: { callsPerPrincipal: 3 } });
    const { headers } = await open(server, as('ann'));
    const answer = await server.post([1, 2, 3, 4].map(legacyHold), headers);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(
      'The batch holds 4 requests, and at most 3 may come together. None of them was carried out',
    );
    expect(server.heldCalls).toEqual([]);
    expect(await isOpen(server, headers)).toBe(true);
  });

  test('gets no places by asking for a stream beside its calls', async () => {
    const server = await start({ limits: { callsPerPrincipal: 2, waitingPerPrincipal: 0 } });
    const { headers } = await open(server, as('ann'));
    const running = [hold(server, as('ann')), hold(server, as('ann'))];
    await eventually(() => expect(server.heldCalls).toHaveLength(2));
    const listen = { jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params: { notifications: {} } };
    expect((await server.post([listen, legacyHold(1)], headers)).status).toBe(503);
    for (const { release: letGo } of server.heldCalls) letGo();
    await Promise.all(running);
  });
});

describe('a call of a session', () => {
  test('that is taken back gives its place back', async () => {
    const server = await start({ limits: { callsPerPrincipal: 1, waitingTime: 5000 } });
    const { headers } = await open(server, as('ann'));
    const call = server.post(legacyHold(1), headers);
    await eventually(() => expect(server.heldCalls).toHaveLength(1));
    await server.post(takeBack(1), headers);
    expect(await (await call).text()).toBe('');
    expect(server.heldCalls[0]!.cancelled).toBe(true);
    expect(await isFree(server)).toBe(true);
  });

  test('that came with others and is taken back does not hold theirs', async () => {
    const server = await start({ limits: { callsPerPrincipal: 2, waitingTime: 5000 } });
    const { headers } = await open(server, as('ann'));
    const batch = server.post([legacyHold(1), legacyHold(2)], headers);
    await eventually(() => expect(server.heldCalls).toHaveLength(2));
    await server.post(takeBack(1), headers);
    server.heldCalls.find(({ label }) => label === '2')!.release();
    expect(await (await batch).text()).toContain('held 2');
    expect(await isFree(server)).toBe(true);
  });

  test.each([
    ['beside it', [legacyHold(1), legacyHold(1)]],
    ['before it', legacyHold(7)],
  ])('with the id of another one %s is refused, and holds no place', async (_, message) => {
    const server = await start({ limits: { callsPerPrincipal: 3, waitingTime: 5000 } });
    const { headers } = await open(server, as('ann'));
    const before = server.post(legacyHold(7), headers);
    await eventually(() => expect(server.heldCalls).toHaveLength(1));
    const answer = await server.post(message, headers);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('give each request an id of its own');
    expect(server.heldCalls).toHaveLength(1);
    server.heldCalls[0]!.release();
    await (await before).text();
    const again = server.post(legacyHold(7), headers);
    await eventually(() => expect(server.heldCalls).toHaveLength(2));
    server.heldCalls[1]!.release();
    expect(await (await again).text()).toContain('held 7');
  });
});

describe('an address', () => {
  test('opens so many connections, and leaves the others theirs', async () => {
    const { port } = await start({ limits: { connectionsPerAddress: 3 } });
    const wires = await Promise.all(Array.from({ length: 3 }, () => openRawConnection(port, '127.0.0.2')));
    const beyond = await openRawConnection(port, '127.0.0.2');
    await beyond.ended;
    // At once, not because it said nothing for too long.
    expect(beyond.received()).toBe('');
    expect(statusOf(await exchangeRaw(port, said(initialize, as('bob'))))).toBe(200);
    for (const { socket } of wires) socket.destroy();
    await eventually(async () =>
      expect(statusOf(await exchangeRaw(port, said(initialize, as('bob')), '127.0.0.2'))).toBe(200),
    );
  });

  test('opens so many sessions, by whichever keys', async () => {
    const { port } = await start({ limits: { sessionsPerAddress: 2 } });
    const opened = [];
    for (const name of ['a', 'b', 'c']) opened.push(await openFrom(port, '127.0.0.2', as(name)));
    expect(opened).toEqual([200, 200, 503]);
    expect(await openFrom(port, '127.0.0.1', as('c'))).toBe(200);
  });

  test('has so many calls wait', async () => {
    const server = await start({
      limits: { calls: 1, callsPerPrincipal: 1, waitingPerAddress: 1, waitingTime: 10_000 },
    });
    const running = hold(server, as('ann'));
    await eventually(() => expect(server.heldCalls).toHaveLength(1));
    const call = (name: string, from: string) =>
      exchangeRaw(server.port, said(modernCall('who'), { ...modernHeaders('who'), ...as(name) }), from).then(statusOf);
    const both = [call('bob', '127.0.0.2'), call('eve', '127.0.0.2')];
    expect(await Promise.race(both)).toBe(503);
    const elsewhere = call('dan', '127.0.0.3');
    server.heldCalls[0]!.release();
    expect((await Promise.all([...both, elsewhere])).toSorted()).toEqual([200, 200, 503]);
    await running;
  });

  test('is not what the request says', async () => {
    const { port } = await start({ limits: { sessionsPerAddress: 1 } });
    const forwarded = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1', 'x-real-ip': '198.51.100.1' };
    expect(await openFrom(port, '127.0.0.2', as('a'))).toBe(200);
    expect(await openFrom(port, '127.0.0.2', { ...as('b'), ...forwarded })).toBe(503);
  });
});
