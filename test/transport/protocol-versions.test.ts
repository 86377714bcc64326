import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  connectModernHttp,
  initialize,
  modernCall,
  modernHeaders,
  startTestServer,
} from './test-server.ts';
import { textOf } from '../support/mcp-clients.ts';

afterEach(closeTestServers);

const eras = [
  ['2026', connectModernHttp],
  ['2025', connectLegacyHttp],
] as const;

describe.each(eras)('a %s client', (_, connect) => {
  test('lists and calls tools', async () => {
    const { url } = await startTestServer();
    const client = await connect(url);
    expect((await client.list()).map(({ name }) => name)).toContain('who');
    expect(JSON.parse(textOf(await client.call('who')))).toMatchObject({ principal: 'local' });
  });

  test('is asked for what a call still needs', async () => {
    const { url } = await startTestServer();
    const client = await connect(url, { answer: (message) => ({ name: message === 'Your name?' ? 'Ann' : 'nobody' }) });
    expect(textOf(await client.call('ask'))).toBe('Hello Ann');
  });

  test('cancels a call, and the tool hears of it', async () => {
    const { url, heldCalls: held } = await startTestServer();
    const client = await connect(url);
    const giveUp = new AbortController();
    const call = client.call('hold', { label: 'a' }, { signal: giveUp.signal });
    await eventually(() => expect(held).toHaveLength(1));
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => expect(held[0]!.cancelled).toBe(true));
  });

  test('has many calls running side by side', async () => {
    const { url, heldCalls: held } = await startTestServer();
    const client = await connect(url);
    const calls = ['a', 'b', 'c'].map((label) => client.call('hold', { label }));
    await eventually(() => expect(held).toHaveLength(3));
    for (const { release: letGo } of held.toReversed()) letGo();
    expect((await Promise.all(calls)).map(textOf)).toEqual(['held a', 'held b', 'held c']);
  });
});

describe('a session', () => {
  test('is 404 once it was ended, and when it never was', async () => {
    const { url, post } = await startTestServer();
    const opening = await post(initialize);
    const session = { 'mcp-session-id': opening.headers.get('mcp-session-id')! };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(list, session)).status).toBe(200);
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await post(list, session)).status).toBe(404);
    expect((await post(list, { 'mcp-session-id': 'b3c0f6a8-1f0f-4a55-9d25-cf5b6f4c2f10' })).status).toBe(404);
  });

  test('is needed by everything but its opening', async () => {
    const { post } = await startTestServer();
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
  });

  test('ends when it goes unused, but not while a call or a stream is open', async () => {
    let now = 0;
    const {
      url,
      post,
      heldCalls: held,
      log,
    } = await startTestServer({ clock: { now: () => now }, limits: { idleSessionTime: 50 } });
    const unused = { 'mcp-session-id': (await post(initialize)).headers.get('mcp-session-id')! };
    const listening = { 'mcp-session-id': (await post(initialize)).headers.get('mcp-session-id')! };
    const stream = await fetch(url, { headers: { ...listening, accept: 'text/event-stream' } });
    const client = await connectLegacyHttp(url);
    const call = client.call('hold', { label: 'long' });
    await eventually(() => expect(held).toHaveLength(1));

    now = 51;
    await eventually(() => expect(log.lines.filter(({ message }) => message === 'session ended')).toHaveLength(1));
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(list, unused)).status).toBe(404);
    expect((await post(list, listening)).status).toBe(200);
    held[0]!.release();
    expect(textOf(await call)).toBe('held long');
    await stream.body!.cancel();
  });

  test('beyond the limit takes the place of the longest unused one', async () => {
    const { post } = await startTestServer({ limits: { sessionsPerPrincipal: 2 } });
    const open = async () => (await post(initialize)).headers.get('mcp-session-id')!;
    const ids = [await open(), await open()];
    const alive = async (id: string) =>
      (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': id })).status;
    expect(await alive(ids[0]!)).toBe(200);
    const third = await open();
    expect(await Promise.all([ids[0]!, ids[1]!, third].map(alive))).toEqual([200, 404, 200]);
  });

  test('beyond the limit is refused while all others are in use', async () => {
    const { url, post, heldCalls: held } = await startTestServer({ limits: { sessionsPerPrincipal: 1 } });
    const client = await connectLegacyHttp(url);
    const call = client.call('hold', { label: 'a' });
    await eventually(() => expect(held).toHaveLength(1));
    const refused = await post(initialize);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    held[0]!.release();
    await call;
  });

  test('that was opened wrongly leaves nothing behind', async () => {
    const { post } = await startTestServer({ limits: { sessionsPerPrincipal: 1 } });
    const refused = await post(initialize, { accept: 'application/json' });
    expect(refused.status).toBe(406);
    expect(refused.headers.get('mcp-session-id')).toBeNull();
    expect((await post(initialize)).status).toBe(200);
  });
});

describe('without state for 2025 clients too', () => {
  test('calls are answered, and there is no session', async () => {
    const { url } = await startTestServer({ legacy: 'stateless' });
    const client = await connectLegacyHttp(url);
    expect(client.sessionId).toBeUndefined();
    expect(JSON.parse(textOf(await client.call('who')))).toMatchObject({ principal: 'local' });
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(405);
  });
});

describe('a request id', () => {
  test('goes through to the call and comes back', async () => {
    const { post } = await startTestServer();
    const answer = await post(modernCall('who'), { ...modernHeaders('who'), 'x-request-id': 'trace-7' });
    expect(answer.headers.get('x-request-id')).toBe('trace-7');
    expect(await answer.text()).toContain('trace-7');
  });

  test('that could not stand in a log is replaced', async () => {
    const { post } = await startTestServer();
    const answer = await post(modernCall('who'), { ...modernHeaders('who'), 'x-request-id': 'a b' });
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});
