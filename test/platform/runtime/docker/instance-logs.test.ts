import { expect, test } from 'vitest';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { newLines } from '../../../../src/platform/runtime/docker/instance-logs.ts';
import type { DockerTask } from '../../../../src/platform/runtime/docker/engine/index.ts';
import type { Task } from '../../../../src/platform/runtime/task.ts';
import { startFakeEngine } from './fake-engine.ts';

const service = { id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11', name: 'web', environmentId: 'e', kind: 'container', spec: { tag: '1' } };
const task = { service, beganAt: Date.parse('2026-01-01T00:00:00Z') } as unknown as Task;
const instance = { ID: 'task1', Slot: 1, Status: { State: 'running' } } as unknown as DockerTask;

const time = (number: number): string => `2026-01-01T00:00:${String(Math.floor(number / 100)).padStart(2, '0')}.${String(number % 100).padStart(2, '0')}0000001Z`;

/** A line as an engine sends it, in its frame. */
function frame(number: number): Buffer {
  const text = Buffer.from(`${time(number)} com.docker.swarm.task.id=task1 line ${number}\n`);
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, text]);
}

/** What is told of an instance that has logged this many lines, to an engine that knows `tail`. */
async function told(count: number, reported = {}) {
  const engine = await startFakeEngine((response, { url }) => {
    const tail = Number(new URL(url, 'http://engine').searchParams.get('tail'));
    response.end(Buffer.concat(Array.from({ length: count }, (_, index) => frame(index + 1)).slice(-tail)));
  });
  return newLines({ docker: engine.docker } as unknown as DockerContext, task, [instance], reported, new AbortController().signal);
}

test('the new lines of an instance come once, in their order', async () => {
  const first = await told(3);
  expect(first.lines.map(({ message, pod }) => [message, pod])).toEqual([1, 2, 3].map((number) => [`line ${number}`, 'web-1-task1']));
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
