import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { oneByOne, createWatches, type Watches } from '../../src/server/browse/index.ts';
import { buildServer, createDependencies, type SharedDependencies } from '../../src/server/protocol/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { relayEventStream } from '../../src/transport/http/event-streams.ts';
import { callOf } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { eventually } from '../support/eventually.ts';
import { connectLines, initializeParams, messagesOf, modernParams } from '../support/raw-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

// Clients that ask for notifications, and don't take them.

const service = seedId('service/shop/staging/checkout-api');
const status = `infra://service/application/${service}/status`;

let platform: TestPlatform;
let proxy: RecordingProxy;
let client: Client;
let watches: Watches;
let log: ReturnType<typeof memoryLog>;
let looks = 0;
/** What the service's status seems to say next: changes with each read while it is undefined. */
let states: string[] | undefined;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) =>
      path.endsWith(`${service}/status`)
        ? {
            ...(body as object),
            state: states ? (states.shift() ?? 'RUNNING') : ['RUNNING', 'STOPPED'][(looks += 1) % 2],
            deployment_request_id: null,
          }
        : body,
  });
  client = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
});

let parts: SharedDependencies;

beforeEach(() => {
  states = undefined;
  const clock = { now: Date.now };
  watches = createWatches({ clock, pollInterval: () => 5 });
  log = memoryLog();
  parts = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [],
    version: '0',
    log,
    clock,
    watches,
  });
});

afterEach(closeTestServers);

afterAll(async () => {
  await client.close();
  await proxy.close();
  await platform.close();
});

/** Waits until the resource was looked at so many times more, and seemed to have changed each time. */
async function changes(count: number): Promise<void> {
  const before = looks;
  await eventually(() => expect(looks).toBeGreaterThan(before + count));
}

const updates = (messages: readonly { readonly method?: string }[]): number =>
  messages.filter(({ method }) => method === 'notifications/resources/updated').length;

const subscribing = {
  legacy: async ({ request, send }: ReturnType<typeof connectLines>) => {
    await request('initialize', initializeParams({}));
    send({ method: 'notifications/initialized' });
    await request('resources/subscribe', { uri: status });
  },
  modern: async ({ request, received }: ReturnType<typeof connectLines>) => {
    void request('subscriptions/listen', modernParams({}, { notifications: { resourceSubscriptions: [status] } }));
    await eventually(() => expect(received).not.toEqual([]));
  },
};

const callOfEra = (era: 'legacy' | 'modern', params: object) => (era === 'modern' ? modernParams({}, params) : params);

describe.each(['legacy', 'modern'] as const)('over stdio, a %s client', (era) => {
  test("that doesn't read has one notice on its way, however much changes, and is answered once it reads", async () => {
    const connection = connectLines(parts, undefined);
    await subscribing[era](connection);
    await eventually(() => expect(updates(connection.received)).toBeGreaterThan(0));
    connection.stopReading();
    await changes(3);
    const unread = connection.unread();
    await changes(20);
    expect(connection.unread()).toBe(unread);
    const answer = connection.request('tools/call', callOfEra(era, { name: 'get_organization', arguments: {} }));
    connection.readOn();
    expect((await answer).isError).toBeFalsy();
    const told = updates(connection.received);
    await eventually(() => expect(updates(connection.received)).toBeGreaterThan(told));
    await connection.close();
    expect(watches.size()).toBe(0);
  });

  test('that answers notices with errors is told on, and its calls are answered', async () => {
    const connection = connectLines(parts, undefined);
    await subscribing[era](connection);
    for (const id of [null, 999, 'notice'])
      connection.send({ id, error: { code: -32601, message: 'Method not found' } });
    expect(
      (await connection.request('tools/call', callOfEra(era, { name: 'get_organization', arguments: {} }))).isError,
    ).toBeFalsy();
    const told = updates(connection.received);
    await eventually(() => expect(updates(connection.received)).toBeGreaterThan(told));
    await connection.close();
  });

  test("that doesn't read its progress gets a few reports, and the answer", async () => {
    const connection = connectLines(parts, undefined);
    if (era === 'legacy') await connection.request('initialize', initializeParams({}));
    connection.stopReading();
    states = Array.from({ length: 3 }, (_, index) => ['BUILDING', 'DEPLOYMENT_QUEUED'][index % 2]!);
    const params = callOfEra(era, {
      name: 'wait_for_deployment',
      arguments: { service: `infra://service/application/${service}` },
    }) as { _meta?: object };
    const answer = connection.request('tools/call', { ...params, _meta: { ...params._meta, progressToken: 'p' } });
    await eventually(() => expect(log.lines.filter(({ message }) => message === 'call ended')).toHaveLength(1));
    connection.readOn();
    expect((await answer).isError).toBeFalsy();
    await connection.close();
  });
});

