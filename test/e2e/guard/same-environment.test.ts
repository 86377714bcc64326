import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { GuardedCall, Policy } from '../../../src/server/guard/index.ts';
import { areInSameEnvironment } from '../../../src/server/guard/same-environment.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { tools } from '../../../tools/index.ts';
import { fakeReader } from '../../server/guard/fake-reader.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** Alters what is read. */
let alter: (path: string, body: Json) => Json = (_, body) => body;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => (method === 'GET' ? alter(path, body as Json) : body),
  });
});

beforeEach(() => {
  alter = (_, body) => body;
  connectors = connectorsTo(proxy.url, platform.token);
  return () => connectors.close();
});

afterAll(async () => {
  await proxy.close();
  await platform.close();
});

const staging = seedId('environment/shop/staging');
const production = seedId('environment/shop/production');
const inProduction = seedId('service/shop/production/checkout-api');

/** What a call comes to for a server that knows nothing yet, and what a user who agrees to everything was asked. */
async function attempt(tool: string, args: Json, policy?: Policy) {
  const before = proxy.writes().length;
  const user = userAnswering(agree);
  const result = await (await connectors.modern(user, policy)).call(tool, args);
  return {
    text: textOf(result),
    isError: result.isError === true,
    failure: failureIn(result),
    asked: user.questions.map(({ message }) => message),
    changes: proxy.writes().slice(before),
  };
}

const foreign: [string, string, Json][] = [
  [
    'a variable of another environment, by its path',
    'update_environment_variable',
    { environment_id: 'shop/staging', environment_variable_id: 'shop/production/LOG_LEVEL', value: 'x' },
  ],
  [
    'and with everything that a replacement takes',
    'update_environment_variable',
    {
      environment_id: 'shop/staging',
      environment_variable_id: 'shop/production/LOG_LEVEL',
      key: 'LOG_LEVEL',
      value: 'x',
    },
  ],
  [
    'a service of another environment, by its path',
    'restart_services',
    { environment_id: 'shop/staging', application_ids: ['shop/production/checkout-api'] },
  ],
  [
    'a service of another environment, by its id',
    'restart_services',
    { environment_id: staging, application_ids: [inProduction] },
  ],
  [
    'one among others',
    'restart_services',
    { environment_id: staging, application_ids: [seedId('service/shop/staging/checkout-api'), inProduction] },
  ],
  [
    'a variable for a container of another environment',
    'override_environment_variable',
    { container_id: 'shop/staging/search', environment_variable_id: 'shop/production/LOG_LEVEL', value: 'x' },
  ],
];

test.each(foreign)('%s: refused before anybody is asked, with the names of both', async (_, tool, args) => {
  for (const how of [{}, { dry_run: true }]) {
    const { text, failure, ...rest } = await attempt(tool, { ...args, ...how });
    expect(rest, text).toEqual({ isError: true, asked: [], changes: [] });
    expect(failure?.kind).toBe('not_possible');
    expect(text).toMatch(/lies in another environment than the one that the call is about/);
    expect(text).toMatch(
      new RegExp(
        `lies in environment production \\(id ${production}\\), not in environment staging \\(id ${staging}\\)`,
      ),
    );
  }
});

test('a variable that was seen before is known by its id', async () => {
  const user = userAnswering(agree);
  const client = await connectors.modern(user);
  const list = (await client.call('list_environment_variables', { application_id: 'shop/production/checkout-api' }))
    .structuredContent as { results: { id: string; scope: string }[] };
  const { id } = list.results.find(({ scope }) => scope === 'ENVIRONMENT')!;
  const result = await client.call('update_environment_variable', {
    environment_id: staging,
    environment_variable_id: id,
    key: 'X',
    value: 'x',
  });
  expect(failureIn(result)?.kind).toBe('not_possible');
  expect(textOf(result)).toContain('another environment');
  expect(user.questions).toEqual([]);
});

test('of a variable that nobody has seen yet it is not said that it could not be read', async () => {
  const { text, asked, isError } = await attempt('update_environment_variable', {
    environment_id: staging,
    environment_variable_id: seedId('variable/shop/production/LOG_LEVEL'),
    value: 'x',
  });
  expect({ asked, isError }).toEqual({ asked: [], isError: true });
  expect(text).toMatch(
    /no variable with the id \S+ is in the environment \S+ or a service of it\. Give its key, or an id that list_environment_variables shows/,
  );
});

test('whoever may not see the other one is not told its name', async () => {
  const { text, failure } = await attempt(
    'restart_services',
    { environment_id: staging, application_ids: [inProduction] },
    await policyFrom('deny: [{ tool: list_services, mode: PRODUCTION }]'),
  );
  expect(failure?.kind).toBe('not_possible');
  expect(text).toContain('another environment');
  expect(text).not.toContain('production');
});

