import { afterAll, beforeAll, expect, test } from 'vitest';
import { instantRuntime as runtime } from '../../support/instant-runtime.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

const withLimits = (limits: { cpu?: number; memory?: number; services?: number }) =>
  ({
    clusters: [
      { name: 'small', description: 'A small one.', version: 'test', limits, createRuntime: () => runtime },
      { name: 'large', description: 'Without limits.', version: 'test', createRuntime: () => runtime },
    ],
    registries: [{ name: 'ours', kind: 'GENERIC_CR', url: 'https://registry.example.com' }],
  }) as const;

let platform: TestPlatform;
let environments: Record<'small' | 'large', string>;
let registryId: string;
/** Containers by their names. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  platform = await startTestPlatform({ realClusters: withLimits({ cpu: 2000, memory: 1024, services: 4 }) });
  const { organizationId } = platform;
  const clusters = rowsOf(await platform.must('list_clusters', { organization_id: organizationId }));
  registryId = String(
    rowsOf(await platform.must('list_container_registries', { organization_id: organizationId }))[0]!['id'],
  );
  const project = await platform.must('create_project', { organization_id: organizationId, name: 'shop' });
  const create = async (name: string) =>
    String(
      (
        await platform.must('create_environment', {
          project_id: project['id'],
          name,
          mode: 'STAGING',
          cluster_id: clusters.find((one) => one['name'] === name)!['id'],
        })
      )['id'],
    );
  environments = { small: await create('small'), large: await create('large') };
});
afterAll(() => platform?.close());

const shape = (cpu: number, memory: number, instances = 1): Json => ({
  registry_id: registryId,
  image_name: 'web',
  tag: '1',
  cpu,
  memory,
  min_running_instances: instances,
  max_running_instances: instances,
  healthchecks: {},
});
const create = (
  name: string,
  cpu: number,
  memory: number,
  instances?: number,
  where: keyof typeof environments = 'small',
) => platform.call('create_container', { environment_id: environments[where], name, ...shape(cpu, memory, instances) });
const idOf = ({ status, body, text }: Awaited<ReturnType<typeof create>>): string => {
  expect([status, text]).toEqual([201, text]);
  return (ids[String(body['name'])] = String(body['id']));
};

test('services get what the limits of their cluster leave, with all of their instances; what is refused has the figures', async () => {
  const web = idOf(await create('web', 500, 256, 2));
  expect(await platform.must('get_container', { container_id: web })).toMatchObject({
    maximum_cpu: 2000,
    maximum_memory: 1024,
  });
  const { status, text } = await create('worker', 600, 100, 2);
  expect([status, text]).toEqual([
    400,
    expect.stringContaining(
      'There is no room for worker on the cluster small: with it, all services would hold 2200m of CPU, and may hold 2000m of CPU. Make services of this cluster smaller',
    ),
  ]);
  expect((await create('worker', 600, 1025)).text).toContain("above the cluster's maximum of 1024");
  expect((await create('worker', 100, 513)).text).toContain('1025 MB of memory, and may hold 1024 MB of memory');
  const worker = idOf(await create('worker', 600, 100));
  const grown = await platform.call('update_container', { container_id: worker, name: 'worker', ...shape(1100, 100) });
  expect([grown.status, grown.text]).toEqual([400, expect.stringContaining('2100m of CPU')]);
  expect(
    (await platform.call('update_container', { container_id: worker, name: 'worker', ...shape(1000, 512) })).status,
  ).toBe(200);
  idOf(await create('elsewhere', 5000, 4096, 3, 'large'));
});

test('the number of services is limited; a copy of an environment is refused as a whole', async () => {
  await platform.must('update_container', { container_id: ids['worker'], name: 'worker', ...shape(10, 10) });
  idOf(await create('third', 10, 10));
  const copy = await platform.call('clone_environment', {
    environment_id: environments.small,
    name: 'copy',
    mode: 'STAGING',
  });
  expect([copy.status, copy.text]).toEqual([
    400,
    expect.stringContaining(
      'There is no room for web, worker, third on the cluster small: with it, all services would hold 2040m of CPU, and may hold 2000m of CPU; 1064 MB of memory',
    ),
  ]);
  expect(copy.text).toContain('6 services, and may hold 4 services');
  idOf(await create('fourth', 10, 10));
  expect((await create('fifth', 10, 10)).text).toContain('5 services, and may hold 4 services');
});

test('lower limits stop no service that runs, and none that gets smaller', async () => {
  const [web, worker] = [ids['web']!, ids['worker']!];
  await platform.must('deploy_container', { container_id: web });
  const state = async () => (await platform.must('get_container_status', { container_id: web }))['state'];
  await expect.poll(state).toBe('DEPLOYED');
  platform = await platform.restart({ realClusters: withLimits({ cpu: 1000 }) });
  expect((await platform.call('deploy_container', { container_id: web })).status).toBe(200);
  const refused = await platform.call('deploy_container', { container_id: worker });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining(
      "worker can't be deployed: all services of the cluster small hold 1030m of CPU, and may hold 1000m of CPU.",
    ),
  ]);
  await expect.poll(state).toBe('DEPLOYED');
  expect(
    (await platform.call('update_container', { container_id: web, name: 'web', ...shape(490, 256, 2) })).status,
  ).toBe(200);
  platform = await platform.restart({ realClusters: withLimits({}) });
  expect((await platform.call('deploy_container', { container_id: worker })).status).toBe(200);
  expect(await platform.must('get_container', { container_id: web })).toMatchObject({ maximum_cpu: 64_000 });
});