const startServer = (clock = { now: Date.now }) =>
  startTestServer({
    clock,
    build: (era, _, request) =>
      buildServer(parts, { era, ...request, callerOf: ({ http }) => callOf(http?.authInfo).call }),
  });

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

test('over HTTP, a call of a 2025 session goes on when its stream is closed, progress or not, and the session too', async () => {
  const server = await startServer();
  const opened = await server.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams({}) });
  const inSession = { 'mcp-session-id': opened.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' };
  await opened.text();
  states = ['BUILDING', 'BUILDING', 'DEPLOYMENT_QUEUED'];
  const params = {
    name: 'wait_for_deployment',
    arguments: { service: `infra://service/application/${service}` },
    _meta: { progressToken: 1 },
  };
  const disconnect = new AbortController();
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { ...json, ...inSession },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: disconnect.signal,
  });
  for await (const message of messagesOf(response)) {
    expect(message.method).toBe('notifications/progress');
    break;
  }
  disconnect.abort();
  await eventually(() =>
    expect(log.lines.find(({ message }) => message === 'call ended')?.fields).toMatchObject({ outcome: 'done' }),
  );
  // An error in place of a notification's answer, which there is none of.
  await server.post({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Method not found' } }, inSession);
  const next = await server.post(
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_organization', arguments: {} } },
    inSession,
  );
  expect(await next.text()).toContain('"id":2');
});

test('over HTTP, what a 2025 client subscribed to is polled no more once it had no stream for as long as a session may be unused', async () => {
  let later = 0;
  const server = await startServer({ now: () => Date.now() + later });
  const opened = await server.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams({}) });
  const inSession = { 'mcp-session-id': opened.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' };
  await opened.text();
  const disconnect = new AbortController();
  const stream = await fetch(server.url, {
    headers: { accept: 'text/event-stream', ...inSession },
    signal: disconnect.signal,
  });
  await (
    await server.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: status } }, inSession)
  ).text();
  later = 3_600_000;
  await changes(5);
  expect(watches.size()).toBe(1);
  disconnect.abort();
  await stream.text().catch(() => undefined);
  // Lost just now: the client may open another one.
  await eventually(() => expect(server.load().streams).toBe(0));
  await changes(5);
  expect(watches.size()).toBe(1);
  later *= 2;
  await eventually(() => expect(watches.size()).toBe(0));
  expect(
    await (
      await server.post(
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_organization', arguments: {} } },
        inSession,
      )
    ).text(),
  ).toContain('"id":2');
});

describe('a stream without an end', () => {
  const chunk = new Uint8Array(40);

  function source() {
    let cancelled = false;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (given) => void (controller = given),
      cancel: () => void (cancelled = true),
    });
    return {
      response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
      write: () => controller.enqueue(chunk),
      end: () => controller.close(),
      isCancelled: () => cancelled,
    };
  }

  test('ends when too much of it is left unread', async () => {
    const { response, write, isCancelled } = source();
    let ended = 0;
    const relayed = relayEventStream(response, {
      closeSignal: new AbortController().signal,
      drainAfterDisconnect: false,
      mostUnread: 100,
      onEnd: () => void (ended += 1),
    });
    for (let index = 0; index < 3; index += 1) write();
    await eventually(() => expect(ended).toBe(1));
    expect(isCancelled()).toBe(true);
    await expect(relayed.text()).rejects.toThrow();
  });

  test('is relayed whole to a client that reads', async () => {
    const { response, write, end, isCancelled } = source();
    const relayed = relayEventStream(response, {
      closeSignal: new AbortController().signal,
      drainAfterDisconnect: false,
      mostUnread: 100,
      onEnd: () => undefined,
    });
    const reader: ReadableStreamDefaultReader<Uint8Array> = relayed.body!.getReader();
    for (let index = 0; index < 10; index += 1) {
      write();
      expect((await reader.read()).value).toHaveLength(chunk.length);
    }
    end();
    expect((await reader.read()).done).toBe(true);
    expect(isCancelled()).toBe(false);
  });
});

describe('notices one by one', () => {
  test('become one while another is on its way', async () => {
    const sent: (() => void)[] = [];
    const notice = oneByOne(
      () => new Promise<void>((resolve) => sent.push(resolve)),
      () => expect.unreachable(),
    );
    for (let index = 0; index < 5; index += 1) notice();
    expect(sent).toHaveLength(1);
    sent[0]!();
    await eventually(() => expect(sent).toHaveLength(2));
    sent[1]!();
    await new Promise(setImmediate);
    expect(sent).toHaveLength(2);
    notice();
    expect(sent).toHaveLength(3);
  });

  test.each([
    [
      'throws',
      (): Promise<void> => {
        throw new Error('closed');
      },
    ],
    ['rejects', () => Promise.reject(new Error('closed'))],
  ])('that %s are told of, and nothing is thrown', async (_, send) => {
    let failed = 0;
    oneByOne(send, () => void (failed += 1))();
    await eventually(() => expect(failed).toBe(1));
  });
});
