import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Condition } from '../../src/contract/index.ts';
import { GitServers, readGitServers } from '../../src/cli/wiring/git-servers.ts';
import {
  inspectDockerContainer,
  listDockerContainers,
  listDockerImages,
  listDockerServices,
  listDockerTasks,
  pushDockerImage,
  removeDockerImage,
  tagDockerImage,
} from '../../src/platform/runtime/docker/api/index.ts';
import { buildSettingsOf } from '../../src/platform/runtime/docker/provider/cluster-settings.ts';
import type { GitHosts } from '../../src/platform/runtime/index.ts';
import { createDockerRuntime } from '../../src/platform/runtime/docker/docker-runtime.ts';
import { dataWith } from '../support/conditions.ts';
import { applicationsOf, shellSource, type TestApplications } from '../support/docker/applications.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { registryUser, startTestRegistry, type TestRegistry } from '../support/docker/docker-registry.ts';
import { type SshServer, startSshServer } from '../support/docker/ssh-server.ts';
import { buildTestImage } from '../support/docker/test-images.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import { rowsOf, startTestPlatform } from '../support/test-platform.ts';

let git: GitServer;
let ssh: SshServer;
let guarded: TestRegistry;
let docker: DockerPlatform;
let applications: TestApplications;
/**
 * What the platform knows of git servers, and of the password of the guarded registry. Tests change both, as an
 * operator would with the clusters file.
 */
const gitHosts: Record<string, GitHosts[string]> = {};
let password: string = registryUser.password;

beforeAll(async () => {
  [git, ssh, guarded] = await Promise.all([startGitServer(), startSshServer(), startTestRegistry(true)]);
  gitHosts[git.host] = { isPrivate: true };
  docker = await startDockerPlatform({
    builds: { git: gitHosts },
    registries: [{ name: 'guarded', kind: 'GENERIC_CR', url: `http://${guarded.host}` }],
    credentialsFor: (host) =>
      host === guarded.host ? { username: registryUser.username, password, serveraddress: host } : undefined,
  });
  applications = applicationsOf(docker.platform, docker.environmentId);
});
afterAll(async () => {
  await docker?.end();
  await Promise.all([guarded?.end(), ssh?.end(), git?.close()]);
});

const serve = 'echo "it runs"; exec httpd -f -p 8080 -h /bin\n';

/**
 * Deploys a new application.
 * @returns its id, the state that it reached, its log, and the last condition that this tells
 */
async function outcomeOf(
  name: string,
  url: string,
): Promise<{
  readonly id: string;
  readonly state: unknown;
  readonly said: readonly string[];
  readonly told: Condition | undefined;
}> {
  const id = await applications.create(name, url);
  const { state } = await applications.act('deploy', id);
  return { id, state, said: await applications.messages(id), told: (await applications.conditions(id)).at(-1) };
}

/** Has the section `git` of a clusters file for both ports of the server. */
const configureSsh = async (
  files: { readonly key_file: string; readonly known_hosts_file: string } | undefined,
): Promise<void> => {
  const section = { ...files, private: true };
  Object.assign(
    gitHosts,
    await readGitServers(
      GitServers.parse({ '127.0.0.1': section, [`127.0.0.1:${ssh.port}`]: section }),
      (path) => path,
    ),
  );
};

/** The address of a repository for ssh. */
const sshUrl = (path = git.path('shop')): string => `ssh://git@127.0.0.1:${ssh.port}${path}`;

