import { expect, test } from 'vitest';
import { newLines, runningLines } from '../../../../src/platform/runtime/docker/observation/instance-logs.ts';
import type { DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import type { RunningVersion, Task } from '../../../../src/platform/runtime/index.ts';
import { startFakeEngine } from './fake-engine.ts';

const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: 'e',
  kind: 'container',
  spec: { tag: '1' },
};
const task = { service, beganAt: Date.parse('2026-01-01T00:00:00Z') } as unknown as Task;
const instance = { ID: 'task1', Slot: 1, Status: { State: 'running' } } as unknown as DockerTask;

const time = (number: number): string =>
  `2026-01-01T00:00:${String(Math.floor(number / 100)).padStart(2, '0')}.${String(number % 100).padStart(2, '0')}0000001Z`;

/** A line as an engine sends it, in its frame. */
function frame(number: number, taskId = 'task1'): Buffer {
  const text = Buffer.from(`${time(number)} com.docker.swarm.task.id=${taskId} line ${number}\n`);
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, text]);
}

/** What is told of an instance that has logged this many lines, to an engine that knows `tail`. */
async function told(count: number, reported = {}) {
  const engine = await startFakeEngine((response, { url }) => {
    if (url.includes('/nodes')) return response.end('[]');
    const tail = Number(new URL(url, 'http://engine').searchParams.get('tail'));
    return response.end(Buffer.concat(Array.from({ length: count }, (_, index) => frame(index + 1)).slice(-tail)));
  });
  return newLines({ docker: engine.docker }, task, [instance], reported, new AbortController().signal);
}

test('the new lines of an instance come once, in their order', async () => {
  const first = await told(3);
  expect(first.lines.map(({ message, pod }) => [message, pod])).toEqual(
    [1, 2, 3].map((number) => [`line ${number}`, 'web-1-task1']),
  );
  const second = await told(5, first.reported);
  expect(second.lines.map(({ message }) => message)).toEqual(['line 4', 'line 5']);
});

test('of more lines than are kept, the engine sends the newest only, and the log says so', async () => {
  const { lines, isComplete, reported } = await told(3000);
  expect([lines.length, isComplete]).toEqual([1001, true]);
  expect(lines[0]!.message).toBe('Lines were left out here: more than 1000 came at once.');
  expect([lines[1]!.message, lines.at(-1)!.message]).toEqual(['line 2001', 'line 3000']);
  expect((await told(3000, reported)).lines).toEqual([]);
});

test('a log that breaks off says so, and why', async () => {
  const engine = await startFakeEngine((response, { url }) => {
    if (url.includes('/nodes')) return response.end('[]');
    if (url.includes('/tasks?'))
      return response.end(
        JSON.stringify([{ ...instance, Spec: { ContainerSpec: { Labels: { 'io.infra-mcp.deployment': 'd' } } } }]),
      );
    return response.writeHead(500).end(JSON.stringify({ message: 'the agent of node-2 is gone' }));
  });
  const context = { docker: engine.docker, clock: { now: () => 5 } };
  const lines = await runningLines(
    context,
    { deploymentId: 'd', service, runningSince: 0 } as unknown as RunningVersion,
    10,
    new AbortController().signal,
  );
  expect(lines.map(({ at, message, pod }) => [at, pod, message])).toEqual([
    [5, 'engine', 'Not all of what the instances log could be read: the agent of node-2 is gone.'],
  ]);
});

test("while a node is down, the logs of instances on others are read one by one, and it is told whose can't be", async () => {
  const labels = { 'io.infra-mcp.deployment': 'd' };
  const on = (id: string, node: string, slot: number) => ({
    ID: id,
    Slot: slot,
    NodeID: node,
    Spec: { ContainerSpec: { Labels: labels } },
    Status: { State: 'running', ContainerStatus: { ContainerID: `c-${id}` } },
  });
  const nodes = [
    ['here', 'node-1', 'ready'],
    ['away', 'node-2', 'down'],
  ].map(([id, name, state]) => ({
    ID: id,
    UpdatedAt: '2026-01-01T00:00:05.5Z',
    Description: { Hostname: name },
    Status: { State: state },
  }));
  const engine = await startFakeEngine((response, { url }) => {
    if (url.includes('/nodes')) return response.end(JSON.stringify(nodes));
    if (url.includes('/tasks?')) return response.end(JSON.stringify([on('task1', 'here', 1), on('task2', 'away', 2)]));
    // The log of the service, and that of an instance on the lost node, are never answered.
    return url.includes('/tasks/task1/logs') ? response.end(frame(1)) : undefined;
  });
  const version = { deploymentId: 'd', service, runningSince: 0 } as unknown as RunningVersion;
  const lines = await runningLines(
    { docker: engine.docker, clock: { now: () => 5 } },
    version,
    10,
    new AbortController().signal,
  );
  expect(lines.map(({ message, pod }) => [pod, message])).toEqual([
    ['web-1-task1', 'line 1'],
    [
      'web-2-task2',
      "The log of web-2-task2 can't be read: it is on the node node-2, which has been down since 2026-01-01T00:00:05Z or earlier.",
    ],
  ]);
  expect(
    engine.seen
      .map(({ url }) => new URL(url, 'http://engine').pathname.replace(/^\/v[^/]+/, ''))
      .filter((path) => path.endsWith('/logs')),
  ).toEqual(['/tasks/task1/logs']);
});
