import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const oldest = manifest.engines.node.replace('>=', '');
const [major = 0, minor = 0] = oldest.split('.').map(Number);
const tooOld = `${major - 1}.99.0`;

/** A copy of the bin, with a program that only says that it was started. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-mcp-bin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'dist'));
  await cp(join(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'dist/infra-mcp.mjs'), "console.error('started')");
});

/** Puts something in the place of the Node that a checkout installs. */
async function nodeBesides(put: (path: string) => Promise<void>): Promise<void> {
  await mkdir(join(folder, 'node_modules/node/bin'), { recursive: true });
  await put(join(folder, 'node_modules/node/bin/node'));
}

/** Starts the bin in a Node that claims to be of the given version. */
function spawnOn(version: string, ...args: readonly string[]): ChildProcess {
  const script = `
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
    process.execArgv.length = 0;
    process.argv.splice(1, 0, 'infra-mcp');
    await import('${pathToFileURL(join(folder, 'bin/infra-mcp.mjs')).href}');`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], {
    env: { ...process.env, XDG_CACHE_HOME: folder },
  });
}

async function startOn(
  version: string,
  ...args: readonly string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnOn(version, ...args);
  child.stdin!.end();
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

test.each([tooOld, `${major}.${minor - 1}.9`, '12.22.0'])('on Node %s it says which Node it needs', async (version) => {
  const { code, stderr } = await startOn(version);
  expect(stderr).toContain(`needs Node ${oldest} or newer`);
  expect(stderr).toContain(version);
  expect(stderr).not.toContain('started');
  expect(code).toBe(1);
});

test.each([`${oldest}.0`, `${major + 1}.0.0`])('on Node %s it starts the program', async (version) => {
  expect(await startOn(version)).toMatchObject({ code: 0, stderr: 'started\n' });
});

test('on a Node that is too old, it starts with the one that is installed beside it, and ends as that one does', async () => {
  await nodeBesides((path) => writeFile(path, '#!/bin/sh\necho "$@"; cat; exit 7\n', { mode: 0o755 }));
  const child = spawnOn(tooOld, 'tools', '--json');
  child.stdin!.end('asked');
  const [stdout, [code]] = await Promise.all([text(child.stdout!), once(child, 'close') as Promise<[number | null]>]);
  expect(stdout).toBe(`${join(folder, 'bin/infra-mcp.mjs')} tools --json\nasked`);
  expect(code).toBe(7);
});

test('what ends it ends the program that it has started', async () => {
  await nodeBesides((path) =>
    writeFile(path, '#!/bin/sh\ntrap "exit 3" TERM\necho ready\nwhile :; do sleep 0.1; done\n', { mode: 0o755 }),
  );
  const child = spawnOn(tooOld);
  await once(child.stdout!, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([3, null]);
});

test.each(['KILL', 'TERM'] as const)(
  'if SIG%s ended that one, it ends with 128 and the number of the signal',
  async (name) => {
    await nodeBesides((path) => writeFile(path, `#!/bin/sh\nkill -${name} $$\n`, { mode: 0o755 }));
    expect(await startOn(tooOld)).toMatchObject({ code: 128 + constants.signals[`SIG${name}`] });
  },
);

test('without the program, says in one line that it is not built', async () => {
  await rm(join(folder, 'dist'), { recursive: true });
  expect(await startOn(process.versions.node)).toMatchObject({
    code: 1,
    stderr: `infra-mcp is not built in ${folder}/. Run npm run build there, and start infra-mcp again.\n`,
  });
});

test('a program that is there and fails says why', async () => {
  await writeFile(join(folder, 'dist/infra-mcp.mjs'), "import './missing.mjs'");
  const { code, stderr } = await startOn(process.versions.node);
  expect(code).not.toBe(0);
  expect(stderr).toContain('missing.mjs');
  expect(stderr).not.toContain('is not built');
});

test('the same Node beside it does not help', async () => {
  await nodeBesides((path) => symlink(process.execPath, path));
  expect(await startOn(tooOld)).toMatchObject({ code: 1, stderr: expect.stringContaining('needs Node') as string });
});
