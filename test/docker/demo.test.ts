import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoEvent } from '../../scripts/demo/output.ts';
import { pushDockerImage, tagDockerImage } from '../../src/platform/runtime/docker/api/index.ts';
import { startTestEngine, type TestEngine } from '../support/docker/docker-engine.ts';
import { startTestRegistry, type TestRegistry } from '../support/docker/docker-registry.ts';
import { buildProxyImage, buildTestImage, proxyImage } from '../support/docker/test-images.ts';
import { cleanEnvironment } from '../support/started-program.ts';

const root = join(import.meta.dirname, '../..');

/** Longest that the demo may take, in milliseconds. */
const longest = 500_000;

let engine: TestEngine;
let registry: TestRegistry;
beforeAll(async () => {
  engine = await startTestEngine();
  registry = await startTestRegistry();
  await buildProxyImage(engine.docker);
  await buildTestImage(engine.docker, 'shell', 'demo-base:1');
  const redis = `${registry.host}/redis:7`;
  await tagDockerImage(engine.docker, await buildTestImage(engine.docker, 'redis'), redis);
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of pushDockerImage(engine.docker, redis)) continue;
});
afterAll(async () => {
  await registry?.end();
  await engine?.end();
});

test('the demo on an engine tells its story to the end, answers every request, and leaves nothing', async () => {
  const images = [`proxy=${proxyImage}`, 'base=demo-base:1', `redis=${registry.host}/redis`].flatMap((image) => [
    '--image',
    image,
  ]);
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      '--import',
      import.meta.resolve('tsx'),
      join(root, 'scripts/demo.ts'),
      '--json',
      '--docker',
      '--engine',
      engine.address,
      ...images,
    ],
    { cwd: root, env: cleanEnvironment(), timeout: longest },
  );
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DemoEvent);
  expect(stderr).toBe('');
  expect(events).toContainEqual({
    event: 'text',
    text: expect.stringMatching(
      /^GET http:\/\/web-demo\.localhost:\d+\/cgi-bin\/visits\nversion 1, visit 1\n$/,
    ) as string,
  });
  expect(events).toContainEqual({
    event: 'good',
    text: expect.stringMatching(/^\d+ requests during both deployments, all answered$/) as string,
  });
  expect(events.at(-1)).toMatchObject({
    event: 'chapter',
    title: expect.stringContaining('Nothing of it is left') as string,
  });
});
