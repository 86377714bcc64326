import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  initialize,
  modernCall,
  modernHeaders,
  startTestServer,
} from './test-server.ts';
import { openRawConnection, statusOf } from './raw-connection.ts';
import { textOf } from '../support/mcp-clients.ts';

afterEach(closeTestServers);

describe('a host that stops', () => {
  test('lets running calls of both protocol versions finish, then ends', async () => {
    const { url, post, heldCalls: held, close } = await startTestServer({ limits: { drainTime: 20_000 } });
    const client = await connectLegacyHttp(url);
    const legacy = client.call('hold', { label: 'legacy' });
    const modern = post(modernCall('hold', { label: 'modern' }), modernHeaders('hold'));
    await eventually(() => expect(held).toHaveLength(2));
    const stopped = close();
    for (const { release: letGo } of held) letGo();
    expect(textOf(await legacy)).toBe('held legacy');
    expect(await (await modern).text()).toContain('held modern');
    await stopped;
    await expect(post(initialize)).rejects.toThrow();
  });

  test('answers new calls with a refusal, also those that wait for their turn', async () => {
    const {
      post,
      heldCalls: held,
      close,
    } = await startTestServer({ limits: { shutdownDelay: 500, drainTime: 20_000, callsPerPrincipal: 1 } });
    const call = () => post(modernCall('hold', { label: 'a' }), modernHeaders('hold'));
    const running = call();
    await eventually(() => expect(held).toHaveLength(1));
    const waiting = call();
    const stopped = close();
    for (const refused of [await waiting, await call()]) {
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    expect(held).toHaveLength(1);
    held[0]!.release();
    expect((await running).status).toBe(200);
    await stopped;
  });

  test('takes calls for a while, when it already says that it stops', async () => {
    const {
      url,
      post,
      heldCalls: held,
      close,
    } = await startTestServer({ limits: { drainDelay: 1500, drainTime: 20_000 } });
    const ready = async (query = ''): Promise<number> => (await fetch(new URL(`/readyz${query}`, url))).status;
    const session = (await post(initialize)).headers.get('mcp-session-id')!;
    expect(await ready()).toBe(200);
    const stopped = close();
    expect([await ready(), await ready('?stopping=404'), await ready('?stopping=200')]).toEqual([503, 404, 503]);
    const call = post(modernCall('hold', { label: 'late' }), modernHeaders('hold'));
    const inSession = await post(
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'greet', arguments: {} } },
      { 'mcp-session-id': session },
    );
    expect(await inSession.text()).toContain('hello');
    await eventually(() => expect(held).toHaveLength(1));
    held[0]!.release();
    expect((await call).status).toBe(200);
    await stopped;
  });

  test('answers requests that are just arriving, whole', async () => {
    const {
      port,
      post,
      heldCalls: held,
      close,
    } = await startTestServer({ limits: { shutdownDelay: 500, drainTime: 20_000 } });
    const call = post(modernCall('hold', { label: 'a' }), modernHeaders('hold'));
    await eventually(() => expect(held).toHaveLength(1));
    const connection = await openRawConnection(port);
    const stopped = close();
    held[0]!.release();
    await call;
    const body = JSON.stringify(initialize);
    connection.send(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    connection.send(body);
    await connection.ended;
    expect(statusOf(connection.received())).toBe(503);
    expect(connection.received()).toContain('takes no new calls');
    await stopped;
  });

  test('tells calls that take too long how to go on', async () => {
    const { post, heldCalls: held, close } = await startTestServer({ limits: { drainTime: 50 } });
    const call = post(modernCall('hold', { label: 'a' }, 7), modernHeaders('hold'));
    await eventually(() => expect(held).toHaveLength(1));
    await close();
    const answer = await call;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('look at the present state') },
    });
  });

  test('tells it too where an answer has begun', async () => {
    const { url, close } = await startTestServer({ limits: { drainTime: 50 } });
    const client = await connectLegacyHttp(url);
    let begun = false;
    const call = client.call('progress', {}, { onprogress: () => (begun = true) });
    await eventually(() => expect(begun).toBe(true));
    const [outcome] = await Promise.all([call.catch((error: unknown) => error), close()]);
    expect(String(outcome)).toContain('look at the present state');
  });

  test('ends open streams at once', async () => {
    const { url, post, close } = await startTestServer({ limits: { drainTime: 20_000 } });
    const session = (await post(initialize)).headers.get('mcp-session-id')!;
    const stream = await fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const [text] = await Promise.all([stream.text(), close()]);
    expect(text).toBe('');
  });
});
