import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  inspectDockerService,
  listDockerContainers,
  listDockerImages,
  listDockerServices,
} from '../../src/platform/runtime/docker/api/index.ts';
import { dataWith } from '../support/conditions.ts';
import { applicationsOf, shellSource, type TestApplications } from '../support/docker/applications.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import type { Json } from '../support/test-platform.ts';
import { isLanding } from '../suites.ts';

let git: GitServer;
let docker: DockerPlatform;
let applications: TestApplications;
const megabyte = 1024 * 1024;
beforeAll(async () => {
  git = await startGitServer();
  docker = await startDockerPlatform({
    builds: { git: { [git.host]: { isPrivate: true } }, sourceBytes: 8 * megabyte, memoryBytes: 64 * megabyte },
  });
  applications = applicationsOf(docker.platform, docker.environmentId);
});
afterAll(async () => {
  await docker?.end();
  await git?.close();
});

const made: string[] = [];
const create = async (...args: Parameters<TestApplications['create']>): Promise<string> => {
  const id = await applications.create(...args);
  made.push(id);
  return id;
};

const imagesOf = async (id: string): Promise<string[]> => {
  const images = await listDockerImages(docker.engine.docker);
  return images
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => name.includes(id))
    .toSorted();
};
const versionsOf = async (id: string): Promise<string[]> =>
  (await imagesOf(id)).filter((name) => !name.includes(':step-'));

afterEach(async () => {
  for (const id of made.splice(0)) await applications.act('delete', id);
  // Nothing of a build stays behind, however it ended.
  expect(await listDockerImages(docker.engine.docker)).toEqual([]);
  expect(await listDockerContainers(docker.engine.docker, { status: ['exited', 'created', 'running'] })).toEqual([]);
  expect(readdirSync(tmpdir()).filter((name) => /^infra-mcp-[0-9a-f]{8}-/.test(name))).toEqual([]);
});

const serve = (version: string): string => `echo "version ${version}"; exec httpd -f -p 8080 -h /bin\n`;

test.skipIf(isLanding)(
  'steps of a build that have the labels of another service are not taken for its instances',
  async () => {
    git.commit('victim', 'first', shellSource(serve('victim')));
    const victim = await create('victim', git.url('victim'));
    expect(await applications.act('deploy', victim)).toMatchObject({ state: 'RUNNING' });
    const [instance] = await listDockerContainers(docker.engine.docker, { label: [`io.infra-mcp.service=${victim}`] });
    const labels = Object.entries(instance!.Labels)
      .map(([name, value]) => `LABEL ${name}="${value}"\n`)
      .join('');
    git.commit('impostor', 'first', shellSource(serve('impostor'), `${labels}RUN echo begun && sleep 600`));
    const elsewhere = await docker.environment('elsewhere');
    const impostor = await create('impostor', git.url('impostor'), { environment_id: elsewhere });
    await docker.platform.must('deploy_application', { application_id: impostor });
    await applications.untilSaid(impostor, /^begun$/);
    // The step is on the engine with these labels.
    expect(
      await listDockerContainers(docker.engine.docker, {
        label: [`io.infra-mcp.service=${victim}`],
        status: ['running'],
      }),
    ).toHaveLength(2);
    expect(await applications.act('stop', victim)).toMatchObject({ state: 'STOPPED' });
    await docker.platform.must('cancel_deployment', { environment_id: elsewhere });
    await expect
      .poll(async () => (await docker.platform.must('get_application_status', { application_id: impostor }))['state'], {
        interval: 300,
      })
      .toBe('CANCELED');
  },
);

test('an application is built from its newest commit and runs; a later commit replaces it; the old version is there by its commit', async () => {
  const first = git.commit('shop', 'The first version', shellSource(serve('one')));
  git.tag('shop', 'v1');
  const id = await create('shop', git.url('shop'));
  expect(await applications.act('deploy', id)).toMatchObject({ state: 'RUNNING' });
  expect(await applications.messages(id)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Fetched commit [0-9a-f]{40} \(\d+ [KM]B\): The first version$/),
      'Step 3/8 : RUN ["/bin/busybox", "--install", "-s", "/bin"]',
      expect.stringMatching(/^Successfully built /),
      'version one',
    ]),
  );
  const { git_repository: repository } = await docker.platform.must('get_application', { application_id: id });
  expect(repository).toMatchObject({
    deployed_commit_id: first,
    deployed_commit_contributor: 'Ada Example',
    deployed_commit_tag: 'v1',
  });
  const running = async () =>
    (await inspectDockerService(docker.engine.docker, `infra-${id}`)).Spec.TaskTemplate.ContainerSpec.Image;
  const image = await running();
  expect(image).toMatch(/^sha256:[0-9a-f]{64}$/);

  const second = git.commit('shop', 'The second version', { 'run.sh': serve('two') });
  const { results: listed } = await docker.platform.must('list_application_commits', { application_id: id });
  expect((listed as Json[]).map(({ git_commit_id: commit, message }) => [commit, message])).toEqual([
    [second, 'The second version'],
    [first, 'The first version'],
  ]);
  expect(await applications.act('deploy', id)).toMatchObject({ state: 'RUNNING' });
  expect(await applications.messages(id)).toEqual(expect.arrayContaining([' ---> Using cache', 'version two']));
  expect(await versionsOf(id)).toHaveLength(2);

  expect(await applications.act('deploy', id, first)).toMatchObject({ state: 'RUNNING' });
  expect(await applications.messages(id)).toContain(
    'This commit was built before, with the same settings: its image is used.',
  );
  expect(await running()).toBe(image);

  git.commit('shop', 'The third version', { 'run.sh': serve('three') });
  await applications.act('deploy', id);
  expect(await versionsOf(id)).toHaveLength(2);
});

