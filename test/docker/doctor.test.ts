import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/platform/common/index.ts';
import { createDockerRuntime } from '../../src/platform/runtime/docker/docker-runtime.ts';
import { createDockerVolume, deleteDockerVolume } from '../../src/platform/runtime/docker/api/index.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';
import { makeCertificates, type TestCertificates } from '../support/docker/certificates.ts';
import { startTestEngine, type TestEngine } from '../support/docker/docker-engine.ts';
import { registryUser, startTestRegistry } from '../support/docker/docker-registry.ts';
import { startTestPlatform } from '../support/test-platform.ts';

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

/** What the program finds. */
async function doctor(...args: string[]) {
  const { code, stdout } = await runProgram(['doctor', 'platform', '--json', ...args]);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: DoctorFinding[] };
  return { code, ok, stdout, findings, of: (check: string) => findings.find((one) => one.check === check) };
}

describe('the doctor of a platform', () => {
  test('finds an engine without swarm mode, says how to switch it on, and changes nothing', async () => {
    const { code, ok, findings, of } = await doctor('--engine', engine.address);
    expect([code, ok]).toEqual([1, false]);
    expect(of('engine')).toMatchObject({
      state: 'good',
      says: expect.stringMatching(/^Docker \d+\.\d+.* at unix:\/\/.*; API 1\.\d+$/),
    });
    expect(of('disk of the engine')).toMatchObject({
      state: 'good',
      says: expect.stringMatching(/ GB free in .*\/data; images use /),
    });
    expect(of('memory')?.says).toMatch(/GB of memory, \d+ CPUs?$/);
    expect(findings.filter(({ state }) => state === 'bad')).toEqual([
      {
        check: 'swarm',
        state: 'bad',
        says: 'swarm mode is off',
        todo: expect.stringContaining(`docker --host ${engine.address} swarm init --advertise-addr <address>`),
      },
    ]);
    expect(await engine.docker.request({ method: 'GET', path: '/info' })).toMatchObject({
      Swarm: { LocalNodeState: 'inactive' },
    });
  });

  test('finds a manager over TLS, and what to do about a certificate that is missing', async () => {
    const address = 'tcp://127.0.0.1:2376';
    const { of } = await doctor('--engine', address, '--engine-tls-dir', certificates.directory);
    expect(of('access')).toMatchObject({ state: 'good', says: 'over TLS, with a certificate' });
    // From outside, nothing tells how much of another machine's disk is free.
    expect(of('disk of the engine')).toMatchObject({ state: 'info', todo: expect.stringContaining('df -h') });
    expect(of('swarm')?.todo).toContain(`--tlsverify --tlscacert ${certificates.ca}`);
    const directory = await temporaryDirectory();
    await symlink(certificates.ca, join(directory, 'ca.pem'));
    expect((await doctor('--engine', address, '--engine-tls-dir', directory)).of('engine')).toMatchObject({
      state: 'bad',
      says: expect.stringContaining(`The TLS file "cert" can't be read: ${join(directory, 'cert.pem')}`),
    });
  });

  test('finds nothing wrong with a manager, and looks at its registry', async () => {
    await engine.docker.request({
      method: 'POST',
      path: '/swarm/init',
      json: { ListenAddr: '127.0.0.1:2377', AdvertiseAddr: '127.0.0.1' },
    });
    const { code, of } = await doctor('--engine', engine.address);
    expect(of('swarm')).toMatchObject({ state: 'good', says: 'active; the engine is a manager, the only one' });
    expect(of('nodes')).toMatchObject({ state: 'good', says: 'one machine' });
    expect(of('public ports')).toMatchObject({ state: 'good', says: 'no service has one; port 80 is free for them' });
    expect(of('registry')).toMatchObject({
      state: 'good',
      says: 'none for built images, and none is needed on one machine',
    });
    expect(of('objects of platforms')).toMatchObject({
      state: 'good',
      says: 'the engine has no object that a platform created',
    });
    expect(of('git')).toMatchObject({ state: 'good', says: expect.stringMatching(/^git version /) });
    // Nothing here reaches the public registry.
    expect(of('proxy image')).toMatchObject({
      state: 'note',
      says: expect.stringContaining("docker.io/library/caddy:2 is missing, and can't be pulled"),
    });
    expect(of('databases')).toMatchObject({
      state: 'info',
      says: expect.stringMatching(/MYSQL and MONGODB are untested/),
    });
    expect(code).toBe(0);
    for (const isPrivate of [false, true]) {
      const registry = await startTestRegistry(isPrivate);
      expect((await doctor('--engine', engine.address, '--registry', registry.host)).of('registry')).toMatchObject(
        isPrivate
          ? {
              state: 'bad',
              says: `${registry.host} answers the engine, and refuses images without credentials: the status 401 at the start of an upload`,
            }
          : { state: 'good', says: `${registry.host} answers the engine, and accepts images` },
      );
      await registry.end();
      expect((await doctor('--engine', engine.address, '--registry', registry.host)).of('registry')).toMatchObject({
        state: 'bad',
        says: expect.stringContaining(`the engine gets no response from ${registry.host}`),
      });
    }
  });

  test('tries whether credentials may push, and leaves nothing in the registry', async () => {
    const registry = await startTestRegistry(true);
    const directory = await temporaryDirectory();
    const file = join(directory, 'clusters.yaml');
    await writeFile(join(directory, 'password'), registryUser.password);
    await writeFile(
      file,
      JSON.stringify({
        clusters: { local: { engine: engine.address, build_registry: `${registry.host}/built` } },
        registries: {
          ours: { url: `http://${registry.host}`, username: registryUser.username, password_file: 'password' },
        },
      }),
    );
    try {
      expect((await doctor('--clusters-file', file)).of('local: registry')).toMatchObject({
        state: 'good',
        says: `${registry.host} answers the engine, and accepts images`,
      });
      const authorization = `Basic ${Buffer.from(`${registryUser.username}:${registryUser.password}`).toString('base64')}`;
      expect(await (await fetch(`http://${registry.host}/v2/_catalog`, { headers: { authorization } })).json()).toEqual(
        { repositories: [] },
      );
    } finally {
      await registry.end();
    }
  });

  test('tells what no record knows, beside a platform that runs, and that it can not be told without records', async () => {
    const platform = await startTestPlatform({
      realClusters: {
        clusters: [
          {
            name: 'local',
            description: 'An engine of the tests.',
            version: 'docker',
            createRuntime: (parts) => createDockerRuntime({ docker: engine.docker, ...parts }),
          },
        ],
        registries: [],
      },
    });
    const file = join(await temporaryDirectory(), 'clusters.yaml');
    await writeFile(file, `clusters: { local: { engine: "${engine.address}" } }`);
    const examine = async (dataDir: string) =>
      (await doctor('--clusters-file', file, '--data-dir', dataDir)).of('local: objects of platforms');
    try {
      const platformId = (platform.dump()['setting'] as { name: string; value: string }[]).find(
        ({ name }) => name === 'platform_id',
      )!.value;
      await createDockerVolume(engine.docker, 'lost', {
        'io.infra-mcp.platform': platformId,
        'io.infra-mcp.environment': 'gone',
        'io.infra-mcp.service': 'gone',
      });
      expect(await examine(platform.dataDir)).toMatchObject({
        state: 'note',
        says: `1 object of 1 that no record in ${platform.dataDir} knows: volume lost`,
      });
      const elsewhere = await temporaryDirectory();
      expect(await examine(elsewhere)).toMatchObject({
        state: 'note',
        says: expect.stringContaining(`${elsewhere} has no records of a platform with engines`),
      });
    } finally {
      await platform.close();
      await deleteDockerVolume(engine.docker, 'lost');
    }
  });

  test('says what to do about an engine that is gone', async () => {
    await engine.stop();
    const { code, of } = await doctor('--engine', engine.address);
    expect(of('engine')).toMatchObject({
      state: 'bad',
      says: expect.stringContaining(`the engine at ${engine.address} can't be reached`),
      todo: expect.stringContaining('Start the engine'),
    });
    expect(of('swarm')).toMatchObject({ state: 'skipped' });
    expect(code).toBe(1);
    const { stdout } = await runProgram(['doctor', 'platform', '--engine', engine.address]);
    expect(stdout).toContain('1 thing is wrong; each line says what to do.');
    await engine.start();
  });
});
