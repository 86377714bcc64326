import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { credentialOf } from '../../src/client/index.ts';
import {
  connectClient,
  apiErrorOf,
  fakeTime,
  ids,
  startStubServer,
  unusedUrl,
  type StubHandler,
} from './stub-server.ts';

const read = [operations.get_environment, { environment_id: ids.environment }] as const;
const put = [
  operations.update_billing_info,
  {
    organization_id: ids.organization,
    first_name: 'a',
    last_name: 'b',
    email: 'a@b.c',
    address: 'x',
    city: 'y',
    zip: '1',
    country_code: 'FR',
  },
] as const;
const post = [operations.stop_environment, { environment_id: ids.environment }] as const;
const remove = [operations.unlock_cluster, { cluster_id: ids.cluster }] as const;

const good = { body: { id: ids.environment } };
const busy = { status: 503, body: { message: 'busy' } };

const against = async (answering: StubHandler) => {
  const time = fakeTime();
  const server = await startStubServer(answering);
  return { ...server, time, client: connectClient(server.url, time.config) };
};

const dropped: StubHandler = (_, response) => {
  response.socket?.destroy();
  return undefined;
};

const limited = (headers: Record<string, string>) => ({ status: 429, headers, body: { message: 'slow down' } });

const rateHeaders = (remaining: number, reset: string) => ({
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': reset,
});

describe('reads and PUT', () => {
  test.each([
    ['a read', read],
    ['a PUT', put],
  ])('%s is repeated after 5xx until it succeeds, waiting longer each time', async (_, [operation, input]) => {
    const { client, requests, time } = await against((_request, _response, count) =>
      count < 4 ? { ...busy, status: 499 + count } : good,
    );
    await client.call(operation, input as never);
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(time.waits).toEqual([200, 400, 800]);
  });

  test.each([
    ['a read', read],
    ['a PUT', put],
  ])('%s is repeated after a dropped connection', async (_, [operation, input]) => {
    const { client, requests } = await against((one, response, count) =>
      count < 3 ? dropped(one, response, count) : good,
    );
    await client.call(operation, input as never);
    expect(requests).toHaveLength(3);
  });

  test('are given up after four attempts', async () => {
    const { client, requests } = await against(() => busy);
    expect(await apiErrorOf(client.call(...read))).toMatchObject({
      kind: 'server_error',
      status: 503,
      outcomeUnknown: false,
    });
    expect(requests).toHaveLength(4);
    expect(await apiErrorOf(client.call(...put))).toMatchObject({ kind: 'server_error', outcomeUnknown: true });
  });

  test('wait a random part of the time', async () => {
    const waits: number[] = [];
    const { url } = await startStubServer(() => busy);
    const client = connectClient(url, {
      random: () => 0.25,
      sleep: async (milliseconds) => void waits.push(milliseconds),
    });
    await apiErrorOf(client.call(...read));
    expect(waits).toEqual([50, 100, 200]);
  });

  test('are not repeated when the wait would outlast the deadline', async () => {
    const { client, requests, time } = await against(() => ({ ...busy, headers: { 'retry-after': '20' } }));
    await apiErrorOf(client.call(...read, { deadline: time.now() + 30_000 }));
    expect(requests).toHaveLength(2);
    expect(time.waits).toEqual([20_500]);
  });

  test('are not repeated after a refusal', async () => {
    const { client, requests } = await against(() => ({ status: 400 }));
    await apiErrorOf(client.call(...read));
    expect(requests).toHaveLength(1);
  });

  test('wait as long as a 503 asks', async () => {
    const { client, time } = await against((_request, _response, count) =>
      count === 1 ? { ...busy, headers: { 'retry-after': '3' } } : good,
    );
    await client.call(...read);
    expect(time.waits).toEqual([3_500]);
  });

  test('tell that an earlier attempt may have been carried out when a later one is refused', async () => {
    const { client } = await against((_request, _response, count) => (count === 1 ? busy : { status: 409 }));
    expect(await apiErrorOf(client.call(...put))).toMatchObject({ kind: 'conflict', outcomeUnknown: true });
  });
});

describe('POST and DELETE', () => {
  test.each([
    ['POST', post],
    ['DELETE', remove],
  ])('%s is sent once, whatever fails', async (_, [operation, input]) => {
    for (const answering of [() => busy, dropped]) {
      const { client, requests } = await against(answering);
      expect(await apiErrorOf(client.call(operation, input as never))).toMatchObject({ outcomeUnknown: true });
      expect(requests).toHaveLength(1);
    }
  });

  test('are tried again when no connection came about', async () => {
    const waits: number[] = [];
    const client = connectClient(await unusedUrl(), {
      random: () => 1,
      sleep: async (milliseconds) => void waits.push(milliseconds),
    });
    expect(await apiErrorOf(client.call(...post))).toMatchObject({ kind: 'unreachable', outcomeUnknown: false });
    expect(waits).toEqual([200, 400, 800]);
  });
});

