import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  createDockerContainer,
  inspectDockerService,
  listDockerConfigs,
  listDockerContainers,
  listDockerServices,
  listDockerTasks,
  listDockerVolumes,
} from '../../src/platform/runtime/docker/api/index.ts';
import { dataWith } from '../support/conditions.ts';
import {
  type DockerPlatform,
  exceedsMemory,
  littleMemory,
  startDockerPlatform,
} from '../support/docker/docker-platform.ts';
import { everythingOn, makeForeignObjects } from '../support/docker/foreign-objects.ts';
import { isLanding } from '../suites.ts';

let docker: DockerPlatform;
beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
});
afterAll(() => docker?.end());

const made: string[] = [];
const container = async (...args: Parameters<DockerPlatform['container']>): Promise<string> => {
  const id = await docker.container(...args);
  made.push(id);
  return id;
};
afterEach(async () => {
  for (const id of made.splice(0)) await docker.act('delete', id);
});

const serve = 'echo "version one"; exec httpd -f -p 8080 -h /bin';
const ports = [{ internal_port: 8080 }];
const fails = 'echo "no database"; sleep 1; exit 3';

const serviceOf = (id: string) => inspectDockerService(docker.engine.docker, `infra-${id}`);
const running = async (id: string): Promise<string[]> =>
  (await listDockerTasks(docker.engine.docker, { service: [`infra-${id}`], 'desired-state': ['running'] }))
    .filter(({ Status }) => Status.State === 'running')
    .map(({ ID }) => ID);

test('a container is pulled, rolled out and tells what it logs', async () => {
  const id = await container('web', serve);
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' });
  const messages = await docker.messages(id);
  expect(messages).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Pulled /),
      expect.stringMatching(/^Instance web-1-\w+ is running$/),
      'version one',
    ]),
  );
  const { Spec } = await serviceOf(id);
  expect(Spec.TaskTemplate.ContainerSpec.Image).toMatch(/^127\.0\.0\.1:\d+\/shell@sha256:[0-9a-f]{64}$/);
});

test('a version that fails leaves the old one running, untouched, and says why', async () => {
  const talks = `(while sleep 1; do echo "still here"; done) & ${serve}`;
  const id = await container('two', talks, { ports, min_running_instances: 2, max_running_instances: 2 });
  await docker.act('deploy', id);
  const before = await running(id);
  await docker.change(id, { arguments: ['-c', fails] });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect(await docker.messages(id)).toContain('no database');
  expect(dataWith(await docker.conditions(id), 'INSTANCES_FAILED')).toMatchObject([
    { cause: { reason: 'EXITED', details: { code: 3 } } },
  ]);
  // What the old version goes on to say follows.
  await expect.poll(async () => (await docker.messages(id)).at(-1)).toBe('still here');
  expect((await serviceOf(id)).Spec.TaskTemplate.ContainerSpec.Args).toEqual(['-c', talks]);
  expect(before).toHaveLength(2);
  expect(await running(id)).toEqual(expect.arrayContaining(before));
  await docker.change(id, { arguments: ['-c', serve] });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
});

test.skipIf(isLanding)(
  'a container that the engine forgot when it was killed does not hold up a deletion',
  async () => {
    const { docker: client } = docker.engine;
    const id = await docker.container('kept', serve, {
      storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/kept' }],
    });
    await docker.act('deploy', id);
    const {
      Spec: {
        TaskTemplate: {
          ContainerSpec: { Image, Labels },
        },
      },
    } = await serviceOf(id);
    const [volume] = await listDockerVolumes(client, { label: [`io.infra-mcp.service=${id}`] });
    await createDockerContainer(client, 'forgotten', {
      Image,
      Labels,
      HostConfig: { Mounts: [{ Type: 'volume', Source: volume!.Name, Target: '/kept' }] },
    });
    expect(await docker.act('delete', id)).toEqual({});
    expect(await listDockerContainers(client, { name: ['forgotten'], status: ['created', 'exited'] })).toEqual([]);
  },
);

const firstFailures = [
  ['an image that is not there', { tag: '2' }, /The image 127\.0\.0\.1:\d+\/shell:2 does not exist/],
] as const;
const otherFirstFailures = [
  ['too little memory', { ...littleMemory, arguments: ['-c', exceedsMemory] }, /needed more memory than its limit/],
  ['a program that is not there', { entrypoint: '/bin/nothing' }, /a program was not found \(exit code 127\)/],
  ['more memory than a node has', { memory: 200_000 }, /No node has room for an instance: no suitable node/],
] as const;

test.each(isLanding ? firstFailures : [...firstFailures, ...otherFirstFailures])(
  'the first deployment of %s fails with its true cause, and leaves no service',
  async (_, members, cause) => {
    const id = await container('broken', serve, { ...members });
    expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await docker.messages(id)).join('\n')).toMatch(cause);
    expect(await listDockerServices(docker.engine.docker, { name: [`infra-${id}`] })).toEqual([]);
  },
);

