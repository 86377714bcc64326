import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRecord, recordsIn } from '../../src/server/json/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const environments = 60;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: 1000 });
  const { id: project_id } = await platform.must('create_project', {
    organization_id: platform.organizationId,
    name: 'wide',
  });
  for (let index = 0; index < environments; index += 1)
    await platform.must('create_environment', {
      project_id,
      name: `e${index}`,
      mode: 'DEVELOPMENT',
      cluster_id: platform.seed['cluster_id'],
    });
  proxy = await startRecordingProxy(platform.url);
  connectors = connectorsTo(proxy.url, platform.tokens.read);
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

/** What a search answers, and the paths that it asked for. */
async function find(args: Record<string, unknown>) {
  const client = await connectors.modern();
  const before = proxy.requests.length;
  const result = await client.call('find_resource', args);
  const { results, unseen } = result.structuredContent as {
    results: { path: string; kind: string; state?: string }[];
    unseen?: number;
  };
  return { text: textOf(result), results, unseen, asked: proxy.requests.slice(before) };
}

const services = (asked: readonly string[]): string[] =>
  asked.filter((one) => /\/environment\/[^/]+\/services$/.test(one));

const wideList = /^\/organization\/[^/]+\/(?:environments|services)$/;

/** A list whose rows have no status. */
const withoutStatuses = (body: unknown): unknown =>
  isRecord(body)
    ? { ...body, results: recordsIn(body['results']).map((row) => ({ ...row, status: undefined })) }
    : body;

/** Uses a platform that answers the lists of a whole organization otherwise. */
async function withWideLists(
  answered: Pick<RecordingProxyOptions, 'alter' | 'beforeRequest'>,
  use: (others: Connectors, near: RecordingProxy) => Promise<void>,
): Promise<void> {
  const near = await startRecordingProxy(platform.url, answered);
  const others = connectorsTo(near.url, platform.tokens.read);
  try {
    await use(others, near);
  } finally {
    await others.close();
    await near.close();
  }
}

const refused: Pick<RecordingProxyOptions, 'beforeRequest'> = {
  beforeRequest: (_method, { url }, response) => {
    if (wideList.test(url!)) response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"no"}');
    return Promise.resolve();
  },
};

const into = (asked: readonly string[]): string[] =>
  asked.filter((one) => /\/environment\/[^/]+\/(services|statuses)$/.test(one));

test('a bare search asks no further once it has as much as it shows, and says so', async () => {
  const { results, asked, unseen, text } = await find({});
  expect(results).toHaveLength(50);
  expect(into(asked).filter((one) => one.endsWith('/services'))).toEqual([]);
  expect(unseen).toBe(environments + 3);
  expect(text).toContain(
    `It ended early, with as many rows as limit allows: ${unseen} projects and environments were not looked into (shop/staging, shop/production, `,
  );
  expect(text).toMatch(/The states in \d+ environments were not read, to spare requests/);
  expect(results.find(({ path }) => path === 'wide/e40')).toMatchObject({ state: 'not read' });
});

test('no row has a blank state: what is not known is said to be, and projects have none', async () => {
  const silent = await startRecordingProxy(platform.url, {
    alter: (_method, path, body) =>
      path.endsWith('/statuses')
        ? { environment: { state: 'DEPLOYED' }, applications: [] }
        : wideList.test(path)
          ? withoutStatuses(body)
          : body,
  });
  const others = connectorsTo(silent.url, platform.tokens.read);
  const result = await (await others.modern()).call('find_resource', { name: 'shop/staging' });
  await others.close();
  await silent.close();
  const { results } = result.structuredContent as { results: { kind: string; state?: string }[] };
  expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['not known']));
  const { text } = await find({ name: 'shop' });
  expect(text).toMatch(/^shop \| project \|.* \| - \| /m);
});

test('an overview costs few requests, even where it could show more', async () => {
  const { asked, results, unseen } = await find({ limit: 500 });
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(18);
  expect(results.filter(({ kind }) => kind === 'environment')).toHaveLength(environments + 3);
  expect(unseen).toBe(environments + 3 - services(asked).length);
});

test('a search for a kind asks until it has enough', async () => {
  const { results, asked, unseen } = await find({ kind: 'application', limit: 2 });
  expect(results.map(({ kind }) => kind)).toEqual(['application', 'application']);
  expect(into(asked).length).toBeLessThanOrEqual(8);
  expect(unseen).toBe(environments + 3 - services(asked).length);
});

test('a search for a state lists the services only of environments where something is so', async () => {
  const { results, asked } = await find({ project: 'shop', state: 'READY' });
  expect((await find({ project: 'shop', state: 'NEVER_DEPLOYED' })).results).toEqual(results);
  expect(results.map(({ path }) => path)).toEqual(['shop/staging/storefront']);
  expect(into(asked).filter((one) => one.endsWith('/services'))).toHaveLength(1);
  const none = await find({ project: 'shop', state: 'NO_SUCH_STATE' });
  expect(into(none.asked).every((one) => one.endsWith('/statuses'))).toBe(true);
  expect(none.text).toContain('States there are:');
});

