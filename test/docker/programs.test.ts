import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Condition } from '../../src/contract/index.ts';
import { Healthchecks } from '../../src/contract/resources/service.ts';
import {
  createDockerConfig,
  createDockerNetwork,
  createDockerSecret,
  createDockerService,
  deleteDockerService,
  dockerInfo,
  inspectDockerContainer,
  inspectDockerService,
  listDockerTasks,
  readDockerServiceLogs,
  type DockerContainerSpec,
  type DockerHealthcheck,
  type DockerTask,
} from '../../src/platform/runtime/docker/api/index.ts';
import { healthProblem, probeHealthcheck } from '../../src/platform/runtime/docker/services/probes.ts';
import { containerProgram } from '../../src/platform/runtime/docker/programs/programs.ts';
import {
  encodeSecretVariables,
  secretVariablesPath,
  withSecretVariables,
} from '../../src/platform/runtime/docker/services/secret-variables.ts';
import { startTestEngine, type TestEngine, waitUntil } from '../support/docker/docker-engine.ts';
import { buildTestImage } from '../support/docker/test-images.ts';

let engine: TestEngine;
let image: string;
let network: string;
let files: Pick<DockerContainerSpec, 'Configs' | 'Secrets'>;
const secret = 'correct horse battery staple';

/** How a container has a file. */
const asFile = (path: string, mode: number) => ({ Name: path, UID: '0', GID: '0', Mode: mode });

beforeAll(async () => {
  engine = await startTestEngine();
  const { docker } = engine;
  image = await buildTestImage(docker, 'scratch');
  network = 'neighbours';
  await createDockerNetwork(docker, { Name: network, Driver: 'overlay', Attachable: true, Labels: {} });
  const { Architecture: architecture } = await dockerInfo(docker);
  const programs = await Promise.all(
    (['entrypoint', 'probe'] as const).map(async (kind) => {
      const { name, path, mode, content } = containerProgram(kind, architecture);
      return {
        ConfigID: await createDockerConfig(docker, { name, labels: {}, content }),
        ConfigName: name,
        File: asFile(path, mode),
      };
    }),
  );
  const variables = {
    name: 'variables',
    labels: {},
    content: encodeSecretVariables([{ key: 'SECRET', value: secret }]),
  };
  files = {
    Configs: programs,
    Secrets: [
      {
        SecretID: await createDockerSecret(docker, variables),
        SecretName: variables.name,
        File: asFile(secretVariablesPath, 0o444),
      },
    ],
  };
});
afterAll(async () => engine?.end());

let services = 0;

/** Starts a service from an image that has nothing but busybox. */
async function start(script: string, spec: Partial<DockerContainerSpec> = {}): Promise<string> {
  const id = await createDockerService(engine.docker, {
    Name: `service-${services++}`,
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Command: withSecretVariables(['/busybox', 'sh', '-c', script]),
        Init: true,
        StopGracePeriod: 1e9,
        ...files,
        ...spec,
      },
      RestartPolicy: { Condition: 'any', Delay: 5e8 },
      Networks: [{ Target: network }],
    },
    EndpointSpec: { Mode: 'dnsrr' },
  });
  onTestFinished(() => deleteDockerService(engine.docker, id));
  return id;
}

const tasksOf = (service: string): Promise<readonly DockerTask[]> =>
  listDockerTasks(engine.docker, { service: [service] });

/** Waits for a task in a state. */
async function taskIn(
  service: string,
  state: DockerTask['Status']['State'],
  also: (task: DockerTask) => boolean = () => true,
): Promise<DockerTask> {
  let found: DockerTask | undefined;
  await waitUntil(
    `a task is ${state}`,
    async () =>
      (found = (await tasksOf(service)).find((task) => task.Status.State === state && also(task))) !== undefined,
  );
  return found!;
}

const containerOf = (task: DockerTask) =>
  inspectDockerContainer(engine.docker, task.Status.ContainerStatus!.ContainerID!);

/** What the health check of a task says is wrong with it now. */
const problemOf = async (task: DockerTask): Promise<Condition | undefined> =>
  healthProblem((await containerOf(task)).State.Health)?.condition;

/** What is wrong with a task, once its health check has said something that fits. */
async function problemWith(task: DockerTask, pattern: RegExp): Promise<Condition> {
  let problem: Condition | undefined;
  await waitUntil(`its health check says ${pattern}`, async () =>
    pattern.test((problem = await problemOf(task))?.message ?? ''),
  );
  return problem!;
}

const timing = { initial_delay_seconds: 0, period_seconds: 1, failure_threshold: 2 };

/** The health check for probes, with runs that end after a second. */
const healthcheck = (healthchecks: unknown): DockerHealthcheck => {
  const check = probeHealthcheck(Healthchecks.parse(healthchecks))!;
  return { ...check, Test: check.Test.map((argument, index) => (index === 4 ? '1000' : argument)) };
};

const logOf = async (service: string): Promise<string> => {
  const lines: string[] = [];
  for await (const { text } of readDockerServiceLogs(engine.docker, service)) lines.push(text);
  return lines.join('\n');
};

