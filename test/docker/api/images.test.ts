import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildDockerImage,
  createDockerContainer,
  type DockerBuild,
  type DockerProgress,
  inspectDockerDistribution,
  inspectDockerImage,
  listDockerContainers,
  listDockerImages,
  pruneDockerImages,
  pullDockerImage,
  pushDockerImage,
  removeDockerContainer,
  removeDockerImage,
  tagDockerImage,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { collect, rejectionOf } from '../../platform/runtime/docker/fake-engine.ts';
import { startTestEngine, type TestEngine, waitUntil } from '../../support/docker/docker-engine.ts';
import { registryUser, startTestRegistry, type TestRegistry } from '../../support/docker/docker-registry.ts';
import { suiteDirectory } from '../../support/docker/own-namespaces.ts';
import { buildTestImage, tarOf } from '../../support/docker/test-images.ts';

const base = 'infra-mcp-test/shell:1';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine({ swarm: false });
  await buildTestImage(engine.docker, 'shell', base);
});
afterAll(() => engine?.end());

/** A build context of these files. */
const contextOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const folder = await mkdtemp(join(suiteDirectory(), 'context-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return tarOf('-C', folder, ...readdirSync(folder));
};

/** Builds from a Dockerfile on top of the image with a shell. */
const build = async (dockerfile: string, more: Partial<DockerBuild> = {}): Promise<DockerProgress[]> =>
  collect(
    buildDockerImage(engine.docker, {
      context: await contextOf({ Dockerfile: `FROM ${base}\n${dockerfile}` }),
      tags: ['built:1'],
      ...more,
    }),
  );

const textOf = (messages: readonly DockerProgress[]): string => messages.map(({ stream = '' }) => stream).join('');

describe('a build', () => {
  test('makes an image with its tags, labels, arguments and stage, and tells what happens', async () => {
    const { docker } = engine;
    const dockerfile = `FROM ${base} AS wanted\nARG GREETING\nRUN echo "$GREETING" > /greeting && cat /greeting\nFROM wanted\nRUN exit 1\n`;
    const context = Readable.from([await contextOf({ 'deploy/Dockerfile.web': dockerfile })]);
    const messages = await collect(
      buildDockerImage(docker, {
        context,
        tags: ['built:1', 'built:newest'],
        dockerfile: 'deploy/Dockerfile.web',
        target: 'wanted',
        labels: { 'io.infra-mcp.test': 'images' },
        buildArguments: { GREETING: 'hello there' },
        memory: 64 * 1024 * 1024,
        networkMode: 'none',
      }),
    );
    expect(textOf(messages)).toContain('hello there\n');
    const image = await inspectDockerImage(docker, 'built:1');
    expect(messages.map(({ aux }) => aux)).toContainEqual({ ID: image.Id });
    expect(image).toMatchObject({
      RepoTags: expect.arrayContaining(['built:1', 'built:newest']),
      Os: 'linux',
      Config: { Labels: { 'io.infra-mcp.test': 'images' } },
    });
    expect((await listDockerImages(docker, { label: ['io.infra-mcp.test=images'] })).map(({ Id: id }) => id)).toContain(
      image.Id,
    );
    expect(await listDockerContainers(docker)).toEqual([]);
  });

  test.each([
    [
      'RUN echo before && exit 7',
      { kind: 'failed', code: 7, reason: expect.stringContaining('returned a non-zero code: 7'), status: undefined },
    ],
    ['COPY nowhere /', { kind: 'failed', reason: expect.stringContaining('nowhere') }],
  ])('with "%s" fails with the reason', async (dockerfile, expected) => {
    expect(await rejectionOf(build(dockerfile))).toMatchObject({ ...expected, method: 'POST', path: '/build' });
    expect(await listDockerContainers(engine.docker)).toEqual([]);
  });

  test('of something that is no Dockerfile is refused', async () => {
    expect(await rejectionOf(build('NONSENSE'))).toMatchObject({
      kind: 'refused',
      status: 400,
      reason: expect.stringContaining('unknown instruction: NONSENSE'),
    });
    expect(await rejectionOf(build('RUN true', { dockerfile: 'misspelled' }))).toMatchObject({
      reason: expect.stringContaining('Cannot locate specified Dockerfile'),
    });
  });

  test('that is aborted ends, with its container', async () => {
    const stopping = new AbortController();
    const following = async (): Promise<void> => {
      const context = await contextOf({ Dockerfile: `FROM ${base}\nRUN echo started && sleep 1000` });
      for await (const { stream } of buildDockerImage(engine.docker, {
        context,
        tags: ['aborted:1'],
        signal: stopping.signal,
      }))
        if (stream?.includes('started\n')) stopping.abort(new Error('superseded'));
    };
    expect(String(await rejectionOf(following()))).toBe('Error: superseded');
    await waitUntil(
      'the container of the build is gone',
      async () => (await listDockerContainers(engine.docker)).length === 0,
    );
  });

  test('uses layers that are there, unless it must not', async () => {
    const dockerfile = 'RUN date +%s%N > /when';
    await build(dockerfile);
    expect(textOf(await build(dockerfile))).toContain('Using cache');
    expect(textOf(await build(dockerfile, { withoutCache: true }))).not.toContain('Using cache');
  });

  test('by BuildKit makes an image too', async () => {
    await build('RUN true', { builder: 'buildkit', tags: ['buildkit:1'] });
    expect((await inspectDockerImage(engine.docker, 'buildkit:1')).RepoTags).toEqual(['buildkit:1']);
    expect(await rejectionOf(build('RUN exit 7', { builder: 'buildkit' }))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('exit code: 7'),
    });
  });
});

