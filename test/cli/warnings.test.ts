import { expect, test } from 'vitest';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

/**
 * Runs `infra-mcp tools` while Node warns: here once the program has started, as Node does when a module is first
 * loaded.
 */
const warned = async (message: string, name: string, options = ''): Promise<string> => {
  const warns = `setImmediate(() => process.emitWarning(${JSON.stringify(message)}, ${JSON.stringify(name)}));`;
  const { code, stderr } = await runProgram(['tools'], {
    INFRA_DATA_DIR: await temporaryDirectory(),
    NODE_OPTIONS: `${options} --import=data:text/javascript,${encodeURIComponent(warns)}`,
  });
  expect(code).toBe(0);
  return stderr;
};

const ofNode22 = 'SQLite is an experimental feature and might change at any time';

test("Node 22's warning about its SQLite module is not shown", async () => {
  expect(await warned(ofNode22, 'ExperimentalWarning')).toBe('');
});

test.each([
  ['Another is an experimental feature and might change at any time', 'ExperimentalWarning'],
  [ofNode22, 'DeprecationWarning'],
  ['something else', 'Warning'],
])('other warnings are shown once: %s (%s)', async (message, name) => {
  expect((await warned(message, name)).split(`${name}: ${message}`)).toHaveLength(2);
});

test('--no-warnings still hides all', async () => {
  expect(await warned('something else', 'Warning', '--no-warnings')).toBe('');
});
