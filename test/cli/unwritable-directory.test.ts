import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/built-program.ts';

// Root may do anything by its permissions, and nothing can be created in either.
const nowhere = ['/proc/x', import.meta.filename];

const because = /\((?:ENOENT: nothing can be created there|(?:ENOTDIR|EEXIST): a file is in its place)\)/;

test.each(
  nowhere.flatMap((dataDir) =>
    [
      ['http', '--port', '0'],
      ['platform', '--port', '0'],
      ['token', 'create', '--name', 'ci', '--permission', 'read'],
    ].map((args) => [args.slice(0, 2).join(' '), args, dataDir] as const),
  ),
)('%s: says why it can not be used, before it says that it is ready', async (_, args, dataDir) => {
  const { code, stdout, stderr } = await runCommand([...args, '--data-dir', dataDir]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`^infra-mcp: The data directory ${dataDir} can't be used ${because.source}: set INFRA_DATA_DIR `),
  );
});

test.each(nowhere)('doctor says the same of %s, and nothing of free space', async (dataDir) => {
  const { code, stdout } = await runCommand(['doctor', '--json', '--data-dir', dataDir]);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; says: string }[] };
  expect(code).toBe(1);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'data directory', state: 'bad', says: expect.stringMatching(because) as string }),
  );
  expect(findings.map(({ check }) => check)).not.toContain('disk space');
});

test('what doctor writes to try is gone afterwards', async () => {
  const dataDir = await temporaryDirectory();
  const { code } = await runCommand(['doctor', '--data-dir', dataDir]);
  expect({ code, left: await readdir(dataDir) }).toEqual({ code: 0, left: [] });
});
