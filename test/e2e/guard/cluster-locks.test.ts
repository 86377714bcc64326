import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type User } from '../../support/mcp-clients.ts';
import { withDeploymentUnderWay, startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** Alters the list of locks. */
let alter: (lock: Json) => Json = (lock) => lock;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['cluster-locked'] });
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) =>
      path.endsWith('/cluster/lock')
        ? { results: (body as { results: Json[] }).results.map((lock) => alter(lock)) }
        : withDeploymentUnderWay(method, path, body),
  });
  connectors = connectorsTo(proxy.url, platform.token);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const warehouse = seedId('cluster/warehouse');
const batch = seedId('cluster/batch');
const environment_id = seedId('environment/warehouse/production');
const container_id = seedId('service/warehouse/production/stock-sync');

const outside = (text: string): string => text.replaceAll(/<platform-data>.*?<\/platform-data>/gs, '');

async function attempt(tool: string, args: Json, user: User = userAnswering(() => ({ action: 'decline' }))) {
  const before = proxy.writes().length;
  const result = await (await connectors.modern(user)).call(tool, args);
  return {
    text: textOf(result),
    failure: failureIn(result),
    asked: user.questions.length,
    changes: proxy.writes().slice(before),
  };
}

const refused: [string, Json][] = [
  ['deploy_service', { service: container_id }],
  ['restart_services', { environment_id, container_ids: [container_id] }],
  ['stop_environment', { environment_id }],
  ['update_container', { container_id, tag: '1.17.0' }],
  ['create_database', { environment_id, name: 'stock', type: 'REDIS', version: '7', mode: 'CONTAINER' }],
  [
    'override_environment_variable',
    { container_id, environment_variable_id: seedId('variable/warehouse/REGION'), value: 'x' },
  ],
  [
    'create_environment',
    { project_id: seedId('project/warehouse'), cluster_id: warehouse, name: 'second', mode: 'PRODUCTION' },
  ],
  ['upgrade_cluster', { cluster_id: warehouse }],
];

test.each(refused)(
  '%s on a locked cluster is refused before anybody is asked, and says who locked it, why, and what to do',
  async (tool, args) => {
    for (const how of [{}, { dry_run: true }]) {
      const { text, ...rest } = await attempt(tool, { ...args, ...how });
      expect(rest, text).toEqual({ failure: { kind: 'not_possible', outcome: 'failed' }, asked: 0, changes: [] });
      expect(text).toMatch(/by Bo Lindqvist since \S+ until \S+: Incident 2291/);
      expect(outside(text)).toMatch(/its cluster is locked.*Tell the user who locked it.*unlock_cluster/);
      expect(outside(text)).not.toContain('Incident');
    }
  },
);

test('what a lock does not keep from being done is asked for', async () => {
  for (const [tool, args] of [
    ['cancel_deployment', { environment_id }],
    ['unlock_cluster', { cluster_id: warehouse }],
  ] as const) {
    expect(await attempt(tool, args), tool).toMatchObject({ asked: 1, changes: [] });
  }
  expect(await attempt('stop_environment', { environment_id: platform.seed['environment_id'] })).toMatchObject({
    asked: 1,
  });
});

test('a lock whose days are over keeps nobody from being asked', async () => {
  alter = (lock) => ({ ...lock, locked_at: '2020-01-01T00:00:00Z' });
  try {
    expect(await attempt('deploy_service', { service: container_id })).toMatchObject({ asked: 1, changes: [] });
  } finally {
    alter = (lock) => lock;
  }
});

test('a lock that tells little is told of as far as it does', async () => {
  alter = ({ cluster_id, reason }) => ({ cluster_id, reason, locked_at: null });
  try {
    expect((await attempt('deploy_service', { service: container_id })).text).toMatch(/is locked: Incident 2291/);
  } finally {
    alter = (lock) => lock;
  }
});

test('a call that nobody has to agree to reads no lock', async () => {
  const before = proxy.requests.length;
  await attempt('create_database', {
    environment_id: platform.seed['environment_id'],
    name: 'unasked',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  expect(proxy.requests.slice(before).filter((line) => line.endsWith('/lock'))).toEqual([]);
});

test.each([
  ['create_environment', { project_id: seedId('project/data'), cluster_id: batch, name: 'third', mode: 'STAGING' }],
  ['clone_environment', { environment: 'data/development', cluster_id: batch, name: 'copy', mode: 'STAGING' }],
])('%s, which nobody is asked about, is refused by the platform and tells of the lock', async (tool, args) => {
  const planned = await attempt(tool, { ...args, dry_run: true });
  const { text, changes, ...rest } = await attempt(tool, args);
  expect(rest, text).toEqual({ failure: { kind: 'not_possible', outcome: 'failed' }, asked: 0 });
  expect(changes).toHaveLength(1);
  expect(text).toMatch(/ since \S+ until \S+: \S/);
  expect(outside(text)).toMatch(/its cluster is locked.*Tell the user who locked it.*unlock_cluster/);
  expect(outside(text)).not.toMatch(/refused again|nobody was asked/);
  expect(planned.failure).toEqual(rest.failure);
});

test('a refusal for another reason stays what it is', async () => {
  const { text, failure } = await attempt('create_environment', {
    project_id: seedId('project/shop'),
    cluster_id: platform.seed['cluster_id'],
    name: 'staging',
    mode: 'STAGING',
  });
  expect(failure, text).toMatchObject({ kind: 'api', why: 'invalid_input', status: 400 });
});

test('where locks cannot be read, somebody is asked and the platform refuses', async () => {
  const blind = await startRecordingProxy(platform.url, { mode: 'unknown' });
  const others = connectorsTo(blind.url, platform.token);
  const user = userAnswering(agree);
  const result = await (
    await others.modern(user)
  ).call('deploy_service', { service: `infra://service/container/${container_id}` });
  expect(user.questions).toHaveLength(1);
  expect(failureIn(result)).toMatchObject({ kind: 'api', outcome: 'failed' });
  expect(textOf(result)).toContain('Bo Lindqvist');
  await others.close();
  await blind.close();
});

test('a cluster that is locked while somebody is asked is left as it is', async () => {
  const main = platform.seed['cluster_id'];
  const locking = userAnswering(async (question) => {
    await (
      await connectors.modern(userAnswering(agree))
    ).call('lock_cluster', { cluster_id: main, reason: 'wait', ttl_in_days: 1 });
    return agree(question);
  });
  const { asked, changes, failure } = await attempt(
    'stop_environment',
    { environment_id: platform.seed['environment_id'] },
    locking,
  );
  expect([asked, changes]).toEqual([1, [`POST /cluster/${main}/lock`]]);
  expect(failure?.kind).toBe('not_possible');
});
