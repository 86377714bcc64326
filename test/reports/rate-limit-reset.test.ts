import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { apiErrorOf, connectClient, fakeTime, ids, startStubServer } from '../client/stub-server.ts';

const read = [operations.get_environment, { environment_id: ids.environment }] as const;
const start = Date.UTC(2026, 0, 1);
const year = 365 * 86_400;

/** A client whose platform answers every read with these headers. */
async function clientOf(status: number, headers: Record<string, string>) {
  const time = fakeTime(start);
  const { url } = await startStubServer(() => ({ status, headers, body: { id: ids.environment } }));
  return { client: connectClient(url, time.config), time };
}

const rate = (reset: string) => ({
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': '5',
  'X-RateLimit-Reset': reset,
});

const possible = [
  ['seconds left', '90'],
  ['seconds since the epoch', String(start / 1000 + 90)],
  ['milliseconds since the epoch', String(start + 90_000)],
  ['an HTTP date', new Date(start + 90_000).toUTCString()],
  ['an ISO date', new Date(start + 90_000).toISOString()],
] as const;

const impossible = [
  ['milliseconds as seconds left', '999999999'],
  ['seconds since the epoch, years from now', String(start / 1000 + 5 * year)],
  ['milliseconds since the epoch, years from now', String(start + 5 * year * 1000)],
  ['seconds since the epoch, years ago', String(start / 1000 - 5 * year)],
  ['milliseconds since the epoch, years ago', String(start - 5 * year * 1000)],
  ['microseconds since the epoch', String(start * 1000)],
  ['a date years from now', new Date(start + 5 * year * 1000).toUTCString()],
  ['a negative number', '-90'],
  ['text', 'soon'],
  ['text with a number', 'window 2026'],
  ['nothing', ''],
  ['infinity', 'Infinity'],
  ['a hexadecimal number', '0x5A'],
] as const;

describe('the end of a rate limit window', () => {
  test.each(possible)('is read from %s: %s', async (_, reset) => {
    const { client } = await clientOf(200, rate(reset));
    await client.call(...read);
    expect(client.budget()?.resetAt).toBe(start + 90_000);
  });

  test.each(impossible)('is unknown from %s: %j', async (_, reset) => {
    const { client } = await clientOf(200, rate(reset));
    await client.call(...read);
    expect(client.budget()).toBeUndefined();
  });
});

describe.each(['X-RateLimit-Reset', 'Retry-After'])('a refusal with %s', (header) => {
  test.each(possible)('says when to call again, from %s: %s', async (_, value) => {
    const { client } = await clientOf(429, { [header]: value });
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ retryAt: start + 90_000 });
  });

  test.each(impossible)('is tried again like any fault, from %s: %j', async (_, value) => {
    const { client, time } = await clientOf(429, { [header]: value });
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'rate_limited', retryAt: undefined });
    expect(time.waits).toEqual([200, 400, 800]);
  });
});

test('an impossible Retry-After leaves the end of the window', async () => {
  const { client } = await clientOf(429, { 'Retry-After': '-1', 'X-RateLimit-Reset': String(start + 90_000) });
  expect(await apiErrorOf(client.call(...read))).toMatchObject({ retryAt: start + 90_000 });
});
