import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledPlatform,
  startControlledPlatform,
} from '../../platform/testing/control/controlled-platform.ts';

let platform: ControlledPlatform;
beforeAll(async () => {
  platform = await startControlledPlatform();
});
afterAll(() => platform.close());

test.each([
  ['GET', '/snapshots', undefined],
  ['POST', '/snapshots', { name: 'one' }],
  ['DELETE', '/snapshots/one', undefined],
  ['POST', '/restore', { name: 'one' }],
  ['POST', '/reset', {}],
] as const)('what replaces or copies the file of a data directory is refused: %s %s', async (method, path, body) => {
  const before = platform.dump();
  expect(await platform.sendControl(method, path, body)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('use a dump of the database') },
  });
  expect(platform.dump()).toEqual(before);
});

test('everything else of the control works', async () => {
  expect((await platform.mustControl('POST', '/time/advance', { by: 'PT5M' }))['now']).toBeDefined();
});
