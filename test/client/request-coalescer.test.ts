import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { credentialOf } from '../../src/client/index.ts';
import { operations } from '../../src/contract/index.ts';
import { connectClient, apiErrorOf, ids, startStubServer, waitUntil } from './stub-server.ts';

const read = [operations.get_environment, { environment_id: ids.environment }] as const;

/** A server that answers a request when the test lets it. */
async function held() {
  const waiting: ServerResponse[] = [];
  const server = await startStubServer((_, response) => {
    waiting.push(response);
    return undefined;
  });
  const answer = (name: string) => {
    for (const response of waiting.splice(0)) response.end(JSON.stringify({ id: ids.environment, name }));
  };
  return { ...server, answer, client: connectClient(server.url) };
}

describe('identical reads under way at once', () => {
  test('share one request, and each gets an answer of its own', async () => {
    const { client, requests, answer } = await held();
    const calls = Array.from({ length: 20 }, () => client.call(...read));
    await waitUntil(() => requests.length > 0);
    answer('one');
    const answers = await Promise.all(calls);
    expect(answers.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, () => 'one'));
    expect(new Set(answers).size).toBe(20);
    expect(requests).toHaveLength(1);
  });

  test('share an error too, each with its own', async () => {
    const { url, requests } = await startStubServer(() => ({ status: 403 }));
    const client = connectClient(url);
    const [first, second] = await Promise.all([apiErrorOf(client.call(...read)), apiErrorOf(client.call(...read))]);
    expect([first.kind, second.kind, requests.length]).toEqual(['forbidden', 'forbidden', 1]);
    expect(first).not.toBe(second);
  });

  test('are asked again once the request has ended', async () => {
    const { url, requests } = await startStubServer(() => ({ body: { id: ids.environment } }));
    const client = connectClient(url);
    await client.call(...read);
    await client.call(...read);
    expect(requests).toHaveLength(2);
  });

  test('never share across credentials, nor across schemes of one value', async () => {
    const { client, requests, answer } = await held();
    const credentials = [credentialOf('ann'), credentialOf('eve'), credentialOf('ann', 'Bearer')];
    const calls = credentials.map((credential) => client.call(...read, { credential }));
    await waitUntil(() => requests.length === 3);
    answer('x');
    await Promise.all(calls);
    expect(new Set(requests.map((one) => one.headers.authorization))).toEqual(
      new Set(['Bearer ann', 'Token ann', 'Token eve']),
    );
  });

  test('do not share when they ask for different things', async () => {
    const { url, requests } = await startStubServer(() => ({ body: { results: [] } }));
    const client = connectClient(url);
    const list = (page: number) => client.call(operations.list_projects, { organization_id: ids.organization, page });
    await Promise.all([list(1), list(2)]);
    expect(requests).toHaveLength(2);
  });

  test('outlive the first caller: it leaves alone', async () => {
    const { client, requests, answer } = await held();
    const stop = new AbortController();
    const first = apiErrorOf(client.call(...read, { signal: stop.signal }));
    const second = client.call(...read);
    await waitUntil(() => requests.length === 1);
    stop.abort();
    expect(await first).toMatchObject({ kind: 'canceled' });
    answer('still here');
    expect((await second).name).toBe('still here');
    expect(requests).toHaveLength(1);
  });

  test('end when the last caller leaves, and a later one asks again', async () => {
    const { client, requests, answer, sockets } = await held();
    const stop = new AbortController();
    const calls = [1, 2].map(() => apiErrorOf(client.call(...read, { signal: stop.signal })));
    await waitUntil(() => requests.length === 1);
    stop.abort();
    await Promise.all(calls);
    await waitUntil(() => sockets.size === 0);
    const late = client.call(...read);
    await waitUntil(() => requests.length === 2);
    answer('again');
    expect((await late).name).toBe('again');
  });

  test('each keep their own deadline', async () => {
    const { client, requests, answer } = await held();
    const hurried = apiErrorOf(client.call(...read, { deadline: Date.now() + 30 }));
    const patient = client.call(...read);
    expect(await hurried).toMatchObject({ kind: 'timeout' });
    await waitUntil(() => requests.length === 1);
    answer('in time');
    expect((await patient).name).toBe('in time');
    expect(requests).toHaveLength(1);
  });

  test('are not joined after a change: who reads then sees what it made', async () => {
    const waiting: ServerResponse[] = [];
    let name = 'before';
    const { url, requests } = await startStubServer((one, response, count) => {
      if (one.method === 'POST') {
        name = 'after';
        return { body: { id: ids.environment } };
      }
      if (count > 1) return { body: { id: ids.environment, name } };
      waiting.push(response);
      return undefined;
    });
    const client = connectClient(url);
    const early = client.call(...read);
    await waitUntil(() => waiting.length === 1);
    await client.call(operations.stop_environment, { environment_id: ids.environment });
    expect((await client.call(...read)).name).toBe('after');
    waiting[0]?.end(JSON.stringify({ id: ids.environment, name: 'before' }));
    expect((await early).name).toBe('before');
    expect(requests).toHaveLength(3);
  });
});

test('changes never share: each is sent', async () => {
  const { url, requests } = await startStubServer(() => ({ body: { id: ids.environment } }));
  const client = connectClient(url);
  await Promise.all([1, 2].map(() => client.call(operations.stop_environment, { environment_id: ids.environment })));
  expect(requests).toHaveLength(2);
});
