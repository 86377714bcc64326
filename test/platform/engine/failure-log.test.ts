import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PlatformLog } from '../../../src/platform/common/index.ts';
import { createBackgroundLoop } from '../../../src/platform/engine/background-loop.ts';
import { createFailureLog } from '../../../src/platform/engine/failure-log.ts';
import { RuntimeProblem, RuntimeUnreachable } from '../../../src/platform/runtime/index.ts';
import { RecordsUnavailable } from '../../../src/platform/store/index.ts';

const says = { failure: 'it fails', recovery: 'it works again' };
let lines: { level: string; fields: object; message: string }[];
const at =
  (level: string) =>
  (fields: object, message: string): void =>
    void lines.push({ level, fields, message });
const log: PlatformLog = { info: at('info'), warn: at('warn'), error: at('error') };

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('an engine that is away is told in one line without a stack when it goes, once a minute while it fails in other ways, and when it is back', () => {
  const { failed, worked } = createFailureLog(log, { runtime: 'one' }, says);
  for (let round = 0; round < 100; round += 1) {
    failed(
      new RuntimeUnreachable(
        round % 2 === 0 ? 'GET /services: nothing listens there' : 'GET /info: it did not answer in time',
      ),
    );
    vi.advanceTimersByTime(900);
  }
  expect(lines).toEqual([
    { level: 'warn', fields: { runtime: 'one', reason: 'GET /services: nothing listens there' }, message: 'it fails' },
    { level: 'warn', fields: { runtime: 'one', reason: 'GET /info: it did not answer in time' }, message: 'it fails' },
  ]);
  lines = [];
  worked();
  worked();
  expect(lines).toEqual([
    {
      level: 'info',
      fields: { runtime: 'one', problem: 'GET /info: it did not answer in time' },
      message: 'it works again',
    },
  ]);
});

test('records that are away are told with their cause, and what a runtime knows to be wrong in its words; anything else may be a fault of the program, and is told with its stack', () => {
  const { failed } = createFailureLog(log, {}, says);
  failed(new RecordsUnavailable('The database is away.', new Error('connection refused')));
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: { reason: 'The database is away.', cause: 'Error: connection refused' },
      message: 'it fails',
    },
  ]);
  lines = [];
  createFailureLog(log, {}, says).failed(new RuntimeProblem('No node takes instances.'));
  expect(lines).toEqual([{ level: 'warn', fields: { reason: 'No node takes instances.' }, message: 'it fails' }]);
  lines = [];
  const fault = new TypeError('undefined is no function');
  createFailureLog(log, {}, says).failed(fault);
  expect(lines).toEqual([{ level: 'error', fields: { err: fault }, message: 'it fails' }]);
});

test('work that is repeated says which runtime it is about', async () => {
  const loop = createBackgroundLoop(log, [
    { interval: 10, says, about: { runtime: 'one' }, run: () => Promise.reject(new RuntimeUnreachable('away')) },
  ]);
  loop.start();
  await vi.advanceTimersByTimeAsync(100);
  await loop.stop();
  expect(lines).toEqual([{ level: 'warn', fields: { runtime: 'one', reason: 'away' }, message: 'it fails' }]);
});
