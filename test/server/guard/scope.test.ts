import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNameResolver } from '../../../src/server/resolve/index.ts';
import type { Scope } from '../../../src/server/guard/scope/scope.ts';
import { resolverWithin, createScopeResolver } from '../../../src/server/guard/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { recordingCaller, resolutionProblem } from '../resolve/recording-caller.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.token);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const project = { name: 'shop', setBy: 'INFRA_PROJECT' };
const environment = { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' };

const clientOf = (pin: Scope): Promise<TestClient> =>
  connectors.modern(userAnswering(agree), { readOnly: false, scope: pin });

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, unknown>; readonly required?: readonly string[] };
}

const listedBy = async (client: TestClient): Promise<Map<string, Listed>> =>
  new Map(((await client.list()) as unknown as Listed[]).map((tool) => [tool.name, tool]));

describe('kept to an environment', () => {
  test('the parameter is gone, and filled in', async () => {
    const client = await clientOf({ environment });
    const tools = await listedBy(client);
    expect(tools.get('get_environment_status')!.inputSchema.properties).not.toHaveProperty('environment');
    expect(tools.get('create_database')!.inputSchema.properties).not.toHaveProperty('environment');
    expect(tools.get('create_database')!.inputSchema.required).not.toContain('environment');
    const status = await client.call('get_environment_status');
    expect(status.structuredContent, textOf(status)).toMatchObject({
      environment: { id: platform.seed['environment_id'] },
    });
    const made = await client.call('create_database', { name: 'kept', type: 'REDIS', version: '7', mode: 'CONTAINER' });
    expect(made.structuredContent, textOf(made)).toMatchObject({
      environment: { id: platform.seed['environment_id'] },
    });
  });

  test('a bare name is one in it, though others have it too', async () => {
    const status = await (
      await clientOf({ environment })
    ).call('get_application_status', { application_id: 'checkout-api' });
    expect(status.structuredContent, textOf(status)).toMatchObject({ id: seedId('service/shop/staging/checkout-api') });
  });

  test('of two environments, both stay', async () => {
    const tools = await listedBy(await clientOf({ environment }));
    const asking = [...tools]
      .filter(([, { inputSchema }]) =>
        Object.keys(inputSchema.properties).some((name) => /^(environment|project)(_id)?$/.test(name)),
      )
      .map(([name]) => name);
    expect(asking).toEqual([]);
    expect(tools.get('compare_environments')!.inputSchema.properties).toMatchObject({ first: {}, second: {} });
  });

  test.each([
    ['list_deployments', {}],
    ['search_logs', { text: 'e' }],
    ['diagnose_deployment', {}],
    ['wait_for_deployment', { seconds: 1 }],
    ['deploy_service', {}],
    ['set_environment_variables', { variables: { LOG_LEVEL: 'debug' } }],
    ['get_environment_overview', {}],
  ])(
    'a tool about a service or an environment is about the place where no service is given: %s',
    async (tool, args) => {
      const client = await clientOf({ environment });
      const result = await client.call(tool, args);
      expect(result.isError, textOf(result)).toBeFalsy();
      const about = tool === 'set_environment_variables' ? { container: 'search' } : { service: 'search' };
      if (tool !== 'get_environment_overview')
        expect((await client.call(tool, { ...args, ...about })).isError, tool).toBeFalsy();
    },
  );

  test.each([
    ['get_application_status', { application_id: 'shop/production/checkout-api' }],
    ['get_application_status', { application_id: seedId('service/shop/production/checkout-api') }],
    ['deploy_application', { application_id: 'shop/production/checkout-api' }],
    ['get_environment_status', { environment_id: 'shop/production' }],
    ['stop_environment', { environment_id: seedId('environment/data/development') }],
    ['list_environments', { project_id: 'shop' }],
    ['create_environment', { project_id: 'shop', name: 'x', mode: 'STAGING', cluster_id: 'main' }],
    ['create_project', { name: 'x' }],
    ['lock_cluster', { cluster_id: 'main', reason: 'x' }],
    ['invite_member', { email: 'x@example.com' }],
    ['list_projects', {}],
    ['list_alert_rules', {}],
    ['get_environment_overview', { environment: 'shop/production' }],
    ['get_service', { service: 'shop/production/search' }],
    ['find_resource', { project: 'data' }],
  ])('nothing outside is reached: %s %j', async (tool, args) => {
    const result = await (await clientOf({ environment })).call(tool, args);
    // By a name nothing outside is found; what is found is denied.
    expect(failureIn(result)?.kind, textOf(result)).toMatch(/^(bad_address|denied)$/);
    expect(textOf(result)).toMatch(/environment "shop\/staging".*\(INFRA_ENVIRONMENT\)/);
  });

  test('nothing outside is reached from within', async () => {
    const result = await (
      await clientOf({ environment })
    ).call('restart_services', { container_ids: [seedId('service/shop/production/search')] });
    expect(result.isError, textOf(result)).toBe(true);
  });

  test('what no call can reach is not offered', async () => {
    const tools = await listedBy(await clientOf({ environment }));
    for (const name of [
      'create_project',
      'create_environment',
      'list_projects',
      'list_environments',
      'lock_cluster',
      'invite_member',
      'create_webhook',
    ])
      expect(tools.has(name), name).toBe(false);
    for (const name of ['get_service', 'list_services', 'stop_environment', 'list_clusters', 'find_resource'])
      expect(tools.has(name), name).toBe(true);
  });

  test('what belongs to no project can be read', async () => {
    expect((await (await clientOf({ environment })).call('list_clusters')).isError).toBeFalsy();
  });

  test('searches stay inside', async () => {
    const found = await (await clientOf({ environment })).call('find_resource', { name: 'orders-db' });
    expect(found.structuredContent, textOf(found)).toMatchObject({
      results: [{ path: 'shop/staging/orders-db' }],
      total: 1,
    });
  });

  test('the model is told', async () => {
    expect((await clientOf({ environment })).instructions()).toContain('kept to the environment "shop/staging"');
  });
});

