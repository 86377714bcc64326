import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDockerClient,
  createDockerContainer,
  createDockerNetwork,
  type DockerError,
  dockerInfo,
  inspectDockerContainer,
  inspectDockerSwarm,
  listDockerNodes,
  listDockerServices,
  newestDockerApi,
  oldestDockerApi,
  parseDockerAddress,
  startDockerContainer,
  waitForDockerContainer,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { rejectionOf } from '../../platform/runtime/docker/fake-engine.ts';
import { makeCertificates, type TestCertificates } from '../../support/docker/certificates.ts';
import { startTestEngine, type TestEngine } from '../../support/docker/docker-engine.ts';
import { buildTestImage } from '../../support/docker/test-images.ts';

let certificates: TestCertificates;
let engine: TestEngine;
beforeAll(async () => {
  certificates = await makeCertificates();
  const { ca, cert, key } = certificates;
  engine = await startTestEngine({
    swarm: false,
    args: ['--host', 'tcp://127.0.0.1:2376', '--tlsverify', '--tlscacert', ca, '--tlscert', cert, '--tlskey', key],
  });
});
afterAll(() => engine?.end());

test('the version is one that both know', async () => {
  const { ApiVersion: newest, Version: version } = await engine.docker.version();
  expect(version).toMatch(/^\d+\.\d+/);
  const spoken = await engine.docker.apiVersion();
  expect([newest, newestDockerApi]).toContain(spoken);
  expect(Number(spoken.split('.')[1])).toBeGreaterThanOrEqual(Number(oldestDockerApi.split('.')[1]));
});

describe('over TLS', () => {
  const address = 'tcp://127.0.0.1:2376';

  test('the engine answers whom it knows', async () => {
    const docker = createDockerClient(parseDockerAddress(address, certificates));
    expect((await dockerInfo(docker)).ID).toBe((await dockerInfo(engine.docker)).ID);
    await docker.close();
  });

  test('nobody else gets an answer, and another engine is not taken for it; both are told in words', async () => {
    const others = await makeCertificates();
    for (const [files, words] of [
      [{ ...certificates, ca: others.ca }, /not signed by the authority in the TLS file "ca"/],
      [{ ...others, ca: certificates.ca }, /not accept the certificate in the TLS file "cert"/],
      [{ ...certificates, key: others.key }, /the TLS file "key" is not the key of the certificate in "cert"/],
      [undefined, /HTTP request to an HTTPS server/],
    ] as const) {
      const docker = createDockerClient(parseDockerAddress(address, files));
      const error = await rejectionOf(dockerInfo(docker));
      expect(error).toMatchObject({ name: 'DockerError', kind: expect.stringMatching(/unreachable|refused/) });
      expect(String(error)).toMatch(words);
      expect(String(error)).not.toContain('PRIVATE KEY');
      await docker.close();
    }
  });
});

test('an engine without swarm says so', async () => {
  const { docker } = engine;
  const errors = await Promise.all(
    [listDockerServices(docker), listDockerNodes(docker), inspectDockerSwarm(docker)].map(rejectionOf),
  );
  expect(errors.map((error) => (error as DockerError).kind)).toEqual(['no manager', 'no manager', 'no manager']);
});

test('a running request ends with its signal and its deadline, and the client goes on', async () => {
  const { docker } = engine;
  const image = await buildTestImage(docker, 'shell');
  const container = await createDockerContainer(docker, 'waiting', { Image: image });
  await startDockerContainer(docker, container);
  const stopping = new AbortController();
  const waiting = rejectionOf(waitForDockerContainer(docker, container, { signal: stopping.signal }));
  await dockerInfo(docker);
  const reason = new Error('stopping');
  stopping.abort(reason);
  expect(await waiting).toBe(reason);
  expect(await rejectionOf(waitForDockerContainer(docker, container, { timeoutMilliseconds: 200 }))).toMatchObject({
    kind: 'timeout',
    path: `/containers/${container}/wait`,
  });
  expect((await inspectDockerContainer(docker, container)).State.Running).toBe(true);
});

test('an engine that is killed is unreachable, running requests included, and answers the same client once it is back', async () => {
  const { docker } = engine;
  const waiting = rejectionOf(waitForDockerContainer(docker, 'waiting'));
  await dockerInfo(docker);
  await engine.kill();
  expect(await waiting).toMatchObject({ kind: 'unreachable' });
  expect(await rejectionOf(dockerInfo(docker))).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining(engine.address),
  });
  await engine.start();
  expect((await dockerInfo(docker)).ID).not.toBe('');
  await engine.stop();
  expect(await rejectionOf(dockerInfo(docker))).toMatchObject({ kind: 'unreachable' });
  await engine.start();
  expect((await inspectDockerContainer(docker, 'waiting')).State.Status).toBe('exited');
});

test('two engines run side by side, each in a network of its own', async () => {
  const other = await startTestEngine({ network: 'own' });
  try {
    const [one, another] = await Promise.all([dockerInfo(engine.docker), dockerInfo(other.docker)]);
    expect(one.ID).not.toBe(another.ID);
    expect([one.Swarm.LocalNodeState, another.Swarm.LocalNodeState]).toEqual(['inactive', 'active']);
    await createDockerNetwork(other.docker, { Name: 'overlay', Driver: 'overlay' });
  } finally {
    await other.end();
  }
  expect((await dockerInfo(engine.docker)).ID).not.toBe('');
});
