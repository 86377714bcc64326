import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connectToDockerNetwork,
  copyToDockerContainer,
  createDockerContainer,
  createDockerNetwork,
  createDockerVolume,
  deleteDockerNetwork,
  deleteDockerVolume,
  disconnectFromDockerNetwork,
  dockerDiskUsage,
  type DockerContainerCreation,
  execInDockerContainer,
  inspectDockerContainer,
  inspectDockerNetwork,
  inspectDockerVolume,
  listDockerContainers,
  listDockerVolumes,
  readDockerContainerLogs,
  removeDockerContainer,
  startDockerContainer,
  stopDockerContainer,
  waitForDockerContainer,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { collect, rejectionOf } from '../../platform/runtime/docker/fake-engine.ts';
import { startTestEngine, type TestEngine, waitUntil } from '../../support/docker/docker-engine.ts';
import { buildTestImage, tarOf } from '../../support/docker/test-images.ts';

let engine: TestEngine;
let image: string;
beforeAll(async () => {
  engine = await startTestEngine();
  image = await buildTestImage(engine.docker, 'shell');
});
afterAll(() => engine?.end());

const labels = { 'io.infra-mcp.test': 'containers' };

/** Starts a container. */
const startedContainer = async (
  name: string,
  script: string,
  more: Partial<DockerContainerCreation> = {},
): Promise<string> => {
  const id = await createDockerContainer(engine.docker, name, {
    Image: image,
    Cmd: ['sh', '-c', script],
    Labels: labels,
    ...more,
  });
  await startDockerContainer(engine.docker, id);
  return id;
};

/** Runs a command in a container. */
const run = async (
  container: string,
  ...command: string[]
): Promise<{ readonly output: string; readonly code: number }> => {
  const { output, exitCode } = await execInDockerContainer(engine.docker, container, { command });
  const frames = await collect(output);
  return { output: Buffer.concat(frames.map(({ bytes }) => bytes)).toString('utf8'), code: await exitCode() };
};

describe('a container', () => {
  test('is created, started, found, stopped and removed', async () => {
    const { docker } = engine;
    const id = await startedContainer('steady', 'trap "exit 3" TERM; while true; do sleep 0.1; done');
    // One that runs stays as it is.
    await startDockerContainer(docker, id);
    expect(await inspectDockerContainer(docker, 'steady')).toMatchObject({
      Id: id,
      Name: '/steady',
      State: { Status: 'running', Running: true, OOMKilled: false },
      Config: { Labels: labels },
    });
    expect(
      await listDockerContainers(docker, { label: ['io.infra-mcp.test=containers'], name: ['steady'] }),
    ).toMatchObject([{ Id: id, Names: ['/steady'], State: 'running', ImageID: image, Labels: labels }]);
    expect(await rejectionOf(createDockerContainer(docker, 'steady', { Image: image }))).toMatchObject({
      kind: 'conflict',
    });
    const ended = waitForDockerContainer(docker, id);
    await stopDockerContainer(docker, id, 5);
    expect(await ended).toBe(3);
    expect((await inspectDockerContainer(docker, id)).State).toMatchObject({ Status: 'exited', ExitCode: 3 });
    await removeDockerContainer(docker, id);
    expect(await rejectionOf(inspectDockerContainer(docker, id))).toMatchObject({ kind: 'not found' });
  });

  test('without its image, or with a program that is not there, says so', async () => {
    const { docker } = engine;
    expect(
      await rejectionOf(createDockerContainer(docker, 'lost', { Image: 'infra-mcp-test/nowhere:1' })),
    ).toMatchObject({ kind: 'not found', reason: expect.stringContaining('No such image') });
    const id = await createDockerContainer(docker, 'misspelled', { Image: image, Cmd: ['/bin/misspelled'] });
    expect(await rejectionOf(startDockerContainer(docker, id))).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('no such file or directory'),
    });
    await removeDockerContainer(docker, id);
  });

  test('that takes more memory than it has shows it', async () => {
    const { docker } = engine;
    const id = await startedContainer(
      'greedy',
      'head -c 200000000 /dev/zero | tail -c 150000000 | wc -c; sleep 1; exit 5',
      { HostConfig: { Memory: 16 * 1024 * 1024 } },
    );
    await waitForDockerContainer(docker, id);
    expect((await inspectDockerContainer(docker, id)).State.OOMKilled).toBe(true);
    await removeDockerContainer(docker, id);
  });

  test('has logs', async () => {
    const { docker } = engine;
    const id = await startedContainer('logging', 'echo out; echo err >&2');
    await waitForDockerContainer(docker, id);
    const lines = await collect(readDockerContainerLogs(docker, id));
    expect(lines.map(({ stream, text }) => `${stream}: ${text}`).toSorted()).toEqual(['stderr: err', 'stdout: out']);
    // A follow of a container that has ended ends too.
    expect(await collect(readDockerContainerLogs(docker, id, { follow: true }))).toHaveLength(2);
    await removeDockerContainer(docker, id);
  });

  test('with health checks shows their results', async () => {
    const { docker } = engine;
    const id = await startedContainer('healthy', 'sleep 1000', {
      Healthcheck: { Test: ['CMD', 'echo', 'fine'], Interval: 2e8, Timeout: 5e9, Retries: 1 },
    });
    await waitUntil(
      'it is healthy',
      async () => (await inspectDockerContainer(docker, id)).State.Health?.Status === 'healthy',
    );
    expect((await inspectDockerContainer(docker, id)).State.Health!.Log!.at(-1)).toMatchObject({
      ExitCode: 0,
      Output: 'fine\n',
    });
    await removeDockerContainer(docker, id);
  });
});

