import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

// REGION is set on the project, and search has its own; the environment gets one in between.
let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.must('create_variable_of_environment', {
    environment_id: platform.seed['environment_id'],
    key: 'REGION',
    value: 'eu-north-1',
  });
  connectors = connectorsTo(platform.url, platform.token);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function call(tool: string, args: Json, from: Connectors = connectors) {
  const user = userAnswering(agree);
  const result = await (await from.modern(user)).call(tool, args);
  const answer = (result.structuredContent ?? {}) as Json;
  return {
    text: textOf(result),
    isError: result.isError === true,
    rows: (answer['results'] ?? []) as Json[],
    asked: user.questions.length,
  };
}

const stored = (): unknown => platform.dump()['variable'];

test.each([{}, { project: 'shop' }, { environment: 'shop/staging' }])(
  'found in %j, a key says which value counts where, by path',
  async (place) => {
    const { rows } = await call('list_environment_variables', { key: 'REGION', ...place });
    expect(
      rows.filter(({ key }) => key === 'REGION').map(({ path, value, overridden_at: at }) => [path, value, at]),
    ).toEqual([
      ['shop', 'eu-west-3', 'shop/staging, shop/staging/search'],
      ['shop/staging', 'eu-north-1', 'shop/staging/search'],
      ['shop/staging/search', 'eu-central-1', undefined],
    ]);
    const seers = Object.fromEntries(rows.map(({ path, seen_by: by }) => [path, by]));
    expect(seers['shop/staging']).toContain('checkout-api');
    expect(seers['shop/staging']).not.toContain('search');
    expect(seers['shop']).not.toContain('staging/');
  },
);

/** The values of REGION that nothing overrides. */
const winners = async (args: Json) =>
  (await call('list_environment_variables', args)).rows
    .filter(({ key, overridden_at: at }) => key === 'REGION' && at === undefined)
    .map(({ value }) => value);

test('of one service, the value that counts there is the one that nothing overrides', async () => {
  for (const [service, value] of [
    ['shop/staging/checkout-api', 'eu-north-1'],
    ['shop/staging/search', 'eu-central-1'],
    ['shop/production/search', 'eu-west-3'],
  ] as const) {
    expect(await winners({ service, key: 'REGION' }), service).toEqual([value]);
    expect(await winners({ service }), service).toEqual([value]);
  }
});

test.each([
  [{ environment: 'shop/staging' }, ['PROJECT shop', 'ENVIRONMENT shop/staging']],
  [{ service: 'shop/staging/checkout-api' }, ['PROJECT shop', 'ENVIRONMENT shop/staging']],
  [{ service: 'shop/staging/search' }, ['CONTAINER shop/staging/search', 'PROJECT shop', 'ENVIRONMENT shop/staging']],
])('a change of the key in %j is not guessed: the places are named, and nothing is sent', async (place, places) => {
  const before = stored();
  const { text, isError, asked } = await call('update_environment_variable', {
    ...place,
    variable: 'REGION',
    value: 'moved',
  });
  expect([isError, asked]).toEqual([true, 0]);
  expect(text.match(/(?<=set on ).*(?= · id)/g)).toEqual(places);
  expect(text.match(/(?<= · id )[0-9a-f-]{36}/g)).toHaveLength(places.length);
  expect(stored()).toEqual(before);
});

test('what a service only inherits is not deleted there: every place that sets it is named', async () => {
  const before = stored();
  const { text, isError, asked } = await call('delete_environment_variable', {
    service: 'shop/staging/checkout-api',
    key: 'REGION',
  });
  expect([isError, asked]).toEqual([true, 0]);
  expect(text.match(/(?<=REGION of scope ).*(?= · id)/g)).toEqual(['ENVIRONMENT: shop/staging', 'PROJECT: shop']);
  expect(stored()).toEqual(before);
});

test('where one place has a variable and a secret of a key, its deletion is not guessed', async () => {
  const secret = 'b2d5c8b0-6f0a-4a4e-9c55-0d6f2f3f9a11';
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => {
      if (method !== 'GET' || !/^\/environment\/[^/]+\/secret/.test(path)) return body;
      const list = body as { results: Json[] };
      return {
        ...list,
        results: [{ ...list.results[0], id: secret, key: 'REGION', scope: 'ENVIRONMENT', variable_type: 'VALUE' }],
      };
    },
  });
  const others = connectorsTo(proxy.url, platform.token);
  const place = { environment: 'shop/staging', key: 'REGION', dry_run: true };
  const refused = await call('delete_environment_variable', place, others);
  expect(refused.isError, refused.text).toBe(true);
  expect(refused.text.match(/(?<=ENVIRONMENT: shop\/staging · id ).*/g)).toContain(secret);
  const byId = await call('delete_environment_variable', { ...place, key: secret }, others);
  expect(byId.isError, byId.text).toBe(false);
  await others.close();
  await proxy.close();
});

test('deleted where it is set, the value of the place around it counts', async () => {
  const { text, isError } = await call('delete_environment_variable', { environment: 'shop/staging', key: 'REGION' });
  expect(isError, text).toBe(false);
  const ofEnvironment = await platform.must('list_variables_of_environment', {
    environment_id: platform.seed['environment_id'],
  });
  expect(
    rowsOf(ofEnvironment)
      .filter(({ key }) => key === 'REGION')
      .map(({ scope }) => scope),
  ).toEqual(['PROJECT']);
  expect(text).toContain('eu-west-3');
});