test('images get names and lose them; pruning takes those with the label that nothing uses', async () => {
  const { docker } = engine;
  const labelled = async (name: string): Promise<string> => {
    await build(`RUN echo ${name} > /name`, { tags: [`${name}:1`], labels: { 'io.infra-mcp.pruned': 'yes' } });
    return (await inspectDockerImage(docker, `${name}:1`)).Id;
  };
  const [unused, used] = [await labelled('unused'), await labelled('used')];
  await tagDockerImage(docker, unused, '127.0.0.1:5000/team/unused:2');
  expect((await inspectDockerImage(docker, '127.0.0.1:5000/team/unused:2')).Id).toBe(unused);
  await removeDockerImage(docker, '127.0.0.1:5000/team/unused:2');
  expect((await inspectDockerImage(docker, unused)).RepoTags).toEqual(['unused:1']);
  const container = await createDockerContainer(docker, 'user', { Image: used });
  expect(await rejectionOf(removeDockerImage(docker, used))).toMatchObject({ kind: 'conflict' });
  expect(await pruneDockerImages(docker, 'io.infra-mcp.pruned=yes')).toBeGreaterThan(0);
  expect(await rejectionOf(inspectDockerImage(docker, unused))).toMatchObject({ kind: 'not found' });
  expect((await inspectDockerImage(docker, used)).Id).toBe(used);
  // Without the label: not touched.
  expect((await inspectDockerImage(docker, base)).RepoTags).toContain(base);
  await removeDockerContainer(docker, container);
});

describe.each([
  ['anybody', false],
  ['its user only', true],
])('a registry for %s', (_, isPrivate) => {
  let registry: TestRegistry;
  const credentials = () => (isPrivate ? { ...registryUser, serveraddress: registry.host } : undefined);
  const name = (tag = '1'): string => `${registry.host}/team/app:${tag}`;
  beforeAll(async () => {
    registry = await startTestRegistry(isPrivate);
    await tagDockerImage(engine.docker, base, name());
    await collect(pushDockerImage(engine.docker, name(), credentials()));
    await removeDockerImage(engine.docker, name());
  });
  afterAll(() => registry?.end());

  test('tells the digest of an image, and the image is pulled by it', async () => {
    const { docker } = engine;
    const { Descriptor: descriptor, Platforms: platforms } = await inspectDockerDistribution(
      docker,
      name(),
      credentials(),
    );
    expect(descriptor.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(platforms).toMatchObject([{ os: 'linux' }]);
    const image = `${registry.host}/team/app@${descriptor.digest}`;
    const messages = await collect(pullDockerImage(docker, image, credentials()));
    expect(messages.map(({ status }) => status)).toContain(`Digest: ${descriptor.digest}`);
    expect((await inspectDockerImage(docker, image)).RepoDigests).toContain(image);
    await removeDockerImage(docker, image);
  });

  test('says what it does not have', async () => {
    expect(await rejectionOf(inspectDockerDistribution(engine.docker, name('missing'), credentials()))).toMatchObject({
      status: expect.any(Number),
      reason: expect.stringMatching(/manifest unknown/),
    });
    expect(await rejectionOf(collect(pullDockerImage(engine.docker, name('missing'), credentials())))).toMatchObject({
      reason: expect.stringContaining('manifest'),
    });
  });

  test.runIf(isPrivate)('refuses others, and errors have no password', async () => {
    const { docker } = engine;
    const wrong = { ...registryUser, password: 'wrong-word', serveraddress: registry.host };
    for (const one of [undefined, wrong]) {
      const errors = [
        await rejectionOf(inspectDockerDistribution(docker, name(), one)),
        await rejectionOf(collect(pullDockerImage(docker, name(), one))),
      ];
      expect(errors).toEqual([
        expect.objectContaining({ name: 'DockerError' }),
        expect.objectContaining({ name: 'DockerError' }),
      ]);
      expect(`${errors.map(String).join()} ${JSON.stringify(errors)}`).not.toMatch(/wrong-word|registry password/);
    }
  });

  test('serves base images of builds', async () => {
    const { docker } = engine;
    const context = await contextOf({ Dockerfile: `FROM ${name()}\nRUN echo on top > /top` });
    const built = (credentialsOfBuild: DockerBuild['credentials']): Promise<DockerProgress[]> =>
      collect(buildDockerImage(docker, { context, tags: ['on-top:1'], pull: true, credentials: credentialsOfBuild }));
    if (isPrivate) expect(await rejectionOf(built([]))).toMatchObject({ name: 'DockerError' });
    await built(isPrivate ? [credentials()!] : []);
    expect((await inspectDockerImage(docker, 'on-top:1')).RepoTags).toEqual(['on-top:1']);
    await removeDockerImage(docker, 'on-top:1');
  });
});
