import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/platform/common/index.ts';
import { createBackgroundLoop } from '../../../src/platform/engine/background-loop.ts';

test('pauses leave nothing behind, however often work is repeated', async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const listeners: number[] = [];
  const loop = createBackgroundLoop(silentLog, [
    {
      interval: 0,
      says: { failure: '', recovery: '' },
      run: async (signal) => {
        listeners.push(getEventListeners(signal, 'abort').length);
        if (listeners.length === 10) resolve();
      },
    },
  ]);
  loop.start();
  await done;
  await loop.stop();
  expect(new Set(listeners)).toEqual(new Set([0]));
});
