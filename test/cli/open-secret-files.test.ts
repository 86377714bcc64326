import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSecretFiles } from '../../src/cli/wiring/open-secret-files.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/built-program.ts';

async function tokenFile(mode: number): Promise<string> {
  const file = join(await temporaryDirectory(), 'token');
  await writeFile(file, 'a-token');
  await chmod(file, mode);
  return file;
}

// The mode of a file says nothing of who may read it there.
const onPosix = test.skipIf(process.platform === 'win32');

onPosix.each([
  [0o644, true],
  [0o640, true],
  [0o600, false],
  [0o400, false],
])('a file with a secret and the mode %o is open to others: %j', async (mode, isOpen) => {
  const file = await tokenFile(mode);
  for (const option of ['apiTokenFile', 'tokenFile', 'approvalsWebhookSecretFile'])
    expect(openSecretFiles({ [option]: file })).toHaveLength(isOpen ? 1 : 0);
  expect(openSecretFiles({ apiTokenFile: `${file}.missing` })).toEqual([]);
});

// Nobody listens there.
const nowhere = ['--base-url', 'http://127.0.0.1:1'];

onPosix('the start says so once, and doctor finds it', async () => {
  const file = await tokenFile(0o644);
  const dataDir = ['--data-dir', await temporaryDirectory()];
  const start = ['http', '--port', '0', '--tools', 'no_such_tool'];
  const { stderr } = await runCommand([...start, ...nowhere, '--api-token-file', file, ...dataDir]);
  expect(stderr.split(`chmod 600 ${file}`)).toHaveLength(2);
  const found = async (): Promise<readonly { check: string; state: string; todo?: string }[]> =>
    JSON.parse((await runCommand(['doctor', '--json', ...nowhere, '--api-token-file', file, ...dataDir])).stdout)
      .findings;
  expect(await found()).toContainEqual(
    expect.objectContaining({
      check: 'secret file',
      state: 'note',
      todo: expect.stringContaining(`chmod 600 ${file}`) as string,
    }),
  );
  await chmod(file, 0o600);
  expect((await found()).map(({ check }) => check)).not.toContain('secret file');
});