describe('in an image that has nothing else', () => {
  test.each([undefined, '65534:65534'])(
    'a secret reaches the program and nobody who inspects it, as user %s',
    async (user) => {
      const service = await start('echo "got $SECRET"; exec /busybox sleep 3600', { User: user });
      const task = await taskIn(service, 'running');
      await waitUntil('the program has logged', async () => (await logOf(service)).includes('got'));
      expect(await logOf(service)).toContain(`got ${secret}`);
      const seen = JSON.stringify([
        await inspectDockerService(engine.docker, service),
        await tasksOf(service),
        await containerOf(task),
      ]);
      expect(seen).toContain(secretVariablesPath);
      expect(seen).not.toContain(secret);
    },
  );

  test('a program that is not there ends with the reason in its log', async () => {
    const service = await start('', { Command: withSecretVariables(['no-such-program']) });
    const { Status: status } = await taskIn(service, 'failed');
    expect(status).toMatchObject({ Err: 'task: non-zero exit (127)', ContainerStatus: { ExitCode: 127 } });
    expect(await logOf(service)).toContain('infra-entrypoint: no-such-program was not found');
  });

  test('a container starts until its readiness probe has passed', async () => {
    const script = '/busybox httpd -p 8080 -h /; /busybox sleep 4; echo yes > /ready; exec /busybox sleep 3600';
    const service = await start(script, {
      Healthcheck: healthcheck({ readiness_probe: { type: { http: { port: 8080, path: '/ready' } }, ...timing } }),
    });
    const starting = await taskIn(
      service,
      'starting',
      ({ Status }) => Status.ContainerStatus?.ContainerID !== undefined,
    );
    expect(await problemWith(starting, /404/)).toMatchObject({
      reason: 'PROBE_FAILED',
      details: { probe: 'readiness', how: 'not passed', port: 8080, status: 404 },
    });
    const running = await taskIn(service, 'running');
    expect(running.ID).toBe(starting.ID);
    expect((await containerOf(running)).State.Health).toMatchObject({ Status: 'healthy' });
  });

  test('one that listens on loopback only is not ready: its neighbours do not reach it', async () => {
    const service = await start('exec /busybox httpd -f -p 127.0.0.1:8080 -h /', {
      Healthcheck: healthcheck({ readiness_probe: { type: { tcp: { port: 8080 } }, ...timing } }),
    });
    const starting = await taskIn(
      service,
      'starting',
      ({ Status }) => Status.ContainerStatus?.ContainerID !== undefined,
    );
    expect(await problemWith(starting, /refused/)).toMatchObject({
      reason: 'PROBE_FAILED',
      details: { probe: 'readiness', how: 'not passed', port: 8080, isRefused: true },
    });
    // It may fail for as long as it likes.
    await delay(3000);
    expect(await tasksOf(service)).toMatchObject([{ ID: starting.ID, Status: { State: 'starting' } }]);
  });

  test('one whose liveness probe fails is ended, with the reason', async () => {
    const script =
      '/busybox httpd -p 8080 -h /; echo yes > /alive; /busybox sleep 5; /busybox rm /alive; exec /busybox sleep 3600';
    const probes = {
      readiness_probe: { type: { tcp: { port: 8080 } }, ...timing },
      liveness_probe: { type: { http: { port: 8080, path: '/alive' } }, ...timing, initial_delay_seconds: 1 },
    };
    const service = await start(script, { Healthcheck: healthcheck(probes) });
    const running = await taskIn(service, 'running');
    const failed = await taskIn(service, 'failed', ({ ID }) => ID === running.ID);
    expect(failed.Status.Err).toContain('unhealthy container');
    expect(await problemOf(failed)).toMatchObject({
      reason: 'PROBE_FAILED',
      details: {
        probe: 'liveness',
        how: 'failed',
        why: 'port 8080: status 404, 2 times in a row',
        port: 8080,
        status: 404,
      },
    });
    await taskIn(service, 'running', ({ ID }) => ID !== running.ID);
  });

  test('one that hangs while it starts is ended by its liveness probe', async () => {
    const probes = {
      readiness_probe: { type: { tcp: { port: 8080 } }, ...timing },
      liveness_probe: { type: { exec: { command: ['/busybox', 'false'] } }, ...timing },
    };
    const service = await start('exec /busybox sleep 3600', { Healthcheck: healthcheck(probes) });
    const failed = await taskIn(service, 'failed');
    expect(await problemOf(failed)).toMatchObject({
      reason: 'PROBE_FAILED',
      details: { probe: 'liveness', how: 'failed', why: 'exit code 1, 2 times in a row' },
    });
  });

  test('a command of a probe has the secret variables', async () => {
    const command = ['/busybox', 'sh', '-c', `[ "$SECRET" = "${secret}" ]`];
    const service = await start('exec /busybox sleep 3600', {
      Healthcheck: healthcheck({ readiness_probe: { type: { exec: { command } }, ...timing } }),
      User: '65534',
    });
    await taskIn(service, 'running');
  });
});