describe('429', () => {
  test.each([
    ['seconds from now', () => ({ 'X-RateLimit-Reset': '10' })],
    ['a Unix time', (now: number) => ({ 'X-RateLimit-Reset': String(now / 1000 + 10) })],
    ['Retry-After in seconds', () => ({ 'Retry-After': '10', 'X-RateLimit-Reset': '2000' })],
    ['Retry-After as a date', (now: number) => ({ 'Retry-After': new Date(now + 10_000).toUTCString() })],
  ])('is waited out when it fits the deadline, for a POST too, and not a moment less: %s', async (_, headers) => {
    const { client, requests, time } = await against((_request, _response, count) =>
      count === 1 ? limited(headers(time.now())) : good,
    );
    await client.call(...post, { deadline: time.now() + 12_000 });
    expect(requests).toHaveLength(2);
    expect(time.waits).toEqual([10_500]);
  });

  test('fails at once, saying when to come back, when the wait does not fit', async () => {
    const { client, requests, time } = await against(() => limited({ 'X-RateLimit-Reset': '600' }));
    const error = await apiErrorOf(client.call(...read, { deadline: time.now() + 30_000 }));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      status: 429,
      retryAt: time.now() + 600_000,
      detail: 'slow down',
    });
    expect(error.message).toContain('Call again after 2026-01-01T00:10:00.000Z');
    expect(requests).toHaveLength(1);
    expect(time.waits).toEqual([]);
  });

  test('fails at once without a deadline too when the wait is longer than a call may take', async () => {
    const { client, requests } = await against(() => limited({ 'X-RateLimit-Reset': '46' }));
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'rate_limited' });
    expect(requests).toHaveLength(1);
  });

  test('is repeated a few times only, however short the wait', async () => {
    const { client, requests } = await against(() => limited({ 'X-RateLimit-Reset': '0' }));
    expect(await apiErrorOf(client.call(...post))).toMatchObject({ kind: 'rate_limited', outcomeUnknown: false });
    expect(requests).toHaveLength(4);
  });

  test.each(['soon', '-5', '1e300', '99999999999999999', ''])(
    'without a time that can be read (%j) is waited out like any fault',
    async (reset) => {
      const { client, time } = await against(() => limited({ 'X-RateLimit-Reset': reset }));
      expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'rate_limited', retryAt: undefined });
      expect(time.waits).toEqual([200, 400, 800]);
    },
  );
});

describe('the deadline and the caller', () => {
  test('nothing is sent when the deadline has passed or the caller has gone', async () => {
    const { client, requests, time } = await against(() => good);
    expect(await apiErrorOf(client.call(...post, { deadline: time.now() }))).toMatchObject({
      kind: 'timeout',
      outcomeUnknown: false,
    });
    expect(await apiErrorOf(client.call(...post, { signal: AbortSignal.abort() }))).toMatchObject({
      kind: 'canceled',
      outcomeUnknown: false,
    });
    expect(requests).toEqual([]);
  });

  test('a wait ends when the caller goes', async () => {
    const { url, requests } = await startStubServer(() => ({ status: 429, headers: { 'X-RateLimit-Reset': '20' } }));
    const stop = new AbortController();
    const log = { debug: () => {}, warn: () => stop.abort() };
    const client = connectClient(url, { sleep: undefined, log });
    expect(await apiErrorOf(client.call(...post, { signal: stop.signal }))).toMatchObject({
      kind: 'canceled',
      outcomeUnknown: false,
    });
    expect(requests).toHaveLength(1);
  });
});

describe('the budget', () => {
  test('is unknown before the first answer and read from every answer after', async () => {
    const { client, time } = await against((_request, _response, count) => ({
      ...(count === 1 ? good : { status: 400 }),
      headers: rateHeaders(1000 - count, '1767229200'),
    }));
    expect(client.budget()).toBeUndefined();
    await client.call(...read);
    expect(client.budget()).toEqual({ limit: 1000, remaining: 999, resetAt: 1_767_229_200_000, seenAt: time.now() });
    await apiErrorOf(client.call(...read));
    expect(client.budget()).toMatchObject({ remaining: 998 });
  });

  test('ends so many seconds from now when the reset is no Unix time', async () => {
    const { client, time } = await against(() => ({ ...good, headers: rateHeaders(5, '90') }));
    await client.call(...read);
    expect(client.budget()?.resetAt).toBe(time.now() + 90_000);
  });

  test('is kept per credential', async () => {
    const { client } = await against((one) => ({
      ...good,
      headers: rateHeaders(one.headers.authorization?.endsWith('ann') ? 7 : 9, '1767229200'),
    }));
    const ann = credentialOf('ann');
    await client.call(...read, { credential: ann });
    expect(client.budget()).toBeUndefined();
    await client.call(...read);
    expect([client.budget(ann)?.remaining, client.budget()?.remaining, client.budget(credentialOf('eve'))]).toEqual([
      7,
      9,
      undefined,
    ]);
  });

  test('keeps the lowest count of a window when answers overtake each other', async () => {
    const remaining = [3, 8, 900];
    const { client } = await against((_request, _response, count) => ({
      ...good,
      headers: rateHeaders(remaining[count - 1]!, count < 3 ? '1767229200' : '1767232800'),
    }));
    await client.call(...read);
    await client.call(...read);
    expect(client.budget()?.remaining).toBe(3);
    await client.call(...read);
    expect(client.budget()?.remaining).toBe(900);
  });

  test.each([
    { 'X-RateLimit-Limit': 'many', 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': '5' },
    { 'X-RateLimit-Remaining': '1' },
  ])('stays unknown when the headers are not numbers or not all there', async (odd) => {
    const { client } = await against(() => ({ ...good, headers: odd as Record<string, string> }));
    await client.call(...read);
    expect(client.budget()).toBeUndefined();
  });
});
