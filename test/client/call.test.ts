import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Answer } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { operation as define } from '../../src/contract/operation.ts';
import { allOperations, operations } from '../../src/contract/index.ts';
import { connectClient, apiErrorOf, ids, startStubServer, token, type StubResponse } from './stub-server.ts';

const answering = async (reply: StubResponse) => {
  const server = await startStubServer(() => reply);
  return { ...server, client: connectClient(server.url) };
};

const lock = { cluster_id: ids.cluster, reason: 'incident', ttl_in_days: 2 };

describe('what goes out', () => {
  test('is the method, path, body and headers of the contract', async () => {
    const { client, requests } = await answering({ status: 201, body: { cluster_id: ids.cluster } });
    await client.call(operations.lock_cluster, lock, { requestId: 'req-1' });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', url: `/cluster/${ids.cluster}/lock` });
    expect(JSON.parse(requests[0]!.body)).toEqual({ reason: 'incident', ttl_in_days: 2 });
    expect(requests[0]!.headers).toMatchObject({
      authorization: `Token ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'x-request-id': 'req-1',
    });
  });

  test('has the path prefix of the base URL and the query by its names on the wire', async () => {
    const { url, requests } = await answering({});
    const client = connectClient(`${url}/v9/`);
    await apiErrorOf(client.call(operations.list_job_deployments, { job_id: ids.container, pageSize: 5 } as never));
    await apiErrorOf(
      client.call(operations.list_projects, { organization_id: ids.organization, page: 2, page_size: 10 }),
    );
    expect(requests.map((one) => one.url)).toContain(
      `/v9/organization/${ids.organization}/project?page=2&page_size=10`,
    );
  });

  test('has no body and no content type where nothing is to be said', async () => {
    const { client, requests } = await answering({ body: { id: ids.environment } });
    await client.call(operations.stop_environment, { environment_id: ids.environment });
    expect(requests[0]).toMatchObject({ method: 'POST', body: '' });
    expect(requests[0]!.headers['content-type']).toBeUndefined();
  });

  test('has an empty body where the contract has one without members', async () => {
    const { client, requests } = await answering({ status: 202 });
    await client.call(operations.cancel_deployment, { environment_id: ids.environment });
    expect(requests[0]).toMatchObject({ method: 'POST', body: '{}' });
    expect(requests[0]!.headers['content-type']).toBe('application/json');
  });

  test('has its body with DELETE, too', async () => {
    const remove = define({
      name: 'remove_member',
      method: 'DELETE',
      path: '/organization/{organizationId}/member',
      body: z.object({ user_id: z.string() }),
      effect: 'sensitive',
      target: 'organization',
      summary: 'Remove a member.',
    });
    const { client, requests } = await answering({ status: 204 });
    expect(await client.call(remove, { organization_id: ids.organization, user_id: ids.container })).toBeUndefined();
    expect(requests[0]).toMatchObject({
      method: 'DELETE',
      url: `/organization/${ids.organization}/member`,
      body: JSON.stringify({ user_id: ids.container }),
    });
  });

  test('has the members that the contract does not know beside those it knows, which win', async () => {
    const { client, requests } = await answering({ status: 201 });
    await client.call(operations.lock_cluster, lock, { carried: { reason: 'other', scope: 'all' } });
    expect(JSON.parse(requests[0]!.body)).toEqual({ reason: 'incident', ttl_in_days: 2, scope: 'all' });
  });

  test('carries the credential of the call where one is given, as Bearer too', async () => {
    const { client, requests } = await answering({ body: { id: ids.organization } });
    await client.call(operations.get_organization, {}, { credential: credentialOf('eyJ.jwt', 'Bearer') });
    expect(requests[0]!.headers.authorization).toBe('Bearer eyJ.jwt');
  });

  test('leaves out a request id that could not stand in a header', async () => {
    const { client, requests } = await answering({ body: { id: ids.organization } });
    await client.call(operations.get_organization, {}, { requestId: 'a\r\nX-Evil: 1' });
    expect(requests[0]!.headers).not.toHaveProperty('x-request-id');
    expect(requests[0]!.headers).not.toHaveProperty('x-evil');
  });

  test('carries the trace of the call, where it is written as traces are', async () => {
    const { client, requests } = await answering({ body: { id: ids.organization } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await client.call(operations.get_organization, {}, { trace: { traceparent, tracestate: 'a=b' } });
    for (const trace of [{ traceparent: 'x\r\nX-Evil: 1' }, { traceparent, tracestate: 'a\r\nX-Evil: 1' }])
      await client.call(operations.get_organization, {}, { trace });
    expect(requests.map(({ headers }) => [headers['traceparent'], headers['tracestate'], headers['x-evil']])).toEqual([
      [traceparent, 'a=b', undefined],
      [undefined, undefined, undefined],
      [traceparent, undefined, undefined],
    ]);
  });

  test('goes out once where no more attempts are wanted', async () => {
    const { client, requests } = await answering({ status: 503 });
    await apiErrorOf(client.call(operations.get_organization, {}, { attempts: 1 }));
    expect(requests).toHaveLength(1);
  });

  test.each(['', '..', '../secret', 'x/y', `${ids.environment}?a=1`, undefined, 7])(
    'is nothing where an id is %j',
    async (id) => {
      const { client, requests } = await answering({});
      const error = await apiErrorOf(client.call(operations.get_environment, { environment_id: id as string }));
      expect(error).toMatchObject({
        kind: 'invalid_input',
        message: expect.stringContaining('environment_id must be a uuid') as string,
      });
      expect(requests).toEqual([]);
    },
  );
});

describe('what comes back', () => {
  test.each([200, 201, 202, 203, 299])('is a success with status %i', async (status) => {
    const { client } = await answering({ status, body: { id: ids.environment, state: 'STOPPING' } });
    const answer = await client.call(operations.stop_environment, { environment_id: ids.environment });
    expect(answer).toEqual({ id: ids.environment, state: 'STOPPING' });
  });

  test.each([200, 202, 204])('may be nothing after a change, with status %i', async (status) => {
    const { client } = await answering({ status });
    expect(await client.call(operations.stop_environment, { environment_id: ids.environment })).toBeUndefined();
    expect(await client.call(operations.unlock_cluster, { cluster_id: ids.cluster })).toBeUndefined();
  });

  test.each([
    ['null', 'null', undefined],
    ['an empty record', '{}', {}],
    ['a record without an id', '{"state":"STOPPING","id":null}', { state: 'STOPPING', id: null }],
  ])('may be %s after a change: its status says that it was accepted', async (_, body, answer) => {
    const { client } = await answering({ status: 202, body });
    expect(await client.call(operations.stop_environment, { environment_id: ids.environment })).toEqual(answer);
  });

  test('is not looked at where the contract has no body', async () => {
    const { client } = await answering({ body: 'gone' });
    expect(await client.call(operations.unlock_cluster, { cluster_id: ids.cluster })).toBeUndefined();
  });

  test('may not be nothing after a read', async () => {
    const { client } = await answering({ status: 200 });
    const error = await apiErrorOf(client.call(operations.get_organization, {}));
    expect(error).toMatchObject({
      kind: 'bad_answer',
      status: 200,
      message: expect.stringContaining('empty') as string,
    });
  });

  test('keeps unknown members and enum values, takes nulls and absent members', async () => {
    const body = {
      id: ids.container,
      name: null,
      service_type: 'SPACESHIP',
      registry: { id: ids.cluster, kind: 'MOON_CR' },
      extra: { a: [1] },
    };
    const { client } = await answering({ body });
    expect(await client.call(operations.get_container, { container_id: ids.container })).toEqual(body);
  });

  const record = { id: ids.organization, name: 'Acme', beyond: 1 };
  test.each([
    ['a bare record', record],
    ['a list of it', { results: [record] }],
    ['both', { ...record, results: [record] }],
  ])('is record and results for an organization answered as %s', async (_, body) => {
    const { client } = await answering({ body });
    expect(await client.call(operations.get_organization, {})).toEqual({ ...record, results: [record] });
  });

  test('is {results} where a list is answered bare', async () => {
    const { client } = await answering({ body: [{ id: 'l1', message: 'hello' }] });
    const log = await client.call(operations.get_application_logs, { application_id: ids.application, tail: 5 });
    expect(log.results?.[0]?.message).toBe('hello');
  });

  test.each([
    [
      'a missing id',
      operations.list_environments,
      { project_id: ids.cluster },
      { results: [{ id: ids.environment }, { name: 'x' }] },
      'results[1].id',
      'missing',
    ],
    [
      'a null id',
      operations.get_environment,
      { environment_id: ids.environment },
      { id: null },
      'id',
      'null, not of type string',
    ],
    [
      'a wrong type',
      operations.get_environment,
      { environment_id: ids.environment },
      { id: 'x', name: 5 },
      'name',
      'number, not of type string',
    ],
    [
      'a wrong type deep inside',
      operations.get_container,
      { container_id: ids.container },
      { id: 'x', ports: [{ id: 'p', internal_port: '80' }] },
      'ports[0].internal_port',
      'string, not of type number',
    ],
    [
      'no object',
      operations.get_environment,
      { environment_id: ids.environment },
      'null',
      '',
      'null, not of type object',
    ],
    ['an organization list without any', operations.get_organization, {}, { results: [] }, 'id', 'missing'],
    [
      'a member that fits no kind of service',
      operations.list_services,
      { environment_id: ids.environment },
      { results: [{ id: 'x', name: {} }] },
      'results[0].name',
      'object, not of type string',
    ],
  ])('is refused by the name of the field for %s', async (_, operation, input, body, field, why) => {
    const { client } = await answering({ body });
    const error = await apiErrorOf(client.call(operation, input as never));
    expect(error).toMatchObject({ kind: 'bad_answer', field, status: 200 });
    expect(error.message).toContain(why);
    expect(error.outcomeUnknown).toBeFalsy();
  });

  test('that is not JSON is refused, quoted only where it is a page', async () => {
    const page = await answering({ body: '<html><title>Sign in</title><body><p>Portal</p></body></html>' });
    const error = await apiErrorOf(page.client.call(operations.get_organization, {}));
    expect(error).toMatchObject({ kind: 'bad_answer', detail: 'Sign in Portal' });
    const broken = await answering({ body: '{"id":"x","value":"hunter2"' });
    const other = await apiErrorOf(broken.client.call(operations.get_organization, {}));
    expect(other).toMatchObject({ kind: 'bad_answer', detail: undefined });
    expect(other.message).not.toContain('hunter2');
  });

  test('after a change says that the change was accepted', async () => {
    const { client } = await answering({ status: 201, body: { id: 3 } });
    const error = await apiErrorOf(
      client.call(operations.create_project, { organization_id: ids.organization, name: 'x' }),
    );
    expect(error).toMatchObject({
      kind: 'bad_answer',
      field: 'id',
      message: expect.stringContaining('was accepted') as string,
    });
  });
});

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('a call leaves no timer behind that would keep the program running', async () => {
  const { client } = await answering({ body: { id: ids.organization } });
  const before = timers();
  await client.call(operations.get_organization, {});
  expect(timers()).toBeLessThanOrEqual(before);
});

test('the log tells of each call and each repetition, in the log of the call where one is given', async () => {
  const { url } = await startStubServer((_one, _response, count) =>
    count === 1 ? { status: 503 } : { body: { id: ids.organization } },
  );
  const lines: unknown[] = [];
  const log = {
    debug: (fields: object) => void lines.push({ level: 'debug', ...fields }),
    warn: (fields: object) => void lines.push({ level: 'warn', ...fields }),
  };
  const unused = { debug: () => expect.unreachable(), warn: () => expect.unreachable() };
  await connectClient(url, { log: unused, random: () => 0.5 }).call(
    operations.get_organization,
    {},
    { log, requestId: 'req-1' },
  );
  expect(lines).toEqual([
    { level: 'warn', operation: 'get_organization', requestId: 'req-1', status: 503, wait: 100 },
    {
      level: 'debug',
      operation: 'get_organization',
      requestId: 'req-1',
      status: 200,
      attempts: 2,
      duration: expect.any(Number) as number,
    },
  ]);
});

test('reads are named as the types of answers take them to be', () => {
  for (const { name, method } of allOperations)
    expect([name, /^(?:get|list)_/.test(name)]).toEqual([name, method === 'GET']);
});

test('answers are typed: a read always there, a change perhaps empty', () => {
  const read = { id: 'x', name: null } satisfies Answer<typeof operations.get_environment>;
  const change: Answer<typeof operations.stop_environment> = undefined;
  // @ts-expect-error a read is never undefined
  const never: Answer<typeof operations.get_environment> = undefined;
  expect([read.id, change, never]).toEqual(['x', undefined, undefined]);
});