test.skipIf(isLanding)(
  'a commit that is not in the history of the branch is not built, and what runs stays; merged, it is',
  async () => {
    git.commit('forked', 'Merged', shellSource(serve('merged')));
    const id = await create('forked', git.url('forked'));
    await applications.act('deploy', id);
    const running = async () =>
      (await inspectDockerService(docker.engine.docker, `infra-${id}`)).Spec.TaskTemplate.ContainerSpec.Image;
    const image = await running();
    const proposed = git.commit('forked', 'Proposed', { 'run.sh': serve('proposed') }, 'proposal');
    expect(await applications.act('deploy', id, proposed)).toMatchObject({ state: 'BUILD_ERROR' });
    expect(dataWith(await applications.conditions(id), 'COMMIT_NOT_IN_HISTORY')).toMatchObject([
      { commit: proposed, branch: 'main' },
    ]);
    expect(await running()).toBe(image);
    git.commit('forked', 'Also merged', {}, 'main');
    expect(await applications.act('deploy', id, proposed)).toMatchObject({ state: 'RUNNING' });
  },
);

test.skipIf(isLanding)(
  'a folder of the repository is built with another Dockerfile; variables reach it, secrets stay out',
  async () => {
    const source = shellSource(
      'exec sleep 600\n',
      'ARG GREETING\nARG PASSWORD\nRUN echo "said $GREETING, length ${#PASSWORD}"',
    );
    const files = Object.fromEntries(
      Object.entries(source).map(([name, content]) => [
        `web/${name === 'Dockerfile' ? 'deploy/web.dockerfile' : name}`,
        content,
      ]),
    );
    git.commit('parts', 'Parts', { ...files, Dockerfile: 'FROM scratch\nRUN nothing\n' });
    const id = await create('parts', git.url('parts'), {
      git_repository: { root_path: '/web' },
      dockerfile_path: 'deploy/web.dockerfile',
    });
    const secret = 'hunter2-not-in-the-image';
    await docker.platform.must('create_environment_variable', { application_id: id, key: 'GREETING', value: 'hello' });
    await docker.platform.must('create_secret', { application_id: id, key: 'PASSWORD', value: secret });
    expect(await applications.act('deploy', id)).toMatchObject({ state: 'RUNNING' });
    expect(await applications.messages(id)).toEqual(
      expect.arrayContaining([
        'said hello, length 0',
        expect.stringMatching(/^The build gets no value for PASSWORD: it is secret/),
      ]),
    );
    const [name] = await versionsOf(id);
    const history = await docker.engine.docker.request({ method: 'GET', path: `/images/${name}/history` });
    expect(JSON.stringify([history, await applications.messages(id), docker.platform.dump()])).not.toContain(secret);
  },
);

test.each([
  [
    'a command that fails',
    shellSource('', 'RUN echo "compiling"; exit 3'),
    {},
    /^The build failed at step 4, with exit code 3: RUN echo "compiling"; exit 3$/,
  ],
  [
    'a command that needs too much memory',
    shellSource('', 'RUN tail /dev/zero'),
    {},
    /with exit code 137: RUN tail \/dev\/zero\. It was killed, probably because it needed more memory/,
  ],
  [
    'a base image that is not there',
    { Dockerfile: 'FROM 127.0.0.1:1/nothing:1\n' },
    {},
    /^The base image 127\.0\.0\.1:1\/nothing:1 can't be pulled: its registry can't be reached/,
  ],
  [
    'a file that is not there',
    { Dockerfile: 'FROM scratch\nCOPY missing /\n' },
    {},
    /^The build failed at step 2: COPY missing \/: COPY failed/,
  ],
  [
    'an instruction that does not exist',
    { Dockerfile: 'FROM scratch\nNONSENSE 1\n' },
    {},
    /^The Dockerfile can't be read: .*NONSENSE/i,
  ],
  [
    'no Dockerfile',
    { 'README.md': 'nothing' },
    {},
    /^The Dockerfile Dockerfile is not in the repository, in commit [0-9a-f]{7} of the branch main/,
  ],
  [
    'no such folder',
    { Dockerfile: 'FROM scratch\n' },
    { git_repository: { root_path: '/web' } },
    /^The repository has no folder web in commit/,
  ],
  [
    'no such branch',
    { Dockerfile: 'FROM scratch\n' },
    { git_repository: { branch: 'release' } },
    /has no branch release\.$/,
  ],
  [
    'too large a source',
    { Dockerfile: 'FROM scratch\n', zeros: Buffer.alloc(20 * megabyte) },
    {},
    /^The source is too large: it has more than 8 MB\.$/,
  ],
] as const)('%s fails the build with its true cause, and leaves nothing running', async (name, files, more, cause) => {
  const repository = name.replaceAll(' ', '-');
  git.commit(repository, name, files);
  const id = await create(repository, git.url(repository), { ...more });
  expect(await applications.act('deploy', id)).toMatchObject({ state: 'BUILD_ERROR' });
  expect((await applications.messages(id)).filter((message) => cause.test(message))).not.toEqual([]);
  expect(await listDockerServices(docker.engine.docker)).toEqual([]);
});

