import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDockerConfig,
  createDockerNetwork,
  createDockerSecret,
  createDockerService,
  deleteDockerConfig,
  deleteDockerNetwork,
  deleteDockerSecret,
  deleteDockerService,
  dockerInfo,
  type DockerServiceSpec,
  type DockerTask,
  inspectDockerNetwork,
  inspectDockerNode,
  inspectDockerService,
  inspectDockerSwarm,
  listDockerConfigs,
  listDockerNetworks,
  listDockerNodes,
  listDockerSecrets,
  listDockerServices,
  listDockerTasks,
  readDockerServiceLogs,
  updateDockerService,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { collect, rejectionOf } from '../../platform/runtime/docker/fake-engine.ts';
import { startTestEngine, type TestEngine, waitUntil } from '../../support/docker/docker-engine.ts';
import { buildTestImage } from '../../support/docker/test-images.ts';

let engine: TestEngine;
let image: string;
beforeAll(async () => {
  engine = await startTestEngine();
  image = await buildTestImage(engine.docker, 'shell');
});
afterAll(() => engine?.end());

const labels = { 'io.infra-mcp.test': 'swarm objects' };

const specOf = (
  name: string,
  script: string,
  more: Partial<DockerServiceSpec['TaskTemplate']['ContainerSpec']> = {},
): DockerServiceSpec => ({
  Name: name,
  Labels: labels,
  TaskTemplate: {
    ContainerSpec: { Image: image, Command: ['sh', '-c', script], StopGracePeriod: 1e8, ...more },
    RestartPolicy: { Condition: 'any', Delay: 5e8 },
  },
  Mode: { Replicated: { Replicas: 1 } },
  UpdateConfig: { Parallelism: 1, Order: 'start-first', FailureAction: 'pause', Monitor: 1e9 },
  EndpointSpec: { Mode: 'dnsrr' },
});

/** Waits for a task of a service in a state. */
const taskOf = async (service: string, state: DockerTask['Status']['State']): Promise<DockerTask> => {
  let found: DockerTask | undefined;
  await waitUntil(`a task of ${service} is ${state}`, async () => {
    found = (await listDockerTasks(engine.docker, { service: [service] })).find(
      ({ Status: status }) => status.State === state,
    );
    return found !== undefined;
  });
  return found!;
};

