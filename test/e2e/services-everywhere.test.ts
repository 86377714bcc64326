import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.read);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function list(args: Json, from: Connectors = connectors) {
  const result = await (await from.modern()).call('list_services', args);
  const answer = (result.structuredContent ?? {}) as Json;
  const rows = (answer['results'] ?? []) as Json[];
  return { text: textOf(result), isError: result.isError === true, answer, rows };
}

interface Behind {
  readonly refuses?: (path: string) => number | undefined;
  readonly alter?: (path: string, body: unknown) => unknown;
  readonly remaining?: number;
}

/** The same of a platform that refuses some requests, or whose answers are altered. */
async function listBehind(args: Json, { refuses = () => undefined, alter = (_, body) => body, remaining }: Behind) {
  const reset = Math.ceil(Date.now() / 1000) + 3600;
  const proxy = await startRecordingProxy(platform.url, {
    responseHeaders: (): Record<string, string> =>
      remaining === undefined
        ? {}
        : {
            'x-ratelimit-limit': '1000',
            'x-ratelimit-remaining': String(remaining),
            'x-ratelimit-reset': String(reset),
          },
    alter: (_, path, body) => alter(path, body),
    beforeRequest: async (_, request: IncomingMessage, response) => {
      const status = refuses(request.url!);
      if (status !== undefined)
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.read);
  const answered = await list(args, others);
  await others.close();
  await proxy.close();
  return { ...answered, requests: proxy.requests };
}

const rowAt = (rows: readonly Json[], path: string): Json | undefined => rows.find((row) => row['path'] === path);

test('without a place, the services of every environment are listed, production first', async () => {
  const { rows, answer, text } = await list({});
  const environments = [...new Set(rows.map(({ path }) => String(path).split('/').slice(0, 2).join('/')))];
  expect(environments).toEqual(['shop/production', 'shop/staging', 'data/development']);
  expect(answer['looked_at']).toBe('3 environments');
  expect(answer['pagination']).toMatchObject({ total_count: rows.length });
  expect(text).toContain('Looked at: 3 environments.');
});

test('each row has what is configured and its size, by its kind', async () => {
  const { rows } = await list({ project: 'shop' });
  expect(rowAt(rows, 'shop/production/search')).toMatchObject({
    kind: 'container',
    image: expect.any(String),
    tag: expect.any(String),
    cpu: expect.any(Number),
    memory: expect.any(Number),
    instances: expect.any(String),
  });
  expect(rowAt(rows, 'shop/production/checkout-api')).toMatchObject({
    kind: 'application',
    repository: expect.any(String),
    branch: expect.any(String),
    commit: expect.stringMatching(/^[0-9a-f]{7}$/),
  });
  expect(rowAt(rows, 'shop/staging/orders-db')).toMatchObject({
    kind: 'database',
    type: 'POSTGRESQL',
    version: expect.any(String),
    storage: expect.any(Number),
  });
});

test('a service that runs something else than is configured shows both', async () => {
  const { environment_id: staging } = platform.seed;
  const { rows } = await listBehind(
    { project: 'shop' },
    {
      alter: (path, body) => {
        if (path === `/environment/${staging}/services`)
          return {
            ...(body as Json),
            results: (body as { results: Json[] }).results.map((row) =>
              row['name'] === 'search' ? { ...row, tag: 'not-yet-deployed' } : row,
            ),
          };
        if (path !== `/environment/${staging}/statuses`) return body;
        const containers = (body as { containers: Json[] }).containers;
        const old = containers.map((row) => ({ ...row, service_deployment_status: 'OUT_OF_DATE' }));
        return { ...(body as Json), containers: old };
      },
    },
  );
  expect(rowAt(rows, 'shop/production/search')).not.toHaveProperty('running');
  const search = rowAt(rows, 'shop/staging/search');
  expect(search).toMatchObject({ tag: 'not-yet-deployed', running: expect.stringMatching(/\d/) });
});

test('what was never deployed is told from what runs as configured, whatever its kind', async () => {
  const { rows, text } = await list({});
  expect(rowAt(rows, 'shop/staging/storefront')).toMatchObject({ state: 'READY', running: 'nothing' });
  expect(rowAt(rows, 'data/development/migrate-schema')).toMatchObject({ state: 'READY', running: 'nothing' });
  expect(rowAt(rows, 'shop/staging/nightly-report')).not.toHaveProperty('running');
  expect(text).toContain('running is empty where what is configured runs');
});

test('what is measured is shown, and what is not is said', async () => {
  const simulated = await list({ project: 'shop' });
  expect(new Set(simulated.rows.map(({ usage }) => usage))).toEqual(new Set(['not measured']));
  expect(simulated.answer['disk']).toBe('not measured');
  const restarts = await list({ fields: ['path', 'restarts'] });
  expect(rowAt(restarts.rows, 'shop/staging/search')).toMatchObject({ restarts: 'not measured' });
  expect(restarts.answer).not.toHaveProperty('empty_columns');
  expect(simulated.text).toContain('Disk, and how full databases are: not measured.');
  const usage = { measured_at: new Date().toISOString(), cpu: 60, cpu_limit: 500, memory: 210, memory_limit: 512 };
  const { rows } = await listBehind(
    { project: 'shop' },
    {
      alter: (path, body) =>
        path.endsWith('/statuses')
          ? {
              ...(body as Json),
              databases: (body as { databases: Json[] }).databases.map((row) => ({
                ...row,
                running: { instances: 1, restarts: 3, warnings: [], usage: { ...usage, missing: [] } },
              })),
            }
          : body,
    },
  );
  expect(rowAt(rows, 'shop/staging/orders-db')).toMatchObject({
    usage: expect.stringContaining('memory 210 of 512 MB'),
    restarts: 3,
  });
});

test('an environment keeps its own list, with everything that is configured', async () => {
  const { rows, answer } = await list({ environment: 'shop/staging' });
  expect(rows).toContainEqual(expect.objectContaining({ name: 'search', image_name: expect.any(String) }));
  expect(answer).not.toHaveProperty('looked_at');
});

test.each([403, 404, 500])('an environment that cannot be read (%i) is named, and not called empty', async (status) => {
  const { environment_id: staging } = platform.seed;
  const { rows, text, answer } = await listBehind(
    { project: 'shop' },
    { refuses: (path) => (path.startsWith(`/environment/${staging}/services`) ? status : undefined) },
  );
  expect(rows.map(({ path }) => path)).not.toContainEqual(expect.stringMatching(/^shop\/staging/));
  expect(rows).not.toEqual([]);
  expect(answer).toMatchObject({ looked_at: '1 environment of shop', unread: 'shop/staging' });
  expect(text).toContain('Could not be read, and are missing here: shop/staging.');
});

test('without the states, the configuration is shown, and what is lacking is said', async () => {
  const { environment_id: staging } = platform.seed;
  const { rows, answer } = await listBehind(
    { project: 'shop' },
    { refuses: (path) => (path === `/environment/${staging}/statuses` ? 500 : undefined) },
  );
  expect(rowAt(rows, 'shop/staging/search')).toMatchObject({ tag: expect.any(String), running: 'not known' });
  expect(answer).toMatchObject({ partly_read: 'shop/staging' });
});

test('with few requests left, production is read, and what was not is named', async () => {
  const { rows, text } = await listBehind({}, { remaining: 8 });
  const paths = rows.map(({ path }) => String(path));
  expect(paths).toContainEqual('shop/production/search');
  expect(paths.filter((path) => path.startsWith('data/'))).toEqual([]);
  expect(text).toMatch(/Not looked into, to spare requests: .*data\/development\. Give the project or environment/);
});

test('pages follow each other, and columns are chosen', async () => {
  const all = await list({});
  const second = await list({ page: 2, page_size: 3 });
  expect(second.rows).toEqual(all.rows.slice(3, 6));
  const { rows, text } = await list({ fields: ['path', 'image', 'tag'], project: 'shop' });
  expect(rowAt(rows, 'shop/production/search')).toEqual({
    path: 'shop/production/search',
    image: expect.any(String),
    tag: expect.any(String),
  });
  expect(text).toContain('Looked at: 2 environments of shop.');
});

test('a chosen column has what is configured, however many places there are', async () => {
  const { rows, answer, text } = await list({
    fields: ['path', 'name', 'min_running_instances', 'healthchecks', 'environment.id'],
  });
  expect(rowAt(rows, 'shop/production/checkout-api')).toEqual({
    path: 'shop/production/checkout-api',
    name: 'checkout-api',
    min_running_instances: 3,
    healthchecks: expect.any(Object),
    environment: { id: expect.any(String) },
  });
  expect(answer).not.toHaveProperty('empty_columns');
  expect(text).not.toContain('No row has anything');
});

test('the columns of several places are there for one environment, too', async () => {
  const { rows, answer } = await list({
    environment: 'shop/production',
    fields: ['path', 'image', 'state', 'instances', 'cpu'],
  });
  expect(rowAt(rows, 'shop/production/search')).toEqual({
    path: 'shop/production/search',
    image: 'acme/search',
    state: 'DEPLOYED',
    instances: 'at least 2',
    cpu: expect.any(Number),
  });
  expect(answer).toMatchObject({ looked_at: '1 environment' });
  expect(answer).not.toHaveProperty('empty_columns');
});

test('a project and an environment exclude each other', async () => {
  expect((await list({ project: 'shop', environment: 'shop/staging' })).isError).toBe(true);
});

test('of one service, too, what is not measured is said: no answer is no sign of an empty disk', async () => {
  const { structuredContent } = await (
    await connectors.modern()
  ).call('get_service', { service: 'shop/staging/orders-db' });
  expect(structuredContent).toMatchObject({ usage: 'not measured, nor is disk' });
});
