import { afterAll, beforeAll, expect, test } from 'vitest';
import { textsIn } from '../../src/server/browse/index.ts';
import { isOfferedByDefault } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { root } from '../support/resource-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);
const called = new Set<string>();

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const call = async (tool: string, args: Json): Promise<Json> => {
  called.add(tool);
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
};

/** A change as the steps want it: planned first, which changes nothing, then carried out. */
const planned = async (tool: string, args: Json): Promise<{ readonly plan: string; readonly made: Json }> => {
  called.add(tool);
  const plan = await client.call(tool, { ...args, dry_run: true });
  expect(plan.isError, textOf(plan)).toBeFalsy();
  return { plan: textOf(plan), made: await call(tool, args) };
};

const steps = await textsIn(root).steps('move-elsewhere');
const namedInSteps = new Set(
  [...steps.matchAll(/`(\w+)`/g)].map(([, name]) => name!).filter((name) => tools.some((tool) => tool.name === name)),
);

test('the steps name tools that are offered by default', () => {
  const offered = tools.filter(isOfferedByDefault).map(({ name }) => name);
  expect([...namedInSteps].filter((name) => !offered.includes(name))).toEqual([]);
  const words = [...steps.matchAll(/`(\w+_\w+)`/g)].map(([, word]) => word!);
  expect(words.filter((word) => !namedInSteps.has(word))).toEqual([]);
});

test('they move an environment to another project: what runs there has its variables and domains, and the old one goes last', async () => {
  const [old, project, moved] = ['shop/staging', 'data', 'data/moved'];
  const domain = 'checkout.live.acme.example';

  // 1. What there is.
  await call('get_environment_overview', { environment: old });
  const before = await call('get_service', { service: `${old}/checkout-api` });
  expect(before['domains']).toEqual([expect.objectContaining({ domain })]);
  expect(rowsOf(await call('list_clusters', {})).find(({ name }) => name === 'main')).toMatchObject({
    is_locked: false,
  });

  // 2. The copy.
  const clone = await planned('clone_environment', {
    environment: old,
    name: 'moved',
    project_id: project,
    cluster_id: 'main',
  });
  expect(clone.plan).toContain('Copies orders-db (database), empty: its data stay where they are.');
  expect(clone.made['not_made']).toEqual(expect.arrayContaining(['data of orders-db']));
  await planned('delete_service', { service: `${moved}/assets-bucket` });

  // 3. What differs.
  await call('compare_environments', { first: old, second: moved });
  await planned('set_environment_variables', { environment: moved, variables: { PLACE: 'data/moved' } });

  // 4. The way back for data.
  await planned('create_database_backup', {
    database: `${old}/orders-db`,
    name: 'before-the-move',
    message: 'Moving.',
  });
  expect(rowsOf(await call('list_database_backups', { database: `${old}/orders-db` }))).toContainEqual(
    expect.objectContaining({ name: 'before-the-move' }),
  );

  // 5. The copy comes up.
  await planned('deploy_service', { environment: moved, wait: true });
  await call('wait_for_deployment', { environment: moved });
  await call('get_environment_overview', { environment: moved });
  await call('search_logs', { environment: moved, text: 'error' });
  expect(await call('get_service', { service: `${moved}/checkout-api` })).toMatchObject({
    status: { state: expect.stringMatching(/^(DEPLOYED|RUNNING)$/) as unknown },
  });

  // 6. The switch.
  await planned('stop_services', { environment: old, wait: true });
  await planned('delete_custom_domain', { service: `${old}/checkout-api`, domain });
  const attached = await planned('create_custom_domain', { service: `${moved}/checkout-api`, domain });
  expect(attached.made).toMatchObject({ domain, record: expect.any(Object) });

  // 7. The way back, once, and over again.
  await planned('start_services', { environment: old, wait: true });
  await planned('stop_services', { environment: old, wait: true });
  expect((await call('get_service', { service: `${moved}/checkout-api` }))['domains']).toEqual([
    expect.objectContaining({ domain }),
  ]);

  // 8. The old one goes, once somebody typed its name.
  user.questions.length = 0;
  const deletion = await planned('delete_environment', { environment: old, wait: true });
  expect(user.questions).toHaveLength(1);
  expect(deletion.made).toMatchObject({ outcome: 'succeeded' });
  const left = rowsOf(await platform.must('list_environments', { project_id: platform.seed['project_id'] }));
  expect(left.map(({ name }) => name)).toEqual(['production']);

  expect(called).toEqual(namedInSteps);
});
