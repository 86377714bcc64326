import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { DemoEvent } from '../scripts/demo/output.ts';

const root = join(import.meta.dirname, '..');
const demo = (...args: string[]) =>
  promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(root, 'scripts/demo.ts'), ...args],
    { cwd: root },
  );

test('the demo tells its story to programs too, to its end, and shows no secret', async () => {
  const { stdout, stderr } = await demo('--json', '--time-scale', '0');
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DemoEvent);
  expect(stderr).toBe('');
  expect(events.filter(({ event }) => event === 'chapter').length).toBeGreaterThan(4);
  expect(events).toContainEqual({ event: 'state', of: 'checkout', state: 'DEPLOYED' });
  // A change back, new code that sees a secret of production, and what takes production down.
  expect(events.filter(({ event }) => event === 'question')).toMatchObject([
    { answer: 'yes' },
    { answer: 'yes' },
    { answer: 'no' },
  ]);
  expect(events).toContainEqual({
    event: 'text',
    text: expect.stringMatching(/Cause \(image_tag_not_found, confidence high\)/) as string,
  });
  expect(events.findLast(({ event }) => event === 'good')).toMatchObject({
    text: expect.stringContaining('as before') as string,
  });
  expect(stdout).not.toContain('never_shown');
  expect(stdout).not.toContain('\u001B');
});

test('a flag that it does not know ends it', async () => {
  await expect(demo('--jsno')).rejects.toThrow("Unknown option '--jsno'");
});
