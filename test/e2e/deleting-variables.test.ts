import { afterAll, beforeAll, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import type { NextCall } from '../../src/server/tool/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function deleting(args: Json, user = userAnswering(agree)) {
  const result = await (await connectors.modern(user)).call('delete_environment_variable', args);
  return {
    text: textOf(result),
    isError: result.isError === true,
    answer: (result.structuredContent ?? {}) as Json,
    question: user.questions[0]?.message ?? '',
    next: (result._meta?.[metaKeys.next] ?? []) as readonly NextCall[],
  };
}

const stored = (): string[] =>
  (platform.dump()['variable'] as Json[]).map(({ key, scope }) => `${String(scope)} ${String(key)}`);
const without = (before: string[], ...gone: string[]): string[] => before.filter((one) => !gone.includes(one));
const outOfDate = (): string[] =>
  (platform.dump()['service'] as Json[])
    .filter(({ deployment_status }) => deployment_status === 'OUT_OF_DATE')
    .map(({ id }) => String(id));

test('an override is deleted, and the plan and the answer say which value counts then', async () => {
  const before = stored();
  const { question, answer, text } = await deleting({ service: 'shop/staging/search', key: 'REGION' });
  expect(question).toContain('Deletes REGION, now eu-central-1, of scope CONTAINER.');
  expect(question).toContain('Then counts: eu-west-3, of scope PROJECT.');
  expect(answer).toMatchObject({
    deleted: 'REGION',
    of: 'shop/staging/search',
    counts_now: 'eu-west-3',
    scope: 'PROJECT',
  });
  expect(text).toContain('Services that run with it lose it with their next deployment.');
  expect(stored().toSorted()).toEqual(without(before, 'CONTAINER REGION').toSorted());
  expect(outOfDate()).toEqual([platform.seed['container_id']]);
});

test('the answer proposes the deployment that brings it into effect, at the commit that runs', async () => {
  const application_id = platform.seed['application_id'];
  await platform.must('create_environment_variable', { application_id, key: 'OWN_FLAG', value: 'on' });
  const { next } = await deleting({ service: 'shop/staging/checkout-api', key: 'OWN_FLAG' });
  const deployed = (await platform.must('get_application', { application_id }))['git_repository'] as Json;
  expect(next).toEqual([
    expect.objectContaining({
      tool: 'deploy_application',
      arguments: { application: application_id, commit: deployed['deployed_commit_id'] },
    }),
  ]);
});

test('of an environment: which services see it, which keep their own, and what goes with it', async () => {
  const overridden = {
    container_id: platform.seed['container_id'],
    environment_variable_id: platform.seed['environment_variable_id'],
  };
  await platform.must('override_environment_variable', { ...overridden, value: 'debug' });
  await platform.must('create_environment_variable', {
    application_id: platform.seed['application_id'],
    key: 'LOG_LEVEL',
    value: 'trace',
  });
  const before = stored();
  const declined = await deleting(
    { environment: 'shop/staging', key: 'LOG_LEVEL' },
    userAnswering(() => ({ action: 'decline' })),
  );
  expect(declined.question).toMatch(/Seen by: .*storefront.*\./);
  expect(declined.question).not.toMatch(/Seen by: .*checkout-api/);
  expect(declined.question).toMatch(/^Keep .* LOG_LEVEL: checkout-api\.$/m);
  expect(declined.question).toContain('Deletes what overrides it or stands for it too: LOG_LEVEL of search.');
  expect(declined.question).toContain('Then there is no LOG_LEVEL.');
  expect(stored()).toEqual(before);
  await deleting({ environment: 'shop/staging', key: 'LOG_LEVEL' });
  expect(
    rowsOf(await platform.must('list_variables_of_container', { container_id: platform.seed['container_id'] })).map(
      ({ key }) => key,
    ),
  ).not.toContain('LOG_LEVEL');
  expect(
    rowsOf(await platform.must('list_environment_variables', { application_id: platform.seed['application_id'] })).find(
      ({ key }) => key === 'LOG_LEVEL',
    ),
  ).toMatchObject({ value: 'trace' });
});

const listed =
  (services: readonly Json[]) =>
  (method: string, path: string, body: unknown): unknown =>
    method === 'GET' && /^\/environment\/[^/]+\/services$/.test(path.split('?')[0]!) ? { results: services } : body;