test('a search for a name that is nowhere ends after a number of requests, and says what it left out', async () => {
  await withWideLists(refused, async (others, { requests }) => {
    const result = await (await others.modern()).call('find_resource', { name: 'nothing-like-it' });
    expect(requests.length).toBeLessThanOrEqual(44);
    expect(result.structuredContent).toMatchObject({ unseen: environments + 3 - services(requests).length });
    expect(textOf(result)).toMatch(/Nothing is like that\..*\nIt ended early/);
  });
});

test('a name is looked for in many environments by one list', async () => {
  const { results, asked, text } = await find({ name: 'e40' });
  expect(results.map(({ path }) => path)).toEqual(['wide/e40']);
  expect(services(asked)).toEqual([]);
  expect(text).not.toContain('ended early');
  const { results: found, asked: all } = await find({ name: 'checkout' });
  expect(found.map(({ path }) => path)).toContain('shop/staging/checkout-api');
  expect(services(all)).toEqual([]);
  expect(found.find(({ path }) => path === 'shop/staging/checkout-api')).toMatchObject({ state: 'DEPLOYED' });
});

test.each<[string, (rows: readonly object[]) => object]>([
  ['has a row that can not be read', (rows) => ({ results: [...rows, null] })],
  [
    'has a row of a place that it does not tell',
    ([first, ...rows]) => ({ results: [{ ...first, environment_id: undefined }, ...rows] }),
  ],
  ['has fewer rows than there are', ([, ...rows]) => ({ results: rows, pagination: { total_count: rows.length + 1 } })],
  ['has no rows', () => ({})],
])('each environment is asked where the list of all services %s', async (_, altered) => {
  const answered: RecordingProxyOptions = {
    alter: (_method, path, body) =>
      /^\/organization\/[^/]+\/services$/.test(path) ? altered((body as { results: object[] }).results) : body,
  };
  await withWideLists(answered, async (others, { requests }) => {
    const result = await (await others.modern()).call('find_resource', { name: 'checkout' });
    const { results } = result.structuredContent as { results: { path: string }[] };
    expect(results.map(({ path }) => path)).toContain('shop/staging/checkout-api');
    expect(services(requests).length).toBeGreaterThan(10);
  });
});

test('a place that was given is looked into whole', async () => {
  const { results, unseen, text } = await find({ environment: 'shop/staging' });
  expect(results.length).toBeGreaterThan(5);
  expect(unseen).toBeUndefined();
  expect(text).not.toContain('ended early');
});

test('states are shown without being asked for', async () => {
  const { results } = await find({ name: 'shop/staging' });
  expect(results.find(({ path }) => path === 'shop/staging/checkout-api')).toMatchObject({ state: 'DEPLOYED' });
  expect(results.find(({ path }) => path === 'shop/staging')).toMatchObject({ state: 'DEPLOYED' });
});

test('what failed includes clusters whose credentials are refused, and what runs goes by either word', async () => {
  const { results } = await find({ state: 'ERROR' });
  expect(results).toContainEqual(expect.objectContaining({ kind: 'cluster', state: 'INVALID_CREDENTIALS' }));
  expect((await find({ state: 'RUNNING', environment: 'shop/staging' })).results.length).toBeGreaterThan(3);
});

test('an image that is no name leads to the list of images, so that nobody takes it for unused', async () => {
  const { text, results } = await find({ name: 'acme/report', project: 'shop' });
  expect(results).toEqual([]);
  expect(text).toMatch(/Next: list_services \{"project":"[-0-9a-f]{36}","fields":\["path","image","tag"\]\}/);
  const { text: misspelt } = await find({ name: 'storefrnot', project: 'shop' });
  expect(misspelt).toContain('Did you mean');
  expect(misspelt).not.toContain('Next: list_services');
});

test.each(['database', 'Databases'])(
  'the word %s, which nothing is called, leads to all of this kind',
  async (name) => {
    const { text, results } = await find({ name, environment: 'shop/staging' });
    expect(results).toEqual([]);
    expect(text).toContain('database is a kind');
    expect(text).toMatch(/^Next: find_resource \{"kind":"database","environment":"[^"]+"\}/m);
  },
);

test('nothing is left out of a budget that is nearly whole', async () => {
  platform = await platform.restart({ rateLimit: 100_000 });
  const ample = connectorsTo(platform.url, platform.tokens.read);
  const result = await (await ample.modern()).call('find_resource', { name: 'nothing-like-it' });
  await ample.close();
  expect(textOf(result)).not.toContain('ended early');
});

test('what could not be read is not said to be without a match', async () => {
  const broken = await startRecordingProxy(platform.url, {
    alter: (_method, path, body) => (/\/(statuses|services)$/.test(path) ? 'broken' : body),
  });
  const others = connectorsTo(broken.url, platform.tokens.read);
  const client = await others.modern();
  for (const wanted of [{ state: 'ERROR' }, { name: 'storefront' }]) {
    const text = textOf(await client.call('find_resource', { environment: 'shop/staging', ...wanted }));
    expect(text).toContain('Nothing is like that in what could be read: not everything could.');
    expect(text).not.toContain('States there are');
  }
  await others.close();
  await broken.close();
});

test('no more is asked than half of what is left', async () => {
  platform = await platform.restart({ rateLimit: 40 });
  await withWideLists(refused, async (few, { requests }) => {
    const result = await (await few.modern()).call('find_resource', { name: 'nothing-like-it' });
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.length).toBeLessThanOrEqual(24);
    expect(textOf(result)).toContain('It ended early');
  });
});