test('a restart replaces every instance; a stop takes them down and keeps the volume; a deploy brings them back', async () => {
  const storage = [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }];
  const id = await container('keeper', 'cat /data/kept; echo kept > /data/kept; exec sleep 600', { storage });
  await docker.act('deploy', id);
  const before = await running(id);
  expect(await docker.act('restart', id)).toMatchObject({ state: 'RESTARTED' });
  const after = await running(id);
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  expect(await docker.act('stop', id)).toMatchObject({ state: 'STOPPED' });
  expect(await running(id)).toEqual([]);
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  await expect.poll(async () => (await docker.messages(id)).filter((message) => message === 'kept')).not.toEqual([]);
});

test('variables reach a container, files as files', async () => {
  const id = await container('reader', 'echo "greeting $GREETING"; echo "$(cat /etc/shop/greeting)"; exec sleep 600');
  await docker.platform.must('create_variable_of_container', { container_id: id, key: 'GREETING', value: 'hello' });
  await docker.platform.must('create_variable', {
    key: 'GREETING_FILE',
    value: 'hello from a file',
    is_secret: false,
    variable_scope: 'CONTAINER',
    variable_parent_id: id,
    mount_path: '/etc/shop/greeting',
  });
  await docker.act('deploy', id);
  expect(await docker.messages(id)).toEqual(expect.arrayContaining(['greeting hello', 'hello from a file']));
});

test('a secret reaches the process as a variable, and shows nowhere on the engine', async () => {
  const secret = 'hunter2-not-to-be-seen';
  const id = await container('keeper-of-secrets', 'echo "length ${#PASSWORD}"; exec httpd -f -p 8080 -h /bin', {
    ports,
  });
  await docker.platform.must('create_secret_of_container', { container_id: id, key: 'PASSWORD', value: secret });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  await expect.poll(() => docker.messages(id)).toContain(`length ${secret.length}`);
  const tasks = await listDockerTasks(docker.engine.docker, { service: [`infra-${id}`] });
  expect(
    JSON.stringify([
      await serviceOf(id),
      tasks,
      await listDockerConfigs(docker.engine.docker),
      await docker.messages(id),
      docker.platform.dump(),
    ]),
  ).not.toContain(secret);
});

test.skipIf(isLanding)(
  'a version that never gets ready fails with what its probe says, and the old one serves on',
  async () => {
    const id = await container('slow', serve, { ports });
    await docker.act('deploy', id);
    const before = await running(id);
    const probe = {
      type: { http: { port: 8080, path: '/nowhere' } },
      initial_delay_seconds: 0,
      period_seconds: 1,
      timeout_seconds: 1,
      success_threshold: 1,
      failure_threshold: 2,
    };
    await docker.change(id, { healthchecks: { readiness_probe: probe } });
    expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect(dataWith(await docker.conditions(id), 'NOT_READY_IN_TIME')).toMatchObject([
      { cause: { reason: 'PROBE_FAILED', details: { probe: 'readiness', how: 'not passed', status: 404 } } },
    ]);
    expect(await running(id)).toEqual(before);
  },
);

test('services of an environment find each other by name; those of another one do not', async () => {
  const id = await container('pages', serve);
  await docker.act('deploy', id);
  const near = await container(
    'near',
    'sleep 1; wget -q -O /dev/null http://pages:8080/sh && echo "reached pages"; exec sleep 600',
  );
  await docker.act('deploy', near);
  await expect.poll(() => docker.messages(near)).toContain('reached pages');
});

test.skipIf(isLanding)('what others have on the engine is left alone, and nothing of ours stays behind', async () => {
  const { engine } = docker;
  await makeForeignObjects(engine.docker, 'infra-mcp-test/shell:1', ['/bin/sleep', '600']);
  const before = await everythingOn(engine.docker);
  const id = await container('passing', serve, { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] });
  await docker.platform.must('create_secret_of_container', { container_id: id, key: 'PASSWORD', value: 'hunter2' });
  await docker.act('deploy', id);
  expect(
    (await everythingOn(engine.docker)).filter((each) => !before.includes(each)).map((each) => each.split(' ')[0]),
  ).toEqual(['config', 'network', 'secret', 'service', 'volume']);
  // A platform that starts removes what no record of its own knows.
  await docker.restartPlatform();
  await expect
    .poll(async () => (await docker.platform.must('get_container_status', { container_id: id }))['running'])
    .toMatchObject({ instances: 1 });
  await docker.act('delete', made.pop()!);
  await expect.poll(() => everythingOn(engine.docker)).toEqual(before);
});