test('of an environment: services of an unknown kind, and those beyond the most that are looked at, are not said to see nothing', async () => {
  await platform.must('create_variable_of_environment', {
    environment_id: platform.seed['environment_id'],
    key: 'PAGE_SIZE',
    value: '50',
  });
  const [other] = platform.dump()['service'] as Json[];
  const row = (service_type: string, name: string, id: string): Json => ({
    id,
    name,
    service_type,
    created_at: other!['created_at'],
  });
  const many = Array.from({ length: 23 }, (_, index) =>
    row('APPLICATION', `app-${index}`, `5e9d0c1a-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`),
  );
  for (const [services, seers, unknown] of [
    [[row('FUNCTION', 'resize', '5e9d0c1a-1111-4000-8000-000000000000')], ['resize'], 'resize'],
    [many, many.map(({ name }) => name), 'app-22'],
  ] as const) {
    const proxy = await startRecordingProxy(platform.url, {
      alter: listed(services),
      beforeRequest: async (_, request, response) => {
        if (request.url!.includes('/5e9d0c1a-'))
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
      },
    });
    const own = connectorsTo(proxy.url, platform.tokens.admin);
    try {
      const user = userAnswering(() => ({ action: 'decline' }));
      await (
        await own.modern(user)
      ).call('delete_environment_variable', { environment: 'shop/staging', key: 'PAGE_SIZE' });
      const question = user.questions[0]?.message ?? '';
      expect(question).toContain(`Seen by: ${seers.join(', ')}.`);
      expect(question).toMatch(new RegExp(`^Not known, .* PAGE_SIZE: .*${unknown}\\.$`, 'm'));
    } finally {
      await own.close();
      await proxy.close();
    }
  }
});

test('a secret is deleted by its name, and its value shows nowhere', async () => {
  const { question, answer, text } = await deleting({ service: 'shop/staging/checkout-api', key: 'PAYMENT_API_KEY' });
  expect(question).toContain('Deletes the secret PAYMENT_API_KEY of scope APPLICATION; its value is lost.');
  expect(answer).toMatchObject({ deleted: 'PAYMENT_API_KEY', of: 'shop/staging/checkout-api' });
  expect(`${question}${text}`).not.toContain('never-shown');
  expect(stored()).not.toContain('APPLICATION PAYMENT_API_KEY');
});

test('what is built in, held elsewhere, inherited, unknown or of another kind is not deleted, and nobody is asked', async () => {
  const before = platform.dump();
  const refusals: [Json, string][] = [
    [{ environment: 'shop/staging', key: 'PLATFORM_ENVIRONMENT_ID' }, 'only inherits'],
    [{ service: 'shop/staging/checkout-api', key: 'MAIL_API_URL' }, 'is EXTERNAL_SECRET'],
    [{ service: 'shop/staging/checkout-api', key: 'REGION' }, 'only inherits REGION'],
    [
      { service: 'shop/staging/checkout-api', key: 'NEVER_SEEN' },
      'has no variable or secret with the key or id NEVER_SEEN',
    ],
    [{ service: 'shop/staging/orders-db', key: 'CACHE_TTL' }, 'a database has no variables'],
  ];
  for (const [args, says] of refusals) {
    const { isError, text, question } = await deleting(args);
    expect([isError, text, question]).toEqual([true, expect.stringContaining(says), '']);
  }
  const application = { application_id: platform.seed['application_id'] };
  const variables = rowsOf(await platform.must('list_environment_variables', application));
  for (const key of ['PLATFORM_ENVIRONMENT_ID', 'REGION']) {
    expect(
      (
        await platform.call('delete_variable_of_application', {
          ...application,
          environment_variable_id: variables.find((row) => row['key'] === key)!['id'],
        })
      ).status,
    ).toBe(404);
  }
  const builtIn = {
    environment_id: platform.seed['environment_id'],
    environment_variable_id: variables.find((row) => row['key'] === 'PLATFORM_ENVIRONMENT_ID')!['id'],
  };
  expect((await platform.call('delete_variable_of_environment', builtIn)).status).toBe(400);
  expect(
    (
      await platform.call('delete_variable_of_application', {
        ...application,
        environment_variable_id: variables.find((row) => row['key'] === 'MAIL_API_URL')!['id'],
      })
    ).status,
  ).toBe(400);
  expect(platform.dump()).toEqual(before);
});
