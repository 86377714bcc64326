import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maximumBodyBytes, rateHeaders, allOperations } from '../../../src/contract/index.ts';
import {
  type Json,
  type TestPlatform,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
} from '../../support/test-platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const json = { 'content-type': 'application/json' };
const projects = () => `/organization/${platform.organizationId}/project`;
const limitHeader = rateHeaders.limit.toLowerCase();

const expectProblem = ({ status, body, headers }: PlatformResponse, expected: number, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(expected);
  expect(Object.keys(body)).toEqual(['status', 'error', 'message', 'detail']);
  expect(headers[limitHeader]).toBeDefined();
};

describe('a path or method that is not served', () => {
  const unserved: [string, string][] = [
    ['GET', '/'],
    ['GET', '/projects'],
    ['DELETE', '/organization'],
    ['PATCH', '/organization'],
    ['OPTIONS', '/organization'],
    ['GET', '/organization/'],
    ['POST', '/organization/x/y/z'],
  ];

  test.each(unserved)('%s %s is a 404', async (method, path) => {
    expectProblem(await platform.send(method, path), 404, /There is no .*openapi\.json/);
  });

  test('asks for a token first', async () => {
    expectProblem(await platform.send('GET', '/nowhere', { authorization: null }), 401, /API token/);
  });

  test('that can not even be read is a 400, and also asks for a token first', async () => {
    expectProblem(await platform.send('GET', '/project/%zz/environment'), 400, /not a valid url/i);
    expectProblem(await platform.send('GET', '/project/%zz/environment', { authorization: null }), 401, /API token/);
  });

  test('HEAD is not served either', async () => {
    expect((await platform.send('HEAD', '/organization')).status).toBe(404);
  });
});

describe('a path id', () => {
  test('of any length is refused by name', async () => {
    expectProblem(await platform.send('GET', `/project/${'a'.repeat(5000)}/environment`), 400, /^projectId: /);
  });

  test('may be written in capitals', async () => {
    const { status, body } = await platform.send(
      'GET',
      `/environment/${platform.seed['environment_id']!.toUpperCase()}`,
    );
    expect([status, body['id']]).toEqual([200, platform.seed['environment_id']]);
  });
});