describe('kept to a project', () => {
  test('its environments and services are reached, and nothing else', async () => {
    const client = await clientOf({ project });
    const list = await client.call('list_environments');
    expect(list.structuredContent, textOf(list)).toMatchObject({
      results: [{ name: 'staging' }, { name: 'production' }],
    });
    expect(
      (await client.call('get_application_status', { application_id: 'production/checkout-api' })).isError,
    ).toBeFalsy();
    expect(
      failureIn(await client.call('get_environment_status', { environment_id: 'data/development' })),
    ).toMatchObject({ kind: 'bad_address', why: 'unknown' });
    const found = await client.call('find_resource', { kind: 'environment' });
    expect(found.structuredContent).toMatchObject({ total: 2 });
  });

  test('a new environment is made in it', async () => {
    const made = await (
      await clientOf({ project })
    ).call('create_environment', { name: 'kept', mode: 'DEVELOPMENT', cluster_id: 'main' });
    expect(made.structuredContent, textOf(made)).toMatchObject({ project: { id: platform.seed['project_id'] } });
  });
});

describe('a place that stands for nothing usable', () => {
  test.each<[Scope, string]>([
    [{ environment: { ...environment, name: 'shop/stagin' } }, '"shop/stagin" (INFRA_ENVIRONMENT), which could'],
    [{ project: { ...project, name: 'data' }, environment }, 'which lies in another one'],
    [
      {
        project: { ...project, name: 'data' },
        environment: { ...environment, name: seedId('environment/shop/staging') },
      },
      'which lies in another one',
    ],
  ])('lets nothing through: %j', async (pin, says) => {
    const client = await clientOf(pin);
    for (const [tool, args] of [
      ['get_environment_status', {}],
      ['list_clusters', {}],
      ['deploy_application', { application_id: platform.seed['application_id'] }],
    ] as const) {
      const result = await client.call(tool, args);
      expect([failureIn(result)?.kind, textOf(result)]).toEqual(['not_possible', expect.stringContaining(says)]);
    }
  });
});

test('an environment can be pinned by its id', async () => {
  const client = await clientOf({ environment: { ...environment, name: platform.seed['environment_id']! } });
  expect((await client.call('get_environment_status')).structuredContent).toMatchObject({
    environment: { id: platform.seed['environment_id'] },
  });
  expect(
    failureIn(await client.call('get_application_status', { application_id: 'shop/production/checkout-api' })),
  ).toMatchObject({ kind: 'bad_address', why: 'unknown' });
});

describe('names that are looked for', () => {
  test('stay inside, also while they are typed', async () => {
    const addresses = createNameResolver();
    const caller = recordingCaller(platform.url, platform.token, addresses);
    const kept = resolverWithin(addresses, createScopeResolver({ environment }, addresses), { environment });
    expect(await kept.complete('service', 'checkout', caller.lookup)).toEqual(['shop/staging/checkout-api']);
    expect(await kept.complete('environment', '', caller.lookup)).toEqual(['shop/staging']);
    expect(await kept.complete('service', 'shop/production/', caller.lookup)).toEqual([]);
    expect(await kept.resolve('service', 'search', caller.lookup)).toMatchObject({ path: 'shop/staging/search' });
    const { suggestions: near, notes } = await resolutionProblem(kept.resolve('service', 'events-db', caller.lookup));
    expect(near.map(({ path }) => path?.startsWith('shop/staging/'))).not.toContain(false);
    expect(notes).toEqual([expect.stringContaining('nothing is looked for outside it')]);
    await caller.close();
  });

  test('cost nothing more once the place is known', async () => {
    const addresses = createNameResolver();
    const caller = recordingCaller(platform.url, platform.token, addresses);
    const places = createScopeResolver(
      { environment: { ...environment, name: platform.seed['environment_id']! } },
      addresses,
    );
    expect(await places.resolve(caller.lookup)).toEqual({
      projectId: platform.seed['project_id'],
      environmentId: platform.seed['environment_id'],
    });
    expect(caller.operations).toEqual(['get_environment']);
    await places.resolve(caller.lookup);
    expect(caller.operations).toEqual(['get_environment']);
    await places.resolve({ ...caller.lookup, principal: 'bob' });
    expect(caller.operations).toEqual(['get_environment', 'get_environment']);
    await caller.close();
  });
});
