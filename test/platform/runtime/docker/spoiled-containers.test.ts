import { expect, test } from 'vitest';
import type { DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import { removeSpoiled } from '../../../../src/platform/runtime/docker/cleanup/spoiled-containers.ts';
import { startFakeEngine } from './fake-engine.ts';

const start = Date.parse('2026-11-22T21:28:57Z');
const after = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

/**
 * An instance that is starting.
 * @param second when it was created, after the start of the engine
 * @param configs how many files it has
 */
const instance = (second: number, configs: number) =>
  ({
    CreatedAt: after(second),
    DesiredState: 'running',
    Spec: { ContainerSpec: { Configs: Array.from({ length: configs }, () => ({})) } },
    Status: { State: 'starting', ContainerStatus: { ContainerID: 'a1' } },
  }) as unknown as DockerTask;

/** What is removed of a container. @param created after the start of the engine, in seconds @param started so too */
async function removed(task: DockerTask, created: number, started: number): Promise<string[]> {
  const { docker, seen } = await startFakeEngine((response, { url, method }) => {
    if (method === 'DELETE') return response.writeHead(204).end();
    if (url.includes('/networks/bridge')) return response.end(JSON.stringify({ Created: after(0) }));
    return response.end(JSON.stringify({ Created: after(created), State: { StartedAt: after(started) } }));
  });
  await removeSpoiled({ docker }, [task], new AbortController().signal);
  return seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url.replace(/^\/v[\d.]+|\?.*$/g, ''));
}

test('a container that was made before the engine started, and begun after it, is removed: it has lost its files', async () => {
  expect(await removed(instance(-3, 1), -2, 5)).toEqual(['/containers/a1']);
});

test.each([
  ['has no files', instance(-3, 0), -2, 5],
  ['was made by the engine that runs', instance(-3, 1), 2, 5],
  ['was begun before', instance(-30, 1), -25, -20],
])('one that %s stays', async (_, task, created, started) => {
  expect(await removed(task, created, started)).toEqual([]);
});
