import { existsSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openGuard } from '../../src/cli/wiring/guard.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { contextWith } from '../support/call-context.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/built-program.ts';

/** Makes a folder the place of the default data directory. */
function withDefaultsIn(folder: string): string {
  vi.stubEnv('XDG_DATA_HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return join(folder, 'infra-mcp');
}

/** A data directory with one call in its log. */
async function recorded(): Promise<string> {
  const dataDir = await temporaryDirectory();
  const { dependencies, close } = openGuard(readConfig('stdio', { dataDir }, {}).config);
  await dependencies.recorder.outcome(
    {
      requestId: '1',
      tool: 'get_organization',
      principal: 'ann',
      tier: 'read',
      target: { kind: 'organization', mode: 'none' },
      outcome: 'done',
      duration: 1,
    },
    contextWith(),
  );
  await close();
  return dataDir;
}

describe('a command that reads', () => {
  test.each([
    [['audit', 'show'], 1],
    [['audit', 'verify'], 1],
    [['approve'], 1],
    [['approve', 'AAAA-BBBB', '--refuse'], 1],
    [['token', 'list'], 1],
    [['token', 'revoke', 'ci'], 1],
    [['restore'], 1],
    [['restore', 'before-upgrade'], 1],
    [['backup'], 1],
    [['doctor'], 0],
    [['doctor', 'http', '--port', '0'], 0],
    [['doctor', '--platform'], 1],
  ])('creates no mistyped directory: %j', async (args, expected) => {
    const folder = await temporaryDirectory();
    const usual = withDefaultsIn(folder);
    const { code, stdout, stderr } = await runCommand([...args, '--data-dir', join(folder, 'mistyped')]);
    expect({ code, created: await readdir(folder) }).toEqual({ code: expected, created: [] });
    expect(existsSync(usual)).toBe(false);
    expect(`${stdout}${stderr}`).not.toBe('');
  });

  test.each([['tools'], ['audit', 'show'], ['audit', 'verify'], ['approve'], ['restore'], ['doctor']])(
    'leaves an empty directory empty: %s %s',
    async (...args) => {
      const folder = await temporaryDirectory();
      vi.stubEnv('INFRA_DATA_DIR', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      await runCommand(args);
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

/** Runs a command as a user who may not enter a folder: as nobody, if the tests run as root. */
async function runWithoutAccess(folder: string, args: readonly string[]) {
  // Loads the code of the command, which nobody may be unable to do afterwards.
  await runCommand(args);
  const { mode } = statSync(folder);
  const isRoot = process.geteuid!() === 0;
  await chmod(folder, isRoot ? 0o700 : 0);
  if (isRoot) process.seteuid!(65_534);
  try {
    return await runCommand(args);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(folder, mode);
  }
}

const readers = [
  ['audit', 'show'],
  ['audit', 'verify'],
  ['approve'],
  ['approve', 'AAAA-BBBB', '--refuse'],
  ['restore'],
  ['restore', 'before-upgrade'],
];

describe('a command that reads what nobody could look at', () => {
  test.each(readers.map((args) => [args]))('says so of a directory of another user: %j', async (args) => {
    const dataDir = await recorded();
    const { code, stdout, stderr } = await runWithoutAccess(dataDir, [...args, '--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`^infra-mcp: ${dataDir}\\S* can't be read, because this user may not read there \\(EACCES\\)\\.`),
    );
  });

  test.each(readers.map((args) => [args]))('says so of a file in place of the directory: %j', async (args) => {
    const dataDir = join(await temporaryDirectory(), 'file');
    await writeFile(dataDir, '');
    const { code, stdout, stderr } = await runCommand([...args, '--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/ can't be read, because [^.]+ \(ENOTDIR\)\./);
  });

  test('says so of a folder that is named as a log', async () => {
    const dataDir = await recorded();
    const { code, stderr } = await runCommand(['audit', 'verify', '--data-dir', dataDir, dataDir]);
    expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ').trim() }).toEqual({
      code: 1,
      stderr: `infra-mcp: ${dataDir} can't be read, because it is a folder (EISDIR).`,
    });
  });

  test('says of a missing directory that it is missing, whatever is to be restored', async () => {
    const dataDir = join(await temporaryDirectory(), 'mistyped');
    const { code, stderr } = await runCommand(['restore', 'x', '--data-dir', dataDir]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`There is no data directory at ${dataDir}.`) as string,
    });
  });
});

describe('a log that is missing', () => {
  test.each(['show', 'verify'])('is named by audit %s, whose exit code is 1', async (command) => {
    const dataDir = await recorded();
    const named = join(dataDir, 'mistyped.jsonl');
    const { code, stdout, stderr } = await runCommand(['audit', command, '--data-dir', dataDir, named]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `infra-mcp: There is no log at ${named}.\n`,
    });
  });

  test('although its heads are there was moved away', async () => {
    const dataDir = await recorded();
    await rename(join(dataDir, 'audit.jsonl'), join(dataDir, 'audit.1.jsonl'));
    const { code, stderr } = await runCommand(['audit', 'verify', '--data-dir', dataDir]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('name its files') as string });
    expect((await runCommand(['audit', 'verify', '--data-dir', dataDir, join(dataDir, 'audit.1.jsonl')])).code).toBe(0);
  });
});

test('a log without entries is not called whole', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'audit.jsonl'), '');
  expect(await runCommand(['audit', 'verify', '--data-dir', dataDir])).toEqual({
    code: 0,
    stdout: 'The audit log has no entries, so there is nothing to verify.\n',
    stderr: '',
  });
});

describe('a log of another server', () => {
  test('of which no entry verifies is probably sealed with another key, which is named', async () => {
    const [own, other] = [await recorded(), await recorded()];
    const log = join(other, 'audit.jsonl');
    const { code, stdout } = await runCommand(['audit', 'verify', '--json', '--data-dir', own, log]);
    expect({ code, verdict: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 1,
      verdict: { entries: 1, faults: [{ what: expect.stringContaining(`${join(own, 'guard.key')} is probably not`) }] },
    });
    await cp(log, join(own, 'audit.jsonl'));
    await cp(join(other, 'audit-heads'), join(own, 'audit-heads'), { recursive: true });
    expect((await runCommand(['audit', 'verify', '--data-dir', own])).stdout).toContain('is probably not the key');
    expect((await runCommand(['audit', 'verify', '--data-dir', own, '--keys-dir', other])).code).toBe(0);
  });

  test('is not verified without its key, which is not made', async () => {
    const dataDir = await recorded();
    const keysDir = join(dataDir, 'keys');
    await mkdir(keysDir);
    const { code, stderr } = await runCommand(['audit', 'verify', '--data-dir', dataDir, '--keys-dir', keysDir]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`There is no ${join(keysDir, 'guard.key')}`) as string,
    });
    expect(await readdir(keysDir)).toEqual([]);
  });

  test('of which one entry was changed is not taken for one of another key', async () => {
    const dataDir = await recorded();
    const file = join(dataDir, 'audit.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"ann"', '"eve"'));
    const { code, stdout } = await runCommand(['audit', 'verify', '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(stdout).not.toContain('is probably not the key');
  });
});
