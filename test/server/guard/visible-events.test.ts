import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { textOf } from '../../support/mcp-clients.ts';
import { startRecordingProxy } from '../../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

interface Told {
  readonly what: string;
  readonly where: string;
}

let platform: TestPlatform;
let connectors: Connectors;

const [staging, production] = [seedId('environment/shop/staging'), seedId('environment/shop/production')];

const variable = (environment_id: string, key: string) =>
  platform.must('create_variable_of_environment', { environment_id, key, value: '1' });

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['wrong-variable-value'] });
  connectors = connectorsTo(platform.url, platform.tokens.read);
  await variable(staging, 'OF_STAGING');
  await variable(production, 'OF_PRODUCTION');
  await variable(seedId('environment/data/development'), 'OF_DATA');
  await platform.must('lock_cluster', {
    cluster_id: platform.seed['cluster_id'],
    reason: 'an incident',
    ttl_in_days: 1,
  });
  await platform.must('unlock_cluster', { cluster_id: platform.seed['cluster_id'] });
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const inProject: Policy = { readOnly: false, scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } } };
const inEnvironment: Policy = {
  readOnly: false,
  scope: { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } },
};

async function ask(policy: Policy, args: Record<string, unknown> = {}, tool = 'list_events') {
  const client = await connectors.modern(undefined, policy);
  const result = await client.call(tool, args);
  const content = (result.structuredContent ?? {}) as { results?: Told[]; looked_through?: number };
  return {
    ...content,
    results: content.results ?? [],
    text: textOf(result).replaceAll(/ \(\d+\w ago\)/g, ''),
    isError: result.isError === true,
    tools: (await client.list()).map(({ name }) => name),
  };
}

const places = (results: readonly Told[]): string[] => [...new Set(results.map(({ where }) => where))].toSorted();

test('a server that is kept to an environment has the events of that one', async () => {
  const { results, looked_through: looked, text, tools } = await ask(inEnvironment);
  expect(tools).toContain('list_events');
  expect(places(results)).toEqual(['shop/staging']);
  expect(results.map(({ what }) => what)).toContain('created variable OF_STAGING of environment');
  expect(looked).toBe(results.length);
  expect(text).toContain('Left out: events outside of what this server is kept to.');
  expect(text).not.toMatch(/OF_PRODUCTION|OF_DATA|orders|incident|Bo Lindqvist/);
});

test('one that is kept to a project has those of all its environments, and of a service what it inherits there', async () => {
  expect(places((await ask(inProject)).results)).toEqual(['shop/production', 'shop/staging']);
  const { results } = await ask(inProject, { service: 'staging/checkout-api' });
  expect(results.map(({ what }) => what)).toEqual(['created variable OF_STAGING of environment']);
});

test.each([
  [{ environment: 'data/development' }],
  [{ environment: seedId('environment/data/development') }],
  [{ project: 'data' }],
  [{ service: 'orders/staging/orders-api' }],
  [{ service: seedId('service/orders/staging/orders-api') }],
])('what lies outside is not asked about: %j', async (args) => {
  for (const policy of [inProject, inEnvironment]) {
    const { isError, text } = await ask(policy, args);
    expect(isError, text).toBe(true);
    expect(text).not.toMatch(/OF_DATA|Bo Lindqvist|QUEUE_HOST/);
  }
});

test.each([[{ who: 'Bo' }], [{ kind: 'lock' }], [{ kind: 'OF_DATA' }], [{ until: 'P1D' }]])(
  'no filter finds what lies outside: %j',
  async (args) => {
    expect(await ask(inEnvironment, args)).toMatchObject({ results: [], looked_through: expect.any(Number) as number });
    expect((await ask(inEnvironment, args)).looked_through).toBe(
      (await ask(inEnvironment, 'until' in args ? args : {})).looked_through,
    );
  },
);

test('an answer is the same however much happens outside', async () => {
  const before = [
    await ask(inEnvironment),
    await ask(inEnvironment, { kind: 'nothing of this kind' }),
    await ask(inProject),
  ];
  for (let index = 0; index < 130; index += 1)
    await platform.must('create_project', { organization_id: platform.organizationId, name: `other-${index}` });
  const after = [
    await ask(inEnvironment),
    await ask(inEnvironment, { kind: 'nothing of this kind' }),
    await ask(inProject),
  ];
  expect(after).toEqual(before);
});

test('a policy that denies a mode leaves out its events and those of places that are gone, and says so', async () => {
  const gone = (
    await platform.must('create_environment', {
      project_id: platform.seed['project_id'],
      name: 'gone',
      mode: 'DEVELOPMENT',
      cluster_id: platform.seed['cluster_id'],
    })
  )['id'] as string;
  await variable(gone, 'OF_GONE');
  await platform.must('delete_environment', { environment_id: gone });
  const policy = await policyFrom('deny: [{ mode: PRODUCTION }]');
  const { results, text, tools } = await ask(policy, { kind: 'variable' });
  expect(tools).toContain('list_events');
  expect(results.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['created variable OF_DATA of environment', 'created variable OF_STAGING of environment']),
  );
  expect(text).toContain('Left out: events in places');
  expect(text).not.toMatch(/OF_PRODUCTION|OF_GONE/);
  expect((await ask(policy, { environment: 'shop/production' })).isError).toBe(true);
});

test('an environment that is denied by its name, or that of its project, is left out', async () => {
  for (const rule of ['environment: data/development', 'project: data']) {
    const { text } = await ask(await policyFrom(`deny: [{ ${rule} }]`), { kind: 'variable' });
    expect(text).not.toContain('OF_DATA');
    expect(text).toContain('OF_PRODUCTION');
  }
});

test('events of a type that is not known are taken for those of an environment, and of an organization they are told', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_method, path, body) => {
      const { events } = body as { events?: Record<string, unknown>[] };
      if (!path.includes('/events') || !events) return body;
      return {
        ...(body as object),
        events: events.map((event) =>
          event['event_type'] === 'LOCK' ? { ...event, target_type: 'AGENTIC_WORKFLOW' } : event,
        ),
      };
    },
  });
  const other = connectorsTo(proxy.url, platform.tokens.read);
  const told = async (policy: Policy) =>
    textOf(await (await other.modern(undefined, policy)).call('list_events', { kind: 'lock' }));
  expect(await told({ readOnly: false })).toMatch(
    /agentic workflow[^]*unlocked? cluster|unlocked? cluster[^]*agentic workflow/,
  );
  const { text } = { text: await told(await policyFrom('deny: [{ mode: PRODUCTION }]')) };
  expect(text).not.toContain('agentic workflow');
  expect(text).toMatch(/unlocked? cluster/);
  await other.close();
  await proxy.close();
});

test('both reasons to leave events out are told as whole phrases', async () => {
  const { text } = await ask({
    ...(await policyFrom('deny: [{ mode: PRODUCTION }]')),
    scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } },
  });
  expect(text).toContain(
    'Left out: events outside of what this server is kept to, or in places that the policy denies, or whose place can not be told.',
  );
});

test('what changed is told by a diagnosis within the place, and nothing of the rest', async () => {
  const scope = { environment: { name: 'orders/staging', setBy: 'INFRA_ENVIRONMENT' } };
  const { text } = await ask({ readOnly: false, scope }, { service: 'orders-api' }, 'diagnose_deployment');
  expect(text).toContain('QUEUE_HOST changed');
  expect(text).not.toMatch(/OF_STAGING|OF_DATA/);
});