describe('git over ssh', () => {
  beforeAll(() => {
    git.commit('shop', 'Over ssh', shellSource(serve));
  });

  test('an application is built from a repository that its deploy key opens', async () => {
    await configureSsh({ key_file: ssh.keys.taken, known_hosts_file: ssh.knownHosts.right });
    const key = readFileSync(ssh.keys.taken, 'utf8').split('\n')[1]!;
    const { state, said } = await outcomeOf('shop', sshUrl());
    expect(state, said.join('\n')).toBe('RUNNING');
    expect(said).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Fetched commit [0-9a-f]{40} .*: Over ssh$/), 'it runs']),
    );
    // The same at the usual port, in the form that has none.
    const usual = await applications.create('usual', `git@127.0.0.1:${git.path('shop')}`);
    expect(await docker.platform.must('list_application_commits', { application_id: usual })).toMatchObject({
      results: [{ message: 'Over ssh' }],
    });
    expect(JSON.stringify([said, docker.platform.dump()])).not.toContain(key);
  });

  test.each([
    [
      'a key that the server does not take',
      'strange',
      'right',
      { reason: 'GIT_ACCESS_DENIED', details: { by: 'key', of: 'key' } },
    ],
    ['a key that others may read', 'open', 'right', { reason: 'GIT_KEY_UNUSABLE', details: { fault: 'readable' } }],
    ['a key that is missing', 'missing', 'right', { reason: 'GIT_KEY_UNUSABLE', details: { fault: 'unusable' } }],
    ['a server that nobody knows', 'taken', 'empty', { reason: 'GIT_HOST_UNKNOWN' }],
    ['a server with another key', 'taken', 'wrong', { reason: 'GIT_HOST_CHANGED' }],
    ['a server that is not configured', undefined, undefined, { reason: 'GIT_HOST_UNKNOWN' }],
  ] as const)('%s is told', async (name, key, known, expected) => {
    await configureSsh(
      key === undefined
        ? undefined
        : { key_file: key === 'missing' ? '/nowhere/key' : ssh.keys[key], known_hosts_file: ssh.knownHosts[known] },
    );
    const { state, said, told } = await outcomeOf(name.replaceAll(' ', '-'), sshUrl());
    expect(state).toBe('BUILD_ERROR');
    expect(told, said.join('\n')).toMatchObject({
      ...expected,
      details: {
        host: expect.stringContaining('127.0.0.1') as unknown,
        ...('details' in expected && expected.details),
      },
    });
  });

  test('a repository that is not there is told', async () => {
    await configureSsh({ key_file: ssh.keys.taken, known_hosts_file: ssh.knownHosts.right });
    const { said, told } = await outcomeOf('nothing', sshUrl('/nowhere/shop'));
    expect(told, said.join('\n')).toMatchObject({
      reason: 'REPOSITORY_NOT_FOUND',
      details: { repository: expect.stringMatching(/^ssh:/) as unknown },
    });
  });
});

test('a build that never ends is ended after its time, and leaves nothing', async () => {
  const { docker: client } = docker.engine;
  const seconds = 3;
  const platform = await startTestPlatform({
    timeScale: 1,
    realClusters: {
      registries: [],
      clusters: [
        {
          name: 'hasty',
          description: 'Its builds have little time.',
          version: 'docker',
          createRuntime: (parts) =>
            createDockerRuntime({
              docker: client,
              builds: { git: gitHosts, ...buildSettingsOf({ build_minutes: seconds / 60 }) },
              ...parts,
            }),
        },
      ],
    },
  });
  try {
    git.commit('endless', 'Endless', shellSource('', 'RUN echo "half way"; sleep 600'));
    const [cluster] = rowsOf(await platform.must('list_clusters', { organization_id: platform.organizationId }));
    const { id: project } = await platform.must('create_project', {
      organization_id: platform.organizationId,
      name: 'endless',
    });
    const { id: environment } = await platform.must('create_environment', {
      project_id: project,
      name: 'endless',
      mode: 'STAGING',
      cluster_id: cluster!['id'],
    });
    const hasty = applicationsOf(platform, String(environment));
    const id = await hasty.create('endless', git.url('endless'));
    expect(await hasty.act('deploy', id)).toMatchObject({ state: 'BUILD_ERROR' });
    expect(dataWith(await hasty.conditions(id), 'BUILD_OVERDUE')).toEqual([{ seconds }]);
    // The container of the step goes a moment after the request.
    const containersOfBuilds = async () =>
      (await listDockerContainers(client)).filter(({ Labels }) => Labels['io.infra-mcp.deployment'] === undefined);
    await expect.poll(containersOfBuilds).toEqual([]);
    await hasty.act('delete', id);
    expect(
      (await listDockerImages(client)).flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(id)),
    ).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => /^infra-mcp-[0-9a-f]{8}-/.test(name))).toEqual([]);
  } finally {
    await platform.close();
  }
});

