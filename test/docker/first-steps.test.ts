import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pushDockerImage, tagDockerImage } from '../../src/platform/runtime/docker/api/index.ts';
import { commandsIn, commandsOfPage } from '../docs/pages.ts';
import { runProgram, startPlatformProgram } from '../support/built-program.ts';
import { startTestEngine, type TestEngine } from '../support/docker/docker-engine.ts';
import { startTestRegistry, type TestRegistry } from '../support/docker/docker-registry.ts';
import { askProxy } from '../support/docker/public-requests.ts';
import { buildProxyImage, buildTestImage, proxyImage } from '../support/docker/test-images.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { agree, type Question, textOf } from '../support/mcp-clients.ts';

/** A page that counts its visits in the Redis beside it. */
const page = `#!/bin/sh
value() { env | sed -n "s/^DATABASE_[0-9A-F]*_$1=//p"; }
count=$(printf 'AUTH %s\\r\\nINCR visits\\r\\nQUIT\\r\\n' "$(value PASSWORD)" | nc "$(value HOST)" "$(value PORT)" | tr -d '\\r' | sed -n 's/^://p')
printf 'Content-Type: text/plain\\r\\n\\r\\nvisit %s\\n' "$count"
`;

let engine: TestEngine;
let registry: TestRegistry;
let git: GitServer;
let home: string;
/**
 * What differs from a machine of a reader: the engine's socket, images that can't be pulled here, and a git server
 * without a public name.
 */
let env: Record<string, string>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'first-steps-'));
  engine = await startTestEngine({ swarm: false });
  registry = await startTestRegistry();
  git = await startGitServer();
  await buildProxyImage(engine.docker);
  await tagDockerImage(engine.docker, proxyImage, 'caddy:2');
  await buildTestImage(engine.docker, 'shell', 'base:1');
  const redis = `${registry.host}/redis:7`;
  await tagDockerImage(engine.docker, await buildTestImage(engine.docker, 'redis'), redis);
  for await (const message of pushDockerImage(engine.docker, redis)) void message;
  git.commit('shop', 'count visits', {
    Dockerfile: 'FROM base:1\nCOPY visits /www/cgi-bin/visits\nCMD ["httpd", "-f", "-p", "8080", "-h", "/www"]\n',
    visits: page,
  });
  // JSON is YAML.
  const clusters = {
    clusters: { local: { engine: engine.address } },
    images: { redis: `${registry.host}/redis` },
    git: { [git.host]: { private: true } },
  };
  await writeFile(join(home, 'clusters.yaml'), JSON.stringify(clusters));
  env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    DOCKER_HOST: engine.address,
    INFRA_ENGINE: engine.address,
  };
});
afterAll(async () => {
  await git?.close();
  await registry?.end();
  await engine?.end();
  if (home) await rm(home, { recursive: true, force: true });
});

/** The address that readers replace by that of their machine. The machine of the tests has only this one. */
const [documentedAddress, ownAddress] = ['192.168.1.10', '127.0.0.1'];

/** The commands of the page's first steps, as a shell would give them on. */
const commands = (): readonly string[][] =>
  commandsOfPage('docs/run-a-platform.md')
    .filter(({ isInline }) => !isInline)
    .flatMap(({ text }) => commandsIn(text))
    .slice(0, 5)
    .map((words) => words.map((word) => word.replace(/^~/, home)));

/**
 * Connects as the assistant would that `init` has found, whose user agrees to everything that changes this environment.
 */
async function connectAssistant() {
  const {
    mcpServers: { infra },
  } = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')) as {
    mcpServers: { infra: { command: string; args: string[]; env: Record<string, string> } };
  };
  const client = new Client({ name: 'first-steps', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', ({ params }) => agree(params as Question));
  await client.connect(
    new StdioClientTransport({ ...infra, env: { PATH: process.env['PATH']!, HOME: home, ...infra.env } }),
  );
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: args });
    if (answer.isError) throw new Error(textOf(answer));
    return { text: textOf(answer), data: JSON.stringify(answer.structuredContent) };
  };
  /** Deploys a service, and waits for the end. */
  const deploy = async (service: string): Promise<void> => {
    let { text } = await call('deploy_service', { service, wait: true });
    while (!/\b(?:DEPLOYED|RUNNING|\w+_ERROR)\b/.test(text))
      ({ text } = await call('wait_for_deployment', { service }));
    expect(text).toMatch(/\b(?:DEPLOYED|RUNNING)\b/);
  };
  return { call, deploy, close: () => client.close() };
}

test('the first steps of the page lead from an engine to an application with its database at its address', async () => {
  const [[, ...swarm], [, ...doctor], [, ...platform], [, ...init], [, ...initForCursor]] = commands() as [
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  expect(swarm).toEqual(['swarm', 'init', '--advertise-addr', documentedAddress]);
  await promisify(execFile)('docker', [...swarm.slice(0, -1), ownAddress], { env: { ...process.env, ...env } });
  expect(await runProgram(doctor, env)).toMatchObject({ code: 0 });
  expect(platform[0]).toBe('platform');
  const { ready } = await startPlatformProgram(platform.slice(1), {
    ...env,
    INFRA_CLUSTERS_FILE: join(home, 'clusters.yaml'),
  });
  expect(init).toContain(ready.url);
  expect(initForCursor).toContain(ready.url);
  await mkdir(join(home, '.cursor'));
  expect(await runProgram([...initForCursor, '--yes'], env)).toMatchObject({ code: 0 });

  const assistant = await connectAssistant();
  const environment = 'shop/staging';
  await assistant.call('create_project', { name: 'shop' });
  await assistant.call('create_environment', { project: 'shop', name: 'staging', mode: 'STAGING', cluster: 'local' });
  await assistant.call('create_database', {
    environment,
    name: 'visits',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  await assistant.call('create_application', {
    environment,
    name: 'web',
    git_repository: { url: git.url('shop'), branch: 'main' },
    ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
  });
  await assistant.deploy(`${environment}/visits`);
  await assistant.deploy(`${environment}/web`);
  const { data } = await assistant.call('get_service', { service: `${environment}/web` });
  await assistant.close();
  expect(data).toContain('"http://web-staging.localhost"');
  expect(await askProxy({ host: 'web-staging.localhost', port: 80, path: '/cgi-bin/visits' })).toEqual({
    status: 200,
    text: 'visit 1\n',
  });
  expect(await askProxy({ host: 'web-staging.localhost', port: 80, path: '/cgi-bin/visits' })).toEqual({
    status: 200,
    text: 'visit 2\n',
  });
});
