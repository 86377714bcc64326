import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Condition } from '../../src/contract/index.ts';
import {
  deleteDockerService,
  type DockerServiceSpec,
  inspectDockerService,
  updateDockerService,
} from '../../src/platform/runtime/docker/api/index.ts';
import { dataWith, runningConditions } from '../support/conditions.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import type { Json } from '../support/test-platform.ts';

let docker: DockerPlatform;
let served: string;
let fragile: string;

const ports = [{ internal_port: 8080 }];
const serve = 'exec httpd -f -p 8080 -h /bin';
// It works for a while, and never again after that.
const breakable = '[ -e /data/once ] || { touch /data/once; sleep 6; }; echo "cannot go on"; exit 7';
const soon = { interval: 200 };

const status = async (id: string): Promise<Json> =>
  await docker.platform.must('get_container_status', { container_id: id });
const conditions = async (id: string): Promise<readonly Condition[]> => runningConditions(await status(id));
const changes = async (id: string) => dataWith(await conditions(id), 'CHANGED_EXTERNALLY').map(({ change }) => change);
const state = async (id: string): Promise<unknown> => (await status(id))['state'];

/** Changes a service on the engine without the platform. */
async function byHand(id: string, change: (spec: DockerServiceSpec) => DockerServiceSpec): Promise<void> {
  const { ID, Version, Spec } = await inspectDockerService(docker.engine.docker, `infra-${id}`);
  await updateDockerService(docker.engine.docker, ID, Version.Index, change(Spec));
}
const scaled =
  (replicas: number) =>
  (spec: DockerServiceSpec): DockerServiceSpec => ({ ...spec, Mode: { Replicated: { Replicas: replicas } } });

beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
  served = await docker.container('served', serve, { ports, min_running_instances: 2, max_running_instances: 2 });
  fragile = await docker.container('fragile', breakable, {
    storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }],
  });
  await Promise.all([docker.act('deploy', served), docker.act('deploy', fragile)]);
});
afterAll(() => docker?.end());

test('what runs as it was deployed says so', async () => {
  await expect
    .poll(() => status(served), soon)
    .toMatchObject({
      state: 'DEPLOYED',
      service_deployment_status: 'UP_TO_DATE',
      running: { instances: 2, wanted_instances: 2, restarts: 0, warnings: [] },
    });
});

test('what somebody scaled on the engine shows, and the next deployment undoes it', async () => {
  await byHand(served, scaled(0));
  await expect
    .poll(() => status(served), soon)
    .toMatchObject({
      state: 'UNAVAILABLE',
      service_deployment_status: 'OUT_OF_DATE',
      running: { instances: 0, wanted_instances: 2 },
    });
  expect(await changes(served)).toEqual([{ of: 'scale', from: 2, to: 0 }]);
  expect(dataWith(await docker.conditions(served), 'UNAVAILABLE')).toEqual([{ isKnown: true }]);
  expect(await docker.platform.must('get_environment_status', { environment_id: docker.environmentId })).toMatchObject({
    environment: { state: 'UNAVAILABLE', deployment_status: 'OUT_OF_DATE' },
  });
  await docker.act('deploy', served);
  await expect
    .poll(() => status(served), soon)
    .toMatchObject({
      state: 'DEPLOYED',
      service_deployment_status: 'UP_TO_DATE',
      running: { instances: 2, warnings: [] },
    });
});

test('what somebody changed in its instances shows without its values, and a deployment undoes it', async () => {
  await byHand(served, (spec) => ({
    ...spec,
    TaskTemplate: {
      ...spec.TaskTemplate,
      ContainerSpec: {
        ...spec.TaskTemplate.ContainerSpec,
        Env: ['COLOUR=not-to-be-seen'],
        Args: ['-c', 'exec httpd -f -p 8080 -h /'],
      },
    },
  }));
  await expect
    .poll(() => changes(served), soon)
    .toEqual(
      expect.arrayContaining([
        { of: 'variables', names: expect.arrayContaining(['COLOUR']) as unknown },
        { of: 'command' },
      ]),
    );
  expect(JSON.stringify([await status(served), await docker.messages(served)])).not.toContain('not-to-be-seen');
  await docker.act('deploy', served);
  expect(
    (await inspectDockerService(docker.engine.docker, `infra-${served}`)).Spec.TaskTemplate.ContainerSpec.Args,
  ).toEqual(['-c', serve]);
  await expect.poll(() => conditions(served), soon).toEqual([]);
});

test('a service that somebody removed is missed, and deployed again', async () => {
  await deleteDockerService(docker.engine.docker, `infra-${served}`);
  await expect.poll(() => state(served), soon).toBe('UNAVAILABLE');
  expect(dataWith(await conditions(served), 'REMOVED_EXTERNALLY')).toHaveLength(1);
  expect(await docker.act('deploy', served)).toMatchObject({ state: 'DEPLOYED' });
  await expect
    .poll(() => status(served), soon)
    .toMatchObject({ state: 'DEPLOYED', running: { instances: 2, warnings: [] } });
});

test('instances that end by themselves are counted, with the reason, until it is well again', async () => {
  await expect.poll(() => state(fragile), soon).toBe('UNAVAILABLE');
  await expect
    .poll(async () => ((await status(fragile))['running'] as { restarts: number }).restarts, soon)
    .toBeGreaterThan(1);
  const cause = { reason: 'EXITED', details: { code: 7 } };
  expect(dataWith(await conditions(fragile), 'CRASHED')).toMatchObject([{ cause }]);
  expect(dataWith(await docker.conditions(fragile), 'INSTANCE_FAILED')).toContainEqual({
    instance: expect.stringMatching(/^fragile-1-\w+$/),
    nth: 1,
    cause: expect.objectContaining(cause),
  });
  // The engine keeps five ended instances: what the first one said was copied.
  await expect
    .poll(async () => ((await status(fragile))['running'] as { restarts: number }).restarts, { interval: 500 })
    .toBeGreaterThan(7);
  const { results: lines } = (await docker.platform.must('get_container_logs', { container_id: fragile })) as {
    results: { created_at: string; message: string; pod_name: string }[];
  };
  const pods = new Set(lines.filter(({ message }) => message === 'cannot go on').map(({ pod_name: pod }) => pod));
  expect(pods.size).toBeGreaterThan(5);
  expect(lines).toEqual(lines.toSorted((one, other) => one.created_at.localeCompare(other.created_at)));
  expect(new Set(lines.map((line) => JSON.stringify([line.created_at, line.message, line.pod_name]))).size).toBe(
    lines.length,
  );
  const events = await docker.platform.must('list_events', { organization_id: docker.platform.organizationId });
  expect(JSON.stringify(events)).toContain('"UNAVAILABLE"');
  await docker.act('stop', fragile);
  expect(await status(fragile)).toMatchObject({ state: 'STOPPED' });
});

test('an engine that does not answer is neither well nor gone', async () => {
  await docker.engine.kill();
  await expect.poll(() => state(served), soon).toBe('UNAVAILABLE');
  const told = await conditions(served);
  expect(dataWith(told, 'CLUSTER_UNREACHABLE')).toMatchObject([{ since: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  expect(dataWith(told, 'INSTANCES_MISSING')).toEqual([]);
  await docker.engine.start();
  await expect.poll(() => status(served), { interval: 500 }).toMatchObject({ running: { instances: 2 } });
  await expect.poll(() => state(served), soon).toMatch(/DEPLOYED|RESTARTED/);
});