/** The command lines of all processes of the suite. */
const commandLinesNow = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        // It has just ended.
        return [];
      }
    });

const image = (): string => `${guarded.host}/team/shell:1`;

describe('images behind a password', () => {
  let container: string;
  const wrong = 'not the password of it';
  beforeAll(async () => {
    const { docker: client } = docker.engine;
    const local = 'infra-mcp-test/shell:1';
    await buildTestImage(client, 'shell', local);
    await tagDockerImage(client, local, image());
    // oxlint-disable-next-line no-unused-vars
    for await (const _ of pushDockerImage(client, image(), { ...registryUser, serveraddress: guarded.host })) continue;
    // What the engine has is not pulled.
    for (const name of [image(), local]) await removeDockerImage(client, name);
    const registries = rowsOf(
      await docker.platform.must('list_container_registries', { organization_id: docker.platform.organizationId }),
    );
    container = await docker.container('pulled', serve, {
      registry_id: registries.find(({ name }) => name === 'guarded')!['id'],
      image_name: 'team/shell',
    });
    git.commit('on-top', 'On top', {
      Dockerfile: `FROM ${image()}\nRUN echo "built on top"\nCMD ["sh", "-c", "echo 'it runs'; exec httpd -f -p 8080 -h /bin"]\n`,
    });
  });

  test('are refused with wrong credentials, and it is told why', async () => {
    password = wrong;
    expect(await docker.act('deploy', container)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await docker.conditions(container)).at(-1)).toMatchObject({
      reason: 'PULL_DENIED',
      details: { image: image(), registry: guarded.host },
    });
    const { state, told } = await outcomeOf('denied', git.url('on-top'));
    expect(state).toBe('BUILD_ERROR');
    expect(told).toMatchObject({ reason: 'BASE_IMAGE_DENIED', details: { image: image() } });
  });

  test('are pulled and built upon with the right ones, which are nowhere to be seen', async () => {
    password = registryUser.password;
    const { docker: client } = docker.engine;
    const commandLines = new Set<string>();
    const looking = setInterval(() => commandLinesNow().forEach((line) => commandLines.add(line)), 20);
    const { id, state, said } = await outcomeOf('on-top', git.url('on-top'));
    expect(state, said.join('\n')).toBe('RUNNING');
    expect(said).toEqual(expect.arrayContaining(['built on top', 'it runs']));
    expect(await docker.act('deploy', container)).toMatchObject({ state: 'DEPLOYED' });
    clearInterval(looking);
    const containers = await Promise.all(
      (await listDockerContainers(client)).map(({ Id }) => inspectDockerContainer(client, Id)),
    );
    const images = await Promise.all(
      (await listDockerImages(client)).flatMap(({ Id }) =>
        ['json', 'history'].map((what) => client.request({ method: 'GET', path: `/images/${Id}/${what}` })),
      ),
    );
    const seen = JSON.stringify([
      await listDockerServices(client),
      await listDockerTasks(client),
      containers,
      images,
      docker.engine.log(),
      docker.platform.dump(),
      await docker.messages(container),
      await applications.messages(id),
      [...commandLines],
    ]);
    expect(seen).toContain(image());
    for (const one of [registryUser.password, wrong]) {
      for (const form of [
        one,
        encodeURIComponent(one),
        Buffer.from(`${registryUser.username}:${one}`).toString('base64'),
        Buffer.from(JSON.stringify({ username: registryUser.username, password: one }))
          .toString('base64')
          .slice(0, 40),
      ]) {
        expect(seen).not.toContain(form);
      }
    }
  });
});
