import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  listDockerContainers,
  listDockerImages,
  listDockerServices,
} from '../../src/platform/runtime/docker/api/index.ts';
import { shellSource } from '../support/docker/applications.ts';
import { startTestEngine, type TestEngine } from '../support/docker/docker-engine.ts';
import { startTestRegistry, type TestRegistry } from '../support/docker/docker-registry.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import type { Json } from '../support/test-platform.ts';

const root = join(import.meta.dirname, '../..');
const token = 'token-of-the-crash-test';
const password = 'password-of-the-git-server';

let engine: TestEngine;
let registry: TestRegistry;
let git: GitServer;
let directory: string;
let program: ChildProcess | undefined;
let url: string;

/** Starts the platform as operators do, on the same directory each time. */
const start = async (): Promise<void> => {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      join(root, 'src/main.ts'),
      'platform',
      '--runtime',
      'docker',
      '--clusters-file',
      join(directory, 'clusters.yaml'),
      '--data-dir',
      join(directory, 'data'),
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, INFRA_PLATFORM_TOKEN: token } },
  );
  program = child;
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  url = (JSON.parse(line) as { url: string }).url;
};

const kill = async (): Promise<void> => {
  const ended = once(program!, 'exit');
  program!.kill('SIGKILL');
  await ended;
};

const killEngine = async (): Promise<void> => {
  await engine.kill();
  await engine.start();
};

const call = async (method: string, path: string, body?: Json): Promise<Json> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Token ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} (${response.status}): ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Json;
};

const results = async (path: string): Promise<Json[]> => (await call('GET', path))['results'] as Json[];

/** The folders of sources that are there. */
const left = (): string[] => readdirSync(tmpdir()).filter((name) => /^infra-mcp-[0-9a-f]{8}-/.test(name));

beforeAll(async () => {
  engine = await startTestEngine();
  registry = await startTestRegistry();
  git = await startGitServer();
  git.require(password);
  directory = await mkdtemp(join(tmpdir(), 'killed-builds-'));
  await writeFile(join(directory, 'git.token'), `${password}\n`);
  const clusters = {
    local: { engine: engine.address, build_registry: `${registry.host}/built`, build_memory_mb: 64, source_mb: 16 },
  };
  await writeFile(
    join(directory, 'clusters.yaml'),
    JSON.stringify({ clusters, git: { [git.host]: { token_file: 'git.token', private: true } } }),
  );
  await start();
});
afterAll(async () => {
  if (program?.exitCode === null) await kill();
  await git?.close();
  await registry?.end();
  await engine?.end();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** The containers that have not begun, or have ended. */
const ended = () => listDockerContainers(engine.docker, { status: ['exited', 'created'] });

/** Creates an application whose build takes some seconds. @returns its id, its environment's, and its commit */
async function createSlowApplication(
  name: string,
): Promise<{ readonly environment: string; readonly application: string; readonly commit: string }> {
  const commit = git.commit(name, 'Slow', shellSource('exec sleep 600\n', 'RUN echo "half way"; sleep 3'));
  const [organization] = await results('/organization');
  const [cluster] = await results(`/organization/${String(organization!['id'])}/cluster`);
  const { id: project } = await call('POST', `/organization/${String(organization!['id'])}/project`, { name });
  const { id: environment } = await call('POST', `/project/${String(project)}/environment`, {
    name: 'staging',
    mode: 'STAGING',
    cluster: cluster!['id'],
  });
  const { id } = await call('POST', `/environment/${String(environment)}/application`, {
    name,
    git_repository: { url: git.url(name) },
    cpu: 100,
    memory: 64,
    healthchecks: {},
  });
  return { environment: String(environment), application: String(id), commit };
}

test('a platform that is killed while it fetches, and while it builds, goes on and leaves nothing behind', async () => {
  const { environment, application: id, commit } = await createSlowApplication('shop');
  const messages = async (): Promise<unknown[]> =>
    (await results(`/application/${id}/log`)).map(({ message }) => message);

  const asked = git.hold();
  await call('POST', `/application/${id}/deploy`, {});
  await asked;
  expect(left()).not.toEqual([]);
  await kill();
  git.goOn();
  await start();
  await expect.poll(messages).toContain('half way');
  await kill();
  await start();
  await expect.poll(async () => (await call('GET', `/application/${id}/status`))['state']).toBe('RUNNING');

  expect(await messages()).toContain('The platform was interrupted: this step starts again.');
  expect(left()).toEqual([]);
  const [service] = await listDockerServices(engine.docker);
  expect(service!.Spec.TaskTemplate.ContainerSpec.Image).toMatch(
    new RegExp(`^${registry.host}/built/infra-mcp-[0-9a-f-]{36}/${id}@sha256:[0-9a-f]{64}$`),
  );
  expect((await call('GET', `/application/${id}`))['git_repository']).toMatchObject({ deployed_commit_id: commit });
  expect(JSON.stringify(await messages())).not.toContain(password);
  expect(await ended()).toEqual([]);

  await call('DELETE', `/environment/${environment}`);
  await expect
    .poll(async () => [...(await listDockerServices(engine.docker)), ...(await listDockerImages(engine.docker))])
    .toEqual([]);
});

test('an engine that is killed while it builds keeps nothing of that build, neither after the next one nor after the service is deleted', async () => {
  const { environment, application } = await createSlowApplication('again');
  const messages = async (): Promise<unknown[]> =>
    (await results(`/application/${application}/log`)).map(({ message }) => message);

  await call('POST', `/application/${application}/deploy`, {});
  await expect.poll(messages).toContain('half way');
  await killEngine();
  expect(await ended()).not.toEqual([]);
  await expect.poll(async () => (await call('GET', `/application/${application}/status`))['state']).toBe('RUNNING');
  expect(await ended()).toEqual([]);

  git.commit('again', 'Slower', shellSource('exec sleep 600\n', 'RUN echo "once more"; sleep 3'));
  await call('POST', `/application/${application}/deploy`, {});
  await expect.poll(messages).toContain('once more');
  await killEngine();
  await call('POST', `/environment/${environment}/cancelDeployment`);
  // Accepted once the deployment is canceled.
  await expect
    .poll(() => call('DELETE', `/environment/${environment}`).then(() => 'deleted', String), { interval: 500 })
    .toBe('deleted');
  expect(await ended()).not.toEqual([]);
  await expect
    .poll(async () => [
      ...(await listDockerServices(engine.docker)),
      ...(await listDockerImages(engine.docker)),
      ...(await ended()),
    ])
    .toEqual([]);
});