test('a commit that does not build, and one that does not start, leave the old version running', async () => {
  git.commit('steady', 'Good', shellSource(serve('good')));
  const id = await create('steady', git.url('steady'));
  await applications.act('deploy', id);
  const running = async () =>
    (await inspectDockerService(docker.engine.docker, `infra-${id}`)).Spec.TaskTemplate.ContainerSpec.Image;
  const good = await running();
  git.commit('steady', 'Does not build', shellSource('', 'RUN exit 2'));
  expect(await applications.act('deploy', id)).toMatchObject({ state: 'BUILD_ERROR' });
  git.commit('steady', 'Does not start', shellSource('echo "no database"; exit 3\n'));
  expect(await applications.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect(await applications.messages(id)).toContain('no database');
  expect(await running()).toBe(good);
});

test('a build tells its log while it runs, and ends when it is canceled', async () => {
  git.commit('slow', 'Slow', shellSource('', 'RUN echo "half way"; sleep 300'));
  const id = await create('slow', git.url('slow'));
  await docker.platform.must('deploy_application', { application_id: id });
  await applications.untilSaid(id, /^half way$/);
  await docker.platform.must('cancel_deployment', { environment_id: docker.environmentId });
  await expect
    .poll(async () => (await docker.platform.must('get_application_status', { application_id: id }))['state'])
    .toBe('CANCELED');
  // The container of the step goes a moment after the request.
  await expect.poll(() => listDockerContainers(docker.engine.docker)).toEqual([]);
});

test.skipIf(isLanding)(
  'what the version that serves logs is told while the next one is built, marked by version',
  async () => {
    const good = git.commit(
      'talking',
      'Good',
      shellSource('i=0; while :; do echo "still here $i"; i=$((i+1)); sleep 1; done & exec httpd -f -p 8080 -h /bin\n'),
    );
    const id = await create('talking', git.url('talking'));
    expect(await applications.act('deploy', id)).toMatchObject({ state: 'RUNNING' });
    git.commit('talking', 'Slow', shellSource(serve('slow'), 'RUN echo "half way"; sleep 300'));
    await docker.platform.must('deploy_application', { application_id: id });
    await applications.untilSaid(id, /^half way$/);
    const linesSince = async (): Promise<Json[]> => {
      const { results } = (await docker.platform.must('get_application_logs', { application_id: id })) as {
        results: Json[];
      };
      return results
        .slice(results.findIndex(({ message }) => message === 'half way'))
        .filter(({ message }) => String(message).startsWith('still here'));
    };
    await expect.poll(async () => (await linesSince()).length).toBeGreaterThan(1);
    expect((await linesSince()).every(({ version }) => version === good.slice(0, 7))).toBe(true);
    await docker.platform.must('cancel_deployment', { environment_id: docker.environmentId });
    await expect
      .poll(async () => (await docker.platform.must('get_application_status', { application_id: id }))['state'])
      .toBe('CANCELED');
  },
);

test.each([
  [
    { git_repository: { url: 'https://user:secret@git.example.test/shop.git' } },
    /must not hold a user name or password/,
  ],
  [{ git_repository: { root_path: '/../etc' } }, /leads out of it/],
  [{ auto_deploy: true }, /Nothing watches repositories/],
  [{ dockerfile_path: '../Dockerfile' }, /dockerfile_path/],
  [{ git_repository: { branch: 'main:refs/heads/x' } }, /can't be the name of a branch/],
  [{ max_running_instances: 3 }, /Nothing scales services/],
] as const)('what could not be built is refused when it is created: %j', async (more, words) => {
  await expect(applications.create('refused', git.url('shop'), { ...more })).rejects.toThrow(words);
});
