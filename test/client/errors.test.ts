import { describe, expect, test } from 'vitest';
import type { ApiErrorKind } from '../../src/client/errors.ts';
import { operations } from '../../src/contract/index.ts';
import { connectClient, apiErrorOf, fakeTime, ids, startStubServer, type StubResponse } from './stub-server.ts';

const error = (status: number, message: string) => ({ status, body: { status, error: 'x', message, detail: message } });

/** How a change fails when the server always answers so, and how often it was asked. */
async function changeAgainst(reply: StubResponse) {
  const { url, requests } = await startStubServer(() => reply);
  const time = fakeTime();
  const lock = { cluster_id: ids.cluster, reason: 'x', ttl_in_days: 1 };
  const failure = await apiErrorOf(connectClient(url, time.config).call(operations.lock_cluster, lock));
  return { failure, asked: requests.length, now: time.now(), url };
}

describe('a status', () => {
  test.each<[number, ApiErrorKind, RegExp]>([
    [400, 'invalid_input', /the same call would be refused again/],
    [401, 'unauthorized', /does not accept the API token.*revoked nor expired/],
    [403, 'forbidden', /permission "admin", or there is no such id \(cluster_id 44444444/],
    [404, 'not_found', /no such id \(cluster_id 44444444/],
    [405, 'bad_answer', /base URL/],
    [409, 'conflict', /Wait until it has ended/],
    [418, 'invalid_input', /the same call would be refused again/],
    [422, 'invalid_input', /the same call would be refused again/],
    [500, 'server_error', /may or may not have been carried out/],
    [503, 'server_error', /may or may not have been carried out/],
    [304, 'bad_answer', /base URL/],
  ])('%i is %s', async (status, kind, says) => {
    const { failure, asked } = await changeAgainst(status === 304 ? { status } : error(status, 'the reason'));
    expect(failure).toMatchObject({
      name: 'ApiError',
      kind,
      status,
      operation: 'lock_cluster',
      outcomeUnknown: status >= 500,
    });
    expect(failure.message).toMatch(/^lock_cluster failed: /);
    expect(failure.message).toMatch(says);
    expect(asked).toBe(1);
  });

  test('401 names the platform', async () => {
    const { failure, url } = await changeAgainst(error(401, 'no'));
    expect(failure.reason).toContain(url);
  });

  test('503 says when to come back where the server does', async () => {
    const { failure, now } = await changeAgainst({ ...error(503, 'down'), headers: { 'retry-after': '120' } });
    expect(failure).toMatchObject({ kind: 'server_error', retryAt: now + 120_000 });
    expect(failure.message).toContain('after 2026-01-01T00:02:00.000Z');
  });

  test('404 where no id was sent points at the base URL', async () => {
    const { url } = await startStubServer(() => ({ status: 404 }));
    const failure = await apiErrorOf(connectClient(url).call(operations.get_organization, {}));
    expect(failure).toMatchObject({
      kind: 'not_found',
      message: expect.stringMatching(/nothing at \/organization.*base URL/) as string,
    });
  });
});

describe("the platform's own words", () => {
  const long = `${'word '.repeat(200)}end`;

  test.each<[string, StubResponse['body'], string | undefined]>([
    ['message first', { error: 'c', detail: 'b', message: 'a' }, 'a'],
    ['then detail', { error: 'c', detail: 'b', message: '' }, 'b'],
    ['then error', { error: 'c', message: { deep: 1 } }, 'c'],
    ['then the raw text', '{"errors":["x"]}', '{"errors":["x"]}'],
    ['plain text', 'out of order', 'out of order'],
    ['nothing', '', undefined],
    ['nothing but space', ' \r\n ', undefined],
    ['a JSON string', '"text"', '"text"'],
    ['an array', '["a"]', '["a"]'],
    [
      'a page without its markup',
      '<!DOCTYPE html><style>p{color:red}</style><h1>502 Bad <b>Gateway</b></h1><script>let a = 1</script>',
      '502 Bad Gateway',
    ],
    [
      'one line, with what is invisible written out',
      { message: 'a\u0000b\n\u001B[31mc\u200Bd\u202Ee\u2028f' },
      'a<U+0000>b <U+001B>[31mc<U+200B>d<U+202E>e f',
    ],
  ])('are %s', async (_, body, detail) => {
    const { failure } = await changeAgainst({ status: 400, body });
    expect(failure.detail).toBe(detail);
    if (detail) expect(failure.message).toContain(`The platform says: "${detail}"`);
  });

  test('are cut short', async () => {
    const { failure } = await changeAgainst(error(400, long));
    expect(failure.detail).toHaveLength(300);
    expect(failure.detail).toMatch(/^word word .*…$/);
  });

  test('are cut between characters', async () => {
    const { failure } = await changeAgainst(error(400, `a${'🚀'.repeat(400)}`));
    expect(failure.detail?.isWellFormed()).toBe(true);
  });
});
