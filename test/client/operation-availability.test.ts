import { describe, expect, test } from 'vitest';
import { errorBody, operations } from '../../src/contract/index.ts';
import { connectClient, apiErrorOf, fakeTime, ids, startStubServer, type StubResponse } from './stub-server.ts';

const outside = [operations.list_services, { environment_id: ids.environment }] as const;
const path = `/environment/${ids.environment}/services`;

const says = (message: string): StubResponse => ({ status: 404, body: errorBody(404, message) });

/** How a call outside the document fails, and how often it was sent when made twice. */
async function twice(reply: StubResponse) {
  const { url, requests } = await startStubServer(() => reply);
  const client = connectClient(url);
  const failure = await apiErrorOf(client.call(...outside));
  const again = await apiErrorOf(client.call(...outside));
  expect(again.kind).toBe(failure.kind);
  return { failure, again, asked: requests.length, url };
}

describe('an operation outside the document is not offered, and asked for once,', () => {
  test.each<[string, StubResponse]>([
    [
      '405',
      {
        status: 405,
        body: { status: 405, error: 'Method Not Allowed', message: `no such environment ${ids.environment}` },
      },
    ],
    ['nothing', { status: 404 }],
    ['a page', { status: 404, body: `<h1>Not Found</h1><p>${ids.environment}</p>` }],
    ['plain text', { status: 404, body: 'default backend - 404' }],
    ['a body without a message', { status: 404, body: { status: 404, error: 'Not Found', path } }],
    ['no more than the status text', says('Not Found')],
    ['an unknown route', says('no Route matched with those values')],
    ['the method and path', says(`No operation answers GET ${path}`)],
    ['the path in other case', says(`Route GET:${path.toUpperCase()} not found`)],
    ['the path without its slash', says(`No static resource ${path.slice(1)}.`)],
  ])('when the platform answers %s', async (_, reply) => {
    const { failure, again, asked, url } = await twice(reply);
    expect(failure).toMatchObject({ kind: 'not_offered', status: reply.status });
    expect(failure.message).toContain(`${url} does not offer GET /environment/{environmentId}/services`);
    expect(again.message).toContain('does not offer');
    expect(asked).toBe(1);
  });
});

describe('it stays offered, and is asked for again,', () => {
  test.each<[string, StubResponse]>([
    ['names the id', says(`There is nothing called ${ids.environment}.`)],
    ['names the id in other case', says(`Not found: ${ids.environment.toUpperCase()}`)],
    ['names the id beside the path', says(`GET ${path}: unknown ${ids.environment}`)],
    ['names the kind', says('Environment not found')],
    ['speaks of a resource', says('The resource does not exist')],
    ['names the id in a detail', { status: 404, body: { detail: `No environment ${ids.environment}` } }],
  ])('when a 404 %s', async (_, reply) => {
    const { failure, asked } = await twice(reply);
    expect(failure).toMatchObject({ kind: 'not_found', status: 404 });
    expect(failure.message).toContain(`environment_id ${ids.environment}`);
    expect(asked).toBe(2);
  });

  test.each([400, 401, 403, 409, 500])('when the answer is %i', async (status) => {
    const { failure, asked } = await twice({ status });
    expect(failure.kind).not.toBe('not_offered');
    expect(asked).toBeGreaterThan(1);
  });

  test('when it has succeeded before, whatever a 404 says', async () => {
    const { url, requests } = await startStubServer((_one, _response, count) =>
      count === 1 ? { body: { results: [] } } : { status: 404 },
    );
    const client = connectClient(url);
    await client.call(...outside);
    expect(await apiErrorOf(client.call(...outside))).toMatchObject({ kind: 'not_found' });
    expect(await apiErrorOf(client.call(...outside))).toMatchObject({ kind: 'not_found' });
    expect(requests).toHaveLength(3);
  });

  test('when an hour has passed: platforms are upgraded', async () => {
    let now = fakeTime().now();
    const { url, requests } = await startStubServer((_one, _response, count) =>
      count === 1 ? { status: 404 } : { body: { results: [] } },
    );
    const client = connectClient(url, { clock: { now: () => now } });
    await apiErrorOf(client.call(...outside));
    now += 59 * 60_000;
    expect(await apiErrorOf(client.call(...outside))).toMatchObject({ kind: 'not_offered' });
    now += 60_000;
    expect(await client.call(...outside)).toEqual({ results: [] });
    expect(requests).toHaveLength(2);
  });
});

test('one missing operation says nothing of the others, nor of other platforms', async () => {
  const lacking = await startStubServer((one) =>
    one.url === path ? { status: 404 } : { body: { id: ids.environment } },
  );
  const full = await startStubServer(() => ({ body: { results: [] } }));
  const client = connectClient(lacking.url);
  await apiErrorOf(client.call(...outside));
  await client.call(operations.get_environment, { environment_id: ids.environment });
  await connectClient(full.url).call(...outside);
  expect([lacking.requests.length, full.requests.length]).toEqual([2, 1]);
});

test('a documented operation is never taken to be missing', async () => {
  for (const status of [404, 405]) {
    const { url, requests } = await startStubServer(() => ({ status }));
    const client = connectClient(url);
    for (const _ of [1, 2])
      expect((await apiErrorOf(client.call(operations.get_helm, { helm_id: ids.container }))).kind).not.toBe(
        'not_offered',
      );
    expect(requests).toHaveLength(2);
  }
});
