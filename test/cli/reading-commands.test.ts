import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
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