describe('a body', () => {
  const create = (body: string, headers: Record<string, string> = json) =>
    platform.send('POST', projects(), { body, headers });

  const bad: [string, string, Record<string, string>, RegExp][] = [
    ['that is not JSON', '{"name": ', json, /^body: is not valid JSON/],
    ['of another type', 'name=shop', { 'content-type': 'application/x-www-form-urlencoded' }, /^Content-Type: /],
    ['of a type that is no type', '{"name":"typeless"}', { 'content-type': 'nonsense' }, /^Content-Type: /],
    ['of no type', '{"name":"typeless"}', {}, /^Content-Type: /],
    ['that is null', 'null', json, /^body: must be an object, not /],
    ['that is a list', '[]', json, /^body: must be an object, not /],
    ['that is a text', '"name"', json, /^body: must be an object, not /],
    ['that is nested without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, json, /^body: is nested deeper/],
    ['that is empty', '', json, /^name: is required/],
  ];

  test.each(bad)('%s is a 400', async (_, body, headers, message) => {
    expectProblem(await create(body, headers), 400, message);
  });

  test('larger than the limit is a 400', async () => {
    expectProblem(
      await create(JSON.stringify({ name: 'large', description: 'x'.repeat(maximumBodyBytes) })),
      400,
      /^body: is larger than/,
    );
  });

  test('is read whatever the parameters of its type', async () => {
    expect(
      (await create('{"name":"utf-8 declared"}', { 'content-type': 'Application/JSON; charset=utf-8' })).status,
    ).toBe(201);
  });

  test('may have unknown members', async () => {
    const { status, body } = await create('{"name":"more members","colour":"red","id":"mine"}');
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('colour');
    expect(body['id']).not.toBe('mine');
  });

  test('may be absent or empty where nothing in it is needed', async () => {
    const target = `/application/${platform.seed['application_id']}/deploy`;
    for (const sent of [
      {},
      { body: '{}', headers: json },
      { body: '', headers: json },
      { body: '', headers: { 'content-type': 'text/plain' } },
    ]) {
      expect((await platform.send('POST', target, sent)).status).toBe(200);
    }
  });

  test('names each member that is wrong', async () => {
    const { body } = await platform.call('create_database', {
      environment_id: platform.seed['environment_id'],
      type: 'ORACLE',
      version: 16,
      mode: 'MANAGED',
      cpu: 1.5,
    });
    const faults = (body['message'] as string).split('; ').map((fault) => fault.split(':', 1)[0]);
    expect(faults).toEqual(['name', 'type', 'version', 'cpu']);
  });

  test('names a member deep inside it, and never its value', async () => {
    const request = {
      container_id: platform.seed['container_id'],
      name: 'c',
      registry_id: platform.seed['registry_id'],
      image_name: 'a/b',
      tag: '1',
      healthchecks: {},
    };
    const scalers = [
      { scaler_type: 'x', trigger_authentication: { name: 'n', config_yaml: { password: 'deep-secret' } } },
    ];
    const reply = await platform.call('update_container', { ...request, autoscaling: { scalers } });
    expectProblem(reply, 400, /^autoscaling\.scalers\.0\.trigger_authentication\.config_yaml: /);
    expect(reply.text).not.toContain('deep-secret');
  });

  test('may name the cluster of an environment in another way', async () => {
    const body = JSON.stringify({ name: 'by alias', mode: 'DEVELOPMENT', cluster: platform.seed['cluster_id'] });
    const { status, body: environment } = await platform.send(
      'POST',
      `/project/${platform.seed['project_id']}/environment`,
      { body, headers: json },
    );
    expect([status, environment['cluster_id']]).toEqual([201, platform.seed['cluster_id']]);
  });
});

describe('order of refusals', () => {
  test('permission comes before the body', async () => {
    const sent = { body: '{', headers: json, authorization: `Token ${platform.tokens.deploy}` };
    expectProblem(await platform.send('POST', projects(), sent), 403, /needs a token of level write/);
  });

  test('the body comes before existence', async () => {
    const target = '/organization/00000000-0000-4000-8000-000000000000/project';
    expectProblem(await platform.send('POST', target, { body: '{}', headers: json }), 400, /^name: is required/);
    expectProblem(
      await platform.send('POST', target, { body: '{"name":"x"}', headers: json }),
      404,
      /No organization has the id/,
    );
  });
});

describe('authorization', () => {
  test.each(['Token', 'token', 'Bearer', 'BEARER'])('takes the scheme %s', async (scheme) => {
    expect(
      (await platform.call('get_organization', {}, { authorization: `${scheme} ${platform.tokens.read}` })).status,
    ).toBe(200);
  });

  test.each(['Basic dXNlcjpwYXNz', 'Token', 'Token ', '', 'made-up', 'Token two words'])(
    'refuses "%s"',
    async (authorization) => {
      expectProblem(await platform.call('get_organization', {}, { authorization }), 401, /Authorization: Token/);
    },
  );
});

const page = (query: string) => platform.send('GET', `${projects()}${query}`);
const history = (query: string) => platform.send('GET', `/job/${platform.seed['job_id']}/deploymentHistoryV2${query}`);

describe('pages', () => {
  beforeAll(async () => {
    for (const number of [1, 2, 3, 4, 5])
      await platform.must('create_project', { organization_id: platform.organizationId, name: `paged ${number}` });
  });

  test('without page members everything comes, and no pagination', async () => {
    const { body } = await page('');
    expect(rowsOf(body).length).toBeGreaterThan(5);
    expect(body).not.toHaveProperty('pagination');
  });

  test('pages put together are the whole, in its order', async () => {
    const allRows = rowsOf((await page('')).body);
    const pages: Json[] = [];
    for (let number = 1; pages.length < allRows.length; number++) {
      const { body } = await page(`?page=${number}&page_size=2`);
      expect(body['pagination']).toEqual({
        page: number,
        page_size: 2,
        total_count: allRows.length,
        total_pages: Math.ceil(allRows.length / 2),
      });
      pages.push(...rowsOf(body));
    }
    expect(pages).toEqual(allRows);
  });

  test('a page after the last is empty', async () => {
    const { body } = await page('?page=1000&page_size=2');
    expect(rowsOf(body)).toEqual([]);
    expect(body['pagination']).toMatchObject({ page: 1000, total_count: expect.any(Number) });
  });

  test('either member alone is enough', async () => {
    expect((await page('?page=1')).body).toHaveProperty('pagination.page', 1);
    expect((await page('?page_size=1')).body).toHaveProperty(
      'pagination',
      expect.objectContaining({ page: 1, page_size: 1 }),
    );
  });

  test.each([
    'page_size=101',
    'page_size=0',
    'page_size=-1',
    'page=0',
    'page=1.5',
    'page=one',
    'page=',
    'page=0x1',
    'page=1&page=2',
  ])('?%s is a 400 that names it', async (query) => {
    expectProblem(await page(`?${query}`), 400, new RegExp(`^${query.split('=', 1)[0]}: `));
  });

  test('unknown query parameters are ignored', async () => {
    expect((await page('?colour=red')).status).toBe(200);
  });

  test('histories take pageSize, null included, and say which page they are', async () => {
    expect((await history('')).body).toMatchObject({ page: 1, page_size: 20 });
    expect((await history('?pageSize=null')).body).toMatchObject({ page: 1, page_size: 20 });
    const one = await history('?pageSize=1&page=2');
    expect(one.body).toMatchObject({ page: 2, page_size: 1 });
    expect(rowsOf(one.body)).toHaveLength(1);
    expectProblem(await history('?pageSize=101'), 400, /^pageSize: /);
  });
});

describe('GET /openapi.json', () => {
  test('needs no token and lists every operation', async () => {
    const { status, body, headers } = await platform.send('GET', '/openapi.json', { authorization: null });
    expect(status).toBe(200);
    expect(headers[limitHeader]).toBeDefined();
    const paths = body['paths'] as Record<string, Json>;
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map((operation) => (operation as Json)['operationId']),
    );
    expect(ids).toHaveLength(allOperations.length);
    expect(new Set(ids)).toEqual(new Set(allOperations.map(({ name }) => name)));
  });
});