describe('in a running container', () => {
  let id: string;
  beforeAll(async () => (id = await startedContainer('host', 'sleep 1000')));
  afterAll(() => removeDockerContainer(engine.docker, id));

  test('commands run, with their output, variables and exit code', async () => {
    const { output, exitCode } = await execInDockerContainer(engine.docker, id, {
      command: ['sh', '-c', 'echo "$GREETING"; echo problem >&2; exit 4'],
      env: ['GREETING=hello there'],
    });
    const frames = (await collect(output)).map(({ stream, bytes }) => `${stream}: ${bytes.toString('utf8')}`);
    expect(frames.toSorted()).toEqual(['stderr: problem\n', 'stdout: hello there\n']);
    expect(await exitCode()).toBe(4);
  });

  test('much output arrives whole', async () => {
    const { output, exitCode } = await execInDockerContainer(engine.docker, id, {
      command: ['head', '-c', '20000000', '/dev/zero'],
    });
    let bytes = 0;
    for await (const frame of output) bytes += frame.bytes.length;
    expect(bytes).toBe(20_000_000);
    expect(await exitCode()).toBe(0);
  });

  test('a command that takes too long ends with the deadline', async () => {
    const { output } = await execInDockerContainer(engine.docker, id, {
      command: ['sleep', '30'],
      timeoutMilliseconds: 1000,
    });
    expect(await rejectionOf(collect(output))).toMatchObject({ kind: 'timeout' });
  });

  test('files arrive', async () => {
    await copyToDockerContainer(engine.docker, id, '/bin', tarOf('-C', import.meta.dirname, 'containers.test.ts'));
    expect(await run(id, 'head', '-n', '1', '/bin/containers.test.ts')).toMatchObject({
      output: expect.stringContaining("from 'vitest'"),
      code: 0,
    });
    expect(await rejectionOf(copyToDockerContainer(engine.docker, id, '/nowhere', Buffer.alloc(1024)))).toMatchObject({
      kind: 'not found',
    });
  });

  test('none runs once it has stopped', async () => {
    const stopped = await startedContainer('stopped', 'true');
    await waitForDockerContainer(engine.docker, stopped);
    expect(await rejectionOf(execInDockerContainer(engine.docker, stopped, { command: ['true'] }))).toMatchObject({
      kind: 'conflict',
    });
    await removeDockerContainer(engine.docker, stopped);
  });
});

test('a container joins and leaves networks while it runs', async () => {
  const { docker } = engine;
  const network = await createDockerNetwork(docker, { Name: 'joined', Driver: 'overlay', Attachable: true });
  const id = await startedContainer('joiner', 'sleep 1000');
  await connectToDockerNetwork(docker, network, id, ['proxy']);
  expect(Object.keys((await inspectDockerContainer(docker, id)).NetworkSettings.Networks)).toContain('joined');
  expect(Object.keys((await inspectDockerNetwork(docker, network)).Containers!)).toContain(id);
  expect(await rejectionOf(deleteDockerNetwork(docker, network))).toBeInstanceOf(Error);
  await disconnectFromDockerNetwork(docker, network, id);
  expect(Object.keys((await inspectDockerContainer(docker, id)).NetworkSettings.Networks)).not.toContain('joined');
  await deleteDockerNetwork(docker, network);
  await removeDockerContainer(docker, id);
});

test('a published port answers on loopback', async () => {
  const { docker } = engine;
  const id = await startedContainer('web', 'mkdir /www; echo hello > /www/index.html; exec httpd -f -p 8080 -h /www', {
    ExposedPorts: { '8080/tcp': {} },
    HostConfig: { PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] } },
  });
  const [binding] = (await inspectDockerContainer(docker, id)).NetworkSettings.Ports!['8080/tcp']!;
  const url = `http://127.0.0.1:${binding!.HostPort}/`;
  await waitUntil('the page is there', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  expect(await (await fetch(url)).text()).toBe('hello\n');
  await removeDockerContainer(docker, id);
});

test('volumes are created, keep what is in them, and are deleted', async () => {
  const { docker } = engine;
  expect(await createDockerVolume(docker, 'data', labels)).toMatchObject({ Name: 'data', Labels: labels });
  // An existing one stays as it is.
  expect(await createDockerVolume(docker, 'data', { other: 'label' })).toMatchObject({ Labels: labels });
  expect((await listDockerVolumes(docker, { label: ['io.infra-mcp.test'] })).map((one) => one.Name)).toEqual(['data']);
  const mounted = { HostConfig: { Mounts: [{ Type: 'volume', Source: 'data', Target: '/data' }] } } as const;
  const writer = await startedContainer('writer', 'head -c 1000000 /dev/zero > /data/kept', mounted);
  await waitForDockerContainer(docker, writer);
  await removeDockerContainer(docker, writer);
  const reader = await startedContainer('reader', 'wc -c < /data/kept; sleep 1000', mounted);
  await waitUntil('it has read', async () =>
    (await collect(readDockerContainerLogs(docker, reader))).some(({ text }) => text.trim() === '1000000'),
  );
  expect(await rejectionOf(deleteDockerVolume(docker, 'data'))).toMatchObject({ kind: 'conflict' });
  const usage = await dockerDiskUsage(docker);
  expect(usage.volumes).toBeGreaterThanOrEqual(1_000_000);
  expect(usage.images).toBeGreaterThan(1_000_000);
  await removeDockerContainer(docker, reader);
  await deleteDockerVolume(docker, 'data');
  expect(await rejectionOf(inspectDockerVolume(docker, 'data'))).toMatchObject({ kind: 'not found' });
});
