import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.must('create_secret', {
    application_id: platform.seed['application_id'],
    key: 'DATABASE_URL',
    value: 'correct-horse-battery',
  });
  connectors = connectorsTo(platform.url, platform.tokens.read);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function list(args: Json, from: Connectors = connectors) {
  const result = await (await from.modern()).call('list_environment_variables', args);
  const answer = (result.structuredContent ?? {}) as Json;
  return { text: textOf(result), isError: result.isError === true, answer, rows: (answer['results'] ?? []) as Json[] };
}

/** The same calls of a platform that refuses some requests with a status, and the requests that it got. */
async function listBehind(status: (path: string) => number | undefined, args: Json) {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request: IncomingMessage, response) => {
      const refused = status(request.url!);
      if (refused !== undefined)
        response.writeHead(refused, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.read);
  const answered = await list(args, others);
  await others.close();
  await proxy.close();
  return { ...answered, requests: proxy.requests };
}

test('a key is found wherever it is set, with who sees it, and what stands for it', async () => {
  const { rows } = await list({ key: 'REGION' });
  expect(rows).toMatchObject([
    { path: 'shop', key: 'REGION', value: 'eu-west-3', scope: 'PROJECT' },
    { path: 'shop/staging/checkout-api', key: 'AWS_REGION', seen_by: 'itself' },
    { path: 'shop/staging/search', key: 'REGION', value: 'eu-central-1', seen_by: 'itself' },
  ]);
  // The one with a value of its own is not among those that see the shared one.
  expect(rows[0]!['seen_by']).toContain('staging/checkout-api');
  expect(rows[0]!['seen_by']).not.toContain('staging/search');
  // All that do are named.
  expect(rows[0]!['seen_by']).toContain('production/search');
  expect(rows[0]!['seen_by']).not.toMatch(/ more$/);
});

test('one in an environment names the services there, and one around it says that there are others', async () => {
  const { rows } = await list({ key: 'LOG_LEVEL', environment: 'shop/production' });
  expect(rows).toMatchObject([{ path: 'shop/production', value: 'warn', seen_by: 'checkout-api, search' }]);
  const wider = await list({ key: 'REGION', environment: 'shop/production' });
  expect(wider.rows).toMatchObject([
    { path: 'shop', seen_by: 'production/checkout-api, production/search, of shop/production' },
  ]);
});

test('of a secret there is no value, in any form', async () => {
  const { rows, text } = await list({ key: 'DATABASE_URL', project: 'shop' });
  expect(rows).toMatchObject([{ path: 'shop/staging/checkout-api', is_secret: true, seen_by: 'itself' }]);
  expect(rows[0]).not.toHaveProperty('value');
  expect(text).not.toContain('correct-horse');
});

test('a key of one service is told without claiming who else sees it', async () => {
  const { rows } = await list({ key: 'REGION', service: 'shop/production/checkout-api' });
  expect(rows).toMatchObject([{ path: 'shop', key: 'REGION' }]);
  expect(rows[0]).not.toHaveProperty('seen_by');
});

test('built-in ones come last', async () => {
  const { rows } = await list({ key: 'PLATFORM_ENVIRONMENT_MODE' });
  expect(rows.map(({ path }) => path)).toEqual(['shop/staging', 'shop/production', 'data/development']);
});

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['regoin', 'REGION'],
  ['licence', 'LICENCE_TOKEN'],
])('where there is no %s, it is not said to be elsewhere, and %s is named', async (key, nearest) => {
  const { text, answer } = await list({ key });
  expect(answer).toMatchObject({ results: [], missing: key, nearest });
  expect(text).toContain(`No variable or secret ${key} in any place; nearest: ${nearest}.`);
});

test('where the key of a connection is missing, what the database gives by its id is named', async () => {
  const { answer } = await list({ key: 'DATABASE_URL', environment: 'shop/production' });
  expect(answer).toMatchObject({ results: [], missing: 'DATABASE_URL' });
  expect(answer['nearest']).toMatch(/(?:^|, )DATABASE_[0-9A-Z]+_HOST/);
});

test('a place and another place are one too many', async () => {
  const { isError, text } = await list({ key: 'REGION', project: 'shop', environment: 'shop/staging' });
  expect([isError, text]).toEqual([true, expect.stringContaining('exactly one of')]);
});

test('without the lists of everything, each place is asked, and the answer is the same', async () => {
  const wide = await list({ key: 'REGION' });
  const { rows, requests } = await listBehind(
    (path) => (/^\/organization\/[^/]+\/(?:services|environments)(?:\?|$)/.test(path) ? 404 : undefined),
    { key: 'REGION' },
  );
  expect(rows).toEqual(wide.rows);
  expect(requests.some((one) => /\/environment\/[^/]+\/services$/.test(one))).toBe(true);
});

test('what could not be read is named, and nothing is said to be missing there', async () => {
  const { application_id: broken } = platform.seed;
  const isAboutIt = (path: string): boolean =>
    path.startsWith(`/application/${broken}/`) || path.includes(`parent_id=${broken}`);
  const { text, rows } = await listBehind((path) => (isAboutIt(path) ? 500 : undefined), { key: 'DATABASE_URL' });
  expect(rows).toEqual([]);
  expect(text).toContain('No variable or secret DATABASE_URL in any place, in what could be read');
  expect(text).toContain('Could not be read, and are missing here: shop/staging/checkout-api.');
});

test('secrets that could not be read are named', async () => {
  const { text } = await listBehind(
    (path) => (/\/container\/[^/]+\/secret|\/variable\?scope=CONTAINER/.test(path) ? 403 : undefined),
    { key: 'SHARED_TOKEN', project: 'shop' },
  );
  expect(text).toMatch(/Of these the secrets could not be read: .*shop\/staging\/search/);
});

test('a server that is kept to a project looks for a key there only, and says so', async () => {
  const projects = rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId }));
  const other = projects.find(({ name }) => name !== 'shop')!;
  await platform.must('create_variable_of_project', { project_id: other['id'], key: 'REGION', value: 'elsewhere' });
  expect((await list({ key: 'REGION' })).rows.map(({ value }) => value)).toContain('elsewhere');
  const kept = await connectors.modern(undefined, {
    readOnly: true,
    scope: { project: { name: 'shop', setBy: '--project' } },
  });
  const result = await kept.call('list_environment_variables', { key: 'REGION' });
  const { results } = result.structuredContent as { results: Json[] };
  expect(results.map(({ path }) => path)).toEqual(['shop', 'shop/staging/checkout-api', 'shop/staging/search']);
  expect(textOf(result)).toContain('Looked at: shop.');
  expect(JSON.stringify(result)).not.toContain('elsewhere');
});

test('what is left out to spare requests is named', async () => {
  const few = await platform.restart({ rateLimit: 24 });
  platform = few;
  const sparing = connectorsTo(few.url, few.tokens.read);
  const { text } = await list({ key: 'NOWHERE' }, sparing);
  await sparing.close();
  expect(text).toContain('No variable or secret NOWHERE in any place, in what could be read');
  expect(text).toMatch(/Not looked into, to spare requests: .*data\/development/);
});