describe('a service', () => {
  test('is created, found, updated by its version, and deleted', async () => {
    const { docker } = engine;
    const spec = specOf('web', 'sleep 1000');
    const id = await createDockerService(docker, spec);
    const created = await inspectDockerService(docker, 'web');
    expect(created).toMatchObject({ ID: id, Spec: { Name: 'web', Labels: labels, UpdateConfig: spec.UpdateConfig } });
    expect(await rejectionOf(createDockerService(docker, spec))).toMatchObject({ kind: 'conflict', status: 409 });
    expect(
      (await listDockerServices(docker, { label: ['io.infra-mcp.test=swarm objects'] })).map((one) => one.ID),
    ).toEqual([id]);
    expect(await listDockerServices(docker, { label: ['io.infra-mcp.test=other'] })).toEqual([]);
    expect(await taskOf('web', 'running')).toMatchObject({
      ServiceID: id,
      Slot: 1,
      DesiredState: 'running',
      Status: { ContainerStatus: { ContainerID: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });

    const version = created.Version.Index;
    await updateDockerService(docker, id, version, { ...spec, Labels: { ...labels, changed: 'yes' } });
    expect((await inspectDockerService(docker, id)).Spec.Labels).toEqual({ ...labels, changed: 'yes' });
    // The first version has passed.
    expect(await rejectionOf(updateDockerService(docker, id, version, spec))).toMatchObject({
      kind: 'stale',
      status: 500,
      method: 'POST',
      path: `/services/${id}/update`,
    });
    expect((await inspectDockerService(docker, id)).Spec.Labels).toEqual({ ...labels, changed: 'yes' });

    await deleteDockerService(docker, id);
    expect(await rejectionOf(inspectDockerService(docker, id))).toMatchObject({ kind: 'not found', status: 404 });
    expect(await rejectionOf(deleteDockerService(docker, id))).toMatchObject({ kind: 'not found' });
  });

  test('that can not be is refused, without its variables in the error', async () => {
    const spec = specOf('not a name', 'true', { Env: ['TOKEN=hidden-word'] });
    const error = await rejectionOf(
      createDockerService(engine.docker, spec, {
        username: 'puller',
        password: 'hidden-word',
        serveraddress: 'registry.example',
      }),
    );
    expect(error).toMatchObject({ kind: 'refused', status: 400, path: '/services/create' });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('hidden-word');
  });

  test('says why its tasks fail', async () => {
    const { docker } = engine;
    await createDockerService(docker, specOf('broken', 'exit 7'));
    expect((await taskOf('broken', 'failed')).Status).toMatchObject({
      Err: 'task: non-zero exit (7)',
      ContainerStatus: { ExitCode: 7 },
    });
    await deleteDockerService(docker, 'broken');
  });

  test('has logs: time, task and stream of each line', async () => {
    const { docker } = engine;
    await createDockerService(
      docker,
      specOf(
        'talker',
        `echo "first line"; echo "to stderr" >&2; echo; head -c 40000 /dev/zero | tr '\\0' x; echo; sleep 1000`,
      ),
    );
    const task = await taskOf('talker', 'running');
    const read = () => collect(readDockerServiceLogs(docker, 'talker'));
    await waitUntil('all lines are there', async () => (await read()).length === 4);
    const lines = await read();
    expect(lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text)).toEqual([
      'first line',
      '',
      'x'.repeat(40_000),
    ]);
    expect(lines.filter(({ stream }) => stream === 'stderr').map(({ text }) => text)).toEqual(['to stderr']);
    for (const line of lines) {
      expect(line.details).toMatchObject({
        'com.docker.swarm.task.id': task.ID,
        'com.docker.swarm.node.id': task.NodeID,
        'com.docker.swarm.service.id': task.ServiceID,
      });
      expect(Date.parse(line.timestamp)).toBeGreaterThan(Date.now() - 600_000);
    }
    expect(await collect(readDockerServiceLogs(docker, 'talker', { tail: 1 }))).toHaveLength(1);
    expect(await collect(readDockerServiceLogs(docker, 'talker', { since: String(Date.now() / 1000 + 60) }))).toEqual(
      [],
    );
    await deleteDockerService(docker, 'talker');
  });

  test('whose logs are followed: new lines come until the signal', async () => {
    const { docker } = engine;
    await createDockerService(docker, specOf('ticker', 'while true; do echo tick; sleep 0.2; done'));
    await taskOf('ticker', 'running');
    const stopping = new AbortController();
    let ticks = 0;
    const following = async (): Promise<void> => {
      for await (const { text } of readDockerServiceLogs(docker, 'ticker', { follow: true, signal: stopping.signal })) {
        expect(text).toBe('tick');
        ticks += 1;
        if (ticks === 5) stopping.abort(new Error('enough'));
      }
    };
    expect(String(await rejectionOf(following()))).toBe('Error: enough');
    expect(ticks).toBeGreaterThanOrEqual(5);
    expect(
      await rejectionOf(collect(readDockerServiceLogs(docker, 'ticker', { follow: true, timeoutMilliseconds: 1000 }))),
    ).toMatchObject({ kind: 'timeout' });
    await deleteDockerService(docker, 'ticker');
  });
});

describe('networks', () => {
  test('are created, found and deleted', async () => {
    const { docker } = engine;
    const id = await createDockerNetwork(docker, { Name: 'shop', Driver: 'overlay', Attachable: true, Labels: labels });
    await waitUntil('it has its driver', async () => (await inspectDockerNetwork(docker, id)).Driver !== '');
    expect(await inspectDockerNetwork(docker, 'shop')).toMatchObject({
      Id: id,
      Name: 'shop',
      Scope: 'swarm',
      Driver: 'overlay',
      Attachable: true,
      Labels: labels,
    });
    expect(await rejectionOf(createDockerNetwork(docker, { Name: 'shop', Driver: 'overlay' }))).toMatchObject({
      kind: 'conflict',
    });
    expect((await listDockerNetworks(docker, { label: ['io.infra-mcp.test'] })).map((one) => one.Id)).toEqual([id]);
    await deleteDockerNetwork(docker, id);
    expect(await rejectionOf(inspectDockerNetwork(docker, id))).toMatchObject({ kind: 'not found' });
  });

  test('carry names between services', async () => {
    const { docker } = engine;
    const target = await createDockerNetwork(docker, { Name: 'names', Driver: 'overlay' });
    const on = (spec: DockerServiceSpec, aliases: readonly string[] = []): DockerServiceSpec => ({
      ...spec,
      TaskTemplate: { ...spec.TaskTemplate, Networks: [{ Target: target, Aliases: aliases }] },
    });
    // Debian's static busybox looks up names with `nslookup` only.
    const caller =
      "while true; do ip=$(nslookup neighbor | awk '/^Name/ { getline; print $2 }'); nc -w 1 $ip 8080 < /dev/null; sleep 0.2; done";
    await createDockerService(
      docker,
      on(specOf('server', 'while true; do echo hello | nc -l -p 8080; done'), ['neighbor']),
    );
    await createDockerService(docker, on(specOf('caller', caller)));
    await waitUntil('the caller reaches the server', async () =>
      (await collect(readDockerServiceLogs(docker, 'caller'))).some(({ text }) => text === 'hello'),
    );
    await Promise.all(['server', 'caller'].map((name) => deleteDockerService(docker, name)));
    await waitUntil('the network is free', () =>
      deleteDockerNetwork(docker, target).then(
        () => true,
        () => false,
      ),
    );
  });
});

/** A file in a container. */
const file = (name: string, mode: number) => ({ Name: name, UID: '0', GID: '0', Mode: mode });

test('secrets and configs are created, used, and deleted when they are free', async () => {
  const { docker } = engine;
  const secret = await createDockerSecret(docker, { name: 'password', labels, content: Buffer.from('hidden-word') });
  const config = await createDockerConfig(docker, {
    name: 'greeting',
    labels,
    content: Buffer.from('#!/bin/sh\necho hello\n'),
  });
  expect(
    await rejectionOf(createDockerSecret(docker, { name: 'password', content: Buffer.from('other') })),
  ).toMatchObject({ kind: 'conflict' });
  expect(
    await rejectionOf(createDockerConfig(docker, { name: 'greeting', content: Buffer.from('other') })),
  ).toMatchObject({ kind: 'conflict' });
  const secrets = await listDockerSecrets(docker, { label: ['io.infra-mcp.test'] });
  expect(secrets).toMatchObject([{ ID: secret, Spec: { Name: 'password', Labels: labels } }]);
  expect(JSON.stringify(secrets)).not.toContain(Buffer.from('hidden-word').toString('base64'));
  expect(await listDockerConfigs(docker, { label: ['io.infra-mcp.test'] })).toMatchObject([
    { ID: config, Spec: { Name: 'greeting', Data: Buffer.from('#!/bin/sh\necho hello\n').toString('base64') } },
  ]);

  await createDockerService(
    docker,
    specOf('reader', '/greet; wc -c < /run/secrets/password; sleep 1000', {
      Secrets: [{ SecretID: secret, SecretName: 'password', File: file('password', 0o400) }],
      Configs: [{ ConfigID: config, ConfigName: 'greeting', File: file('/greet', 0o555) }],
    }),
  );
  await waitUntil(
    'the task has read both',
    async () => (await collect(readDockerServiceLogs(docker, 'reader'))).length === 2,
  );
  expect((await collect(readDockerServiceLogs(docker, 'reader'))).map(({ text }) => text)).toEqual(['hello', '11']);
  expect(await rejectionOf(deleteDockerSecret(docker, secret))).toMatchObject({ kind: 'refused' });
  expect(await rejectionOf(deleteDockerConfig(docker, config))).toMatchObject({ kind: 'refused' });
  await deleteDockerService(docker, 'reader');
  await Promise.all([deleteDockerSecret(docker, secret), deleteDockerConfig(docker, config)]);
  expect(await rejectionOf(deleteDockerSecret(docker, secret))).toMatchObject({ kind: 'not found' });
  expect(await rejectionOf(deleteDockerConfig(docker, config))).toMatchObject({ kind: 'not found' });
});

test('the swarm and its node are described', async () => {
  const { docker } = engine;
  const { Swarm: swarm } = await dockerInfo(docker);
  expect(swarm).toMatchObject({ LocalNodeState: 'active', ControlAvailable: true, Nodes: 1, Managers: 1 });
  expect(await listDockerNodes(docker)).toMatchObject([
    { ID: swarm.NodeID, Spec: { Role: 'manager', Availability: 'active' }, Status: { State: 'ready' } },
  ]);
  expect(await inspectDockerNode(docker, swarm.NodeID)).toMatchObject({
    ID: swarm.NodeID,
    Description: { Platform: { OS: 'linux' } },
  });
  expect(await inspectDockerSwarm(docker)).toMatchObject({ Spec: { Dispatcher: { HeartbeatPeriod: 1e9 } } });
});
