import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationName } from '../../../src/contract/index.ts';
import {
  type Json,
  type TestPlatform,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
} from '../../support/test-platform.ts';
import { validRequests } from './valid-requests.ts';

const day = 86_400_000;
let now = Date.parse('2026-03-01T12:00:00.000Z');
let platform: TestPlatform;
let requests: Record<OperationName, Json>;
let cluster: { cluster_id: string | undefined };
let organization: { organization_id: string };

beforeAll(async () => {
  platform = await startTestPlatform({ clock: { now: () => now } });
  requests = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'd');
  cluster = { cluster_id: platform.seed['cluster_id'] };
  organization = { organization_id: platform.organizationId };
});

afterAll(() => platform.close());

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

const lock = (input: Json = {}) => platform.call('lock_cluster', { ...cluster, reason: 'incident 42', ...input });
const status = () => platform.must('get_cluster_status', { ...organization, ...cluster });

describe('a locked cluster', () => {
  beforeAll(async () => {
    expect((await lock({ ttl_in_days: 3 })).body).toEqual({
      ...cluster,
      reason: 'incident 42',
      ttl_in_days: 3,
      owner_name: 'admin of the tests',
      locked_at: new Date(now).toISOString(),
    });
  });

  afterAll(async () => {
    expect((await platform.call('unlock_cluster', cluster)).status).toBe(204);
  });

  const changing: OperationName[] = [
    'create_environment',
    'create_application',
    'create_database',
    'create_environment_variable',
    'create_secret',
    'update_environment_variable',
    'override_environment_variable',
    'update_container',
    'update_helm',
    'deploy_application',
    'deploy_database',
    'deploy_container',
    'deploy_helm',
    'deploy_job',
    'deploy_environment',
    'redeploy_terraform',
    'restart_services',
    'stop_environment',
    'upgrade_cluster',
  ];

  test.each(changing)('refuses %s, naming owner and reason', async (name) => {
    const before = platform.dump();
    expectRefusal(await platform.call(name, requests[name]), /locked by admin of the tests.*incident 42/);
    expect(platform.dump()).toEqual(before);
  });

  test('can be read, and shows its lock', async () => {
    expect((await status())['cluster_lock']).toMatchObject({ reason: 'incident 42' });
    expect(
      rowsOf(await platform.must('list_clusters', organization)).find(({ id }) => id === cluster.cluster_id),
    ).toMatchObject({ is_locked: true });
    expect(rowsOf(await platform.must('list_cluster_locks', organization)).map((row) => row['cluster_id'])).toContain(
      cluster.cluster_id,
    );
    expect((await platform.call('list_services', requests.list_services)).status).toBe(200);
  });

  test('can not be locked again', async () => {
    expectRefusal(await lock({ reason: 'mine now' }), /locked already, by admin of the tests: incident 42/);
  });

  test('does not keep what other clusters host from changing', async () => {
    const elsewhere = rowsOf(await platform.must('list_clusters', organization)).find(
      (row) => row['id'] !== cluster.cluster_id && row['is_locked'] === false,
    )!;
    expect(
      (await platform.call('create_environment', { ...requests.create_environment, cluster_id: elsewhere['id'] }))
        .status,
    ).toBe(201);
  });
});

describe('a lock', () => {
  test('ends by itself after its days', async () => {
    await lock({ ttl_in_days: 2 });
    now += 2 * day - 1;
    expectRefusal(await platform.call('create_database', requests.create_database), /locked/);
    now += 1;
    expect((await status())['cluster_lock']).toBeNull();
    const locks = await platform.must('list_cluster_locks', { ...organization, page: 1, page_size: 10 });
    expect(rowsOf(locks).map((row) => row['cluster_id'])).not.toContain(cluster.cluster_id);
    expect(locks['pagination']).toMatchObject({ total_count: rowsOf(locks).length });
    expect((await platform.call('create_database', requests.create_database)).status).toBe(201);
    expect((await lock()).body).toMatchObject({ ttl_in_days: 1 });
    expect((await platform.call('unlock_cluster', cluster)).status).toBe(204);
  });

  test('that is not there can not be removed', async () => {
    expectRefusal(await platform.call('unlock_cluster', cluster), /isn't locked/);
  });

  test.each([
    [{ ttl_in_days: 0 }, /^ttl_in_days: /],
    [{ ttl_in_days: 6 }, /^ttl_in_days: /],
    [{ reason: '' }, /^reason: /],
  ])('can not have %j', async (input, message) => {
    expectRefusal(await lock(input), message);
  });
});

describe('an upgrade', () => {
  test('goes through the states to the next version', async () => {
    const before = await status();
    expect(before).toMatchObject({
      status: 'DEPLOYED',
      is_deployed: true,
      next_k8s_available_version: expect.any(String),
    });
    const begun = await platform.must('upgrade_cluster', cluster);
    expect(begun).toMatchObject({ ...cluster, last_execution_id: expect.any(String) });
    expect(['DEPLOYMENT_QUEUED', 'DEPLOYING']).toContain(begun['status']);
    await expect
      .poll(
        async () => {
          now += 1000;
          return (await status())['status'];
        },
        { interval: 20 },
      )
      .toBe('DEPLOYED');
    const after = await status();
    expect(after['next_k8s_available_version']).not.toBe(before['next_k8s_available_version']);
    expect(
      rowsOf(await platform.must('list_clusters', organization)).find(({ id }) => id === cluster.cluster_id),
    ).toMatchObject({ version: before['next_k8s_available_version'] });
  });

  test('is refused where there is no next version, and where the cluster does not work', async () => {
    const clusters = rowsOf(await platform.must('list_clusters', organization));
    const latest = clusters.find(({ name }) => name === 'batch')!;
    await platform.must('unlock_cluster', { cluster_id: latest['id'] });
    expectRefusal(
      await platform.call('upgrade_cluster', { cluster_id: latest['id'] }),
      /no next|newest|no newer|latest/i,
    );
    const broken = clusters.find((row) => row['status'] === 'INVALID_CREDENTIALS')!;
    expectRefusal(await platform.call('upgrade_cluster', { cluster_id: broken['id'] }), /INVALID_CREDENTIALS/);
  });
});
