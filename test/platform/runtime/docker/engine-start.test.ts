import { expect, test } from 'vitest';
import type { DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import { cameTooEarly } from '../../../../src/platform/runtime/docker/engine-start.ts';

const start = Date.parse('2026-01-05T08:00:00Z');

/** An instance that ended so many seconds after the engine's start. */
const endedAfter = (seconds: number, said: string, state = 'rejected'): DockerTask =>
  ({
    Status: { State: state, Err: said, Timestamp: new Date(start + seconds * 1000).toISOString() },
  }) as unknown as DockerTask;

const unready = 'node is missing network attachments, ip addresses may be exhausted';

test.each([
  ['right after the start', endedAfter(2, unready), true],
  // An engine that is killed again while it starts has two starts, of which only the last one can be seen.
  ['right before the start', endedAfter(-2, unready), true],
  ['long after it', endedAfter(120, unready), false],
  ['long before it', endedAfter(-120, unready), false],
  ['right after it, for a reason of its own', endedAfter(2, 'no such image'), false],
  ['right after it, and is complete', endedAfter(2, unready, 'complete'), false],
])('an instance that ended %s came too early, or not', (_, task, expected) => {
  expect(cameTooEarly(task, [start])).toBe(expected);
});
