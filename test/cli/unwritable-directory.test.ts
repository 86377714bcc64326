import { randomBytes } from 'node:crypto';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

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

const keysFault = { check: 'keys directory', state: 'bad', says: expect.stringMatching(because) as string };

test.each([
  ['http', ['http', '--port', '0'], 'keys directory', ['--keys-dir', '/proc/k']],
  ['http', ['http', '--port', '0'], 'audit log', ['--audit-file', '/proc/a/b.jsonl']],
  ['stdio', ['stdio'], 'keys directory', ['--keys-dir', '/proc/k']],
  ['stdio', ['stdio'], 'audit log', ['--audit-file', '/proc/a/b.jsonl']],
  ['platform', ['platform', '--port', '0'], 'keys directory', ['--keys-dir', '/proc/k']],
  [
    'token create',
    ['token', 'create', '--name', 'ci', '--permission', 'read'],
    'keys directory',
    ['--keys-dir', '/proc/k'],
  ],
] as const)('%s %j: says that the %s can not be used', async (_, args, what, more) => {
  const dataDir = await temporaryDirectory();
  const { code, stdout, stderr } = await runCommand([...args, ...more, '--data-dir', dataDir]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`^infra-mcp: The ${what} /proc/\\S+ can't be used ${because.source}: set INFRA_`),
  );
  expect(await readdir(dataDir)).toEqual([]);
});

test.each([
  [['doctor', '--keys-dir', '/proc/k'], keysFault],
  [['doctor', 'platform', '--keys-dir', '/proc/k'], keysFault],
  [['doctor', 'platform', '--data-dir', '/proc/x'], { ...keysFault, check: 'data directory' }],
  [['doctor', '--audit-file', '/proc/b.jsonl'], { check: 'audit log', state: 'bad' }],
] as const)('%j finds it', async (args, finding) => {
  const own = (args as readonly string[]).includes('--data-dir') ? [] : ['--data-dir', await temporaryDirectory()];
  const { code, stdout } = await runCommand([...args, ...own, '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
  expect(code).toBe(1);
  expect(findings).toContainEqual(expect.objectContaining(finding));
});

test('stdio goes on without a data directory, and its log says at the start why calls will fail', async () => {
  const { code, stderr } = await runProgram(['stdio', '--data-dir', '/proc/x']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/The data directory \/proc\/x can't be used \(ENOENT: /);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('a keys directory that has its keys may be read-only', async () => {
  const [dataDir, keysDir] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(keysDir, 'guard.key'), randomBytes(32), { mode: 0o600 });
  await chmod(keysDir, 0o500);
  expect((await runCommand(['doctor', '--data-dir', dataDir, '--keys-dir', keysDir])).code).toBe(0);
  expect(await readdir(keysDir)).toEqual(['guard.key']);
});

test('what doctor writes to try is gone afterwards', async () => {
  const dataDir = await temporaryDirectory();
  const { code } = await runCommand(['doctor', '--data-dir', dataDir]);
  expect({ code, left: await readdir(dataDir) }).toEqual({ code: 0, left: [] });
});