test.each<[string, Json, (path: string, body: Json) => Json]>([
  [
    'restart_services',
    { environment_id: staging, application_ids: [inProduction] },
    (path, body) =>
      path.endsWith('/services')
        ? { results: [] }
        : path === `/application/${inProduction}`
          ? { ...body, environment: undefined }
          : body,
  ],
  [
    'update_environment_variable',
    {
      environment_id: staging,
      environment_variable_id: seedId('variable/shop/production/LOG_LEVEL'),
      key: 'LOG_LEVEL',
      value: 'x',
    },
    (path, body) => (path.endsWith('/environmentVariable') ? { results: [] } : body),
  ],
])(
  'what may lie anywhere is asked for as in an environment whose mode nobody knows: %s',
  async (tool, args, hiding) => {
    alter = hiding;
    const { asked, text } = await attempt(tool, args);
    expect(asked, text).toHaveLength(1);
    expect(asked[0]).toContain(', whose mode');
    expect(asked[0]).not.toContain('STAGING');
    expect(asked[0]).toContain('May touch another environment');
  },
);

const unlisted = {
  environment_id: staging,
  environment_variable_id: seedId('variable/shop/production/LOG_LEVEL'),
  key: 'LOG_LEVEL',
  value: 'x',
};

test.each([
  'deny: [{ environment: shop/production }]',
  `deny: [{ environment: ${production} }]`,
  'deny: [{ project: data }]',
  'allow: [{ tier: read }, { environment: shop/staging }]',
])('what may lie anywhere may lie where a rule is about: %s', async (policy) => {
  const { asked, changes, text, failure } = await attempt(
    'update_environment_variable',
    unlisted,
    await policyFrom(policy),
  );
  expect({ asked, changes, kind: failure?.kind }, text).toEqual({ asked: [], changes: [], kind: 'denied' });
  expect(text).toMatch(
    policy.startsWith('deny') ? /\(policy\.yaml, deny\[0\]\).* in doubt/ : /\(policy\.yaml, allow\)/,
  );
});

test.each<[string, Policy['scope']]>([
  ['environment', { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } }],
  ['project', { project: { name: 'shop', setBy: 'INFRA_PROJECT' } }],
])('a server that is kept to a(n) %s does not touch what may lie anywhere', async (_, pin) => {
  const { asked, changes, text, failure } = await attempt('update_environment_variable', unlisted, {
    readOnly: false,
    scope: pin,
  });
  expect({ asked, changes, kind: failure?.kind }, text).toEqual({ asked: [], changes: [], kind: 'denied' });
  expect(text).toContain('where it lies');
});

test('what lies there passes such rules as ever', async () => {
  const args = { environment_id: 'shop/staging', container_ids: ['search'] };
  const pin = { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } };
  for (const policy of [await policyFrom('deny: [{ environment: shop/production }]'), { readOnly: false, pin }])
    expect((await attempt('restart_services', args, policy)).asked).toHaveLength(1);
});

test('what lies there, or is shared with it, is asked for as ever', async () => {
  for (const args of [
    { environment_id: staging, container_ids: ['search'] },
    { environment_id: 'shop/staging', container_ids: [seedId('service/shop/staging/search')] },
  ]) {
    const { asked } = await attempt('restart_services', args);
    expect(asked[0]).toContain('STAGING');
  }
  const { text } = await attempt('update_environment_variable', {
    environment_id: 'shop/staging',
    environment_variable_id: 'shop/staging/REGION',
    value: 'x',
    dry_run: true,
  });
  expect(text).not.toContain('another environment');
});

const numberedId = (end: number): string => `00000000-0000-4000-8000-00000000000${end}`;

test.each([
  [false, true],
  [true, false],
  [undefined, false],
])('a row of the list of variables is known to be one where its is_secret is %s: %s', async (isSecret, isHere) => {
  const reader = fakeReader({
    list_variables: { results: [{ id: numberedId(2), key: 'ONE', scope: 'HELM', is_secret: isSecret }] },
  });
  const resolved = {
    service: { kind: 'helm', id: numberedId(1), environment: { id: numberedId(3) } },
    environment_variable_id: { kind: 'environment_variable', id: numberedId(2) },
  };
  expect(
    await areInSameEnvironment({
      tool: tools.find(({ name }) => name === 'override_environment_variable')!,
      resolved,
      reader,
    } as unknown as GuardedCall),
  ).toBe(isHere);
});
