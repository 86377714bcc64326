import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { commandLine as line, launchOf, typedProgram } from '../../src/cli/init/launch.ts';
import { temporaryDirectory } from '../support/built-program.ts';

/** A package of this program in a folder, without its code. */
async function packageIn(folder: string, { isBuilt = true } = {}) {
  for (const file of [
    'package.json',
    'bin/infra-mcp.mjs',
    'src/main.ts',
    'node',
    ...(isBuilt ? ['dist/infra-mcp.mjs'] : []),
  ]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), file === 'package.json' ? JSON.stringify({ name: manifest.name }) : '');
  }
  return { bin: join(folder, 'bin/infra-mcp.mjs'), source: join(folder, 'src/main.ts'), node: join(folder, 'node') };
}

test('a built checkout is started by its bin and the Node that runs, from source too', async () => {
  const { bin, source, node } = await packageIn(await temporaryDirectory());
  for (const script of [bin, source])
    expect(launchOf({ script, node, env: {} })).toEqual({ command: node, args: [bin] });
  expect(typedProgram({ script: source, node, env: {} })).toBe('npm start --');
  expect(typedProgram({ script: bin, node, env: {} })).toBe(`${node} ${bin}`);
});

test('a checkout is started by the Node that npm ci installed, whichever runs, and not by what npm puts on the PATH', async () => {
  const folder = await temporaryDirectory();
  const { bin, source, node } = await packageIn(folder);
  const installed = join(folder, 'node_modules/node/bin/node');
  await mkdir(dirname(installed), { recursive: true });
  await mkdir(join(folder, 'node_modules/.bin'));
  await writeFile(installed, '');
  await symlink(installed, join(folder, 'node_modules/.bin/node'));
  const byNpm = { script: source, node: installed, env: { PATH: join(folder, 'node_modules/.bin') } };
  for (const program of [byNpm, { script: bin, node, env: {} }])
    expect(launchOf(program)).toEqual({ command: installed, args: [bin] });
  // The Node of the shell may be too old: the program then goes on with the installed one.
  await mkdir(join(folder, 'path'));
  await writeFile(join(folder, 'path/node'), '');
  expect(typedProgram({ script: bin, node: installed, env: { PATH: join(folder, 'path') } })).toBe(`node ${bin}`);
});

test('a checkout that is not built is not written anywhere', async () => {
  const folder = await temporaryDirectory();
  const { source, node } = await packageIn(folder, { isBuilt: false });
  expect(() => launchOf({ script: source, node, env: {} })).toThrow(
    `${folder} is not built, so no assistant could start it. Run npm run build there, then this again.`,
  );
});

test('Node is called by its place on the PATH, which outlives an update', async () => {
  const folder = await temporaryDirectory();
  const { bin, node } = await packageIn(join(folder, 'package'));
  await mkdir(join(folder, 'path'));
  await symlink(node, join(folder, 'path/node'));
  const env = { PATH: `/nowhere:${join(folder, 'path')}` };
  expect(launchOf({ script: bin, node, env })).toEqual({ command: join(folder, 'path/node'), args: [bin] });
  expect(typedProgram({ script: bin, node, env })).toBe(`node ${bin}`);
});

test('an installed program is typed by its name', async () => {
  const folder = await temporaryDirectory();
  const { bin, node } = await packageIn(join(folder, 'lib/node_modules/infra-mcp'));
  await mkdir(join(folder, 'bin'));
  await symlink(bin, join(folder, 'bin/infra-mcp'));
  const env = { PATH: join(folder, 'bin') };
  expect(typedProgram({ script: bin, node, env })).toBe('infra-mcp');
  expect(launchOf({ script: bin, node, env })).toEqual({ command: node, args: [bin] });
});

test('what npx runs is started by npx, in this version', async () => {
  const { bin, node } = await packageIn(join(await temporaryDirectory(), '_npx/1a2b/node_modules/infra-mcp'));
  expect(launchOf({ script: bin, node, env: {} })).toEqual({
    command: 'npx',
    args: ['-y', `infra-mcp@${manifest.version}`],
  });
  expect(typedProgram({ script: bin, node, env: {} })).toBe(`npx -y infra-mcp@${manifest.version}`);
});

test.each(['{ "name": ', 'null', ''])('a parent folder whose package.json is %j is passed over', async (broken) => {
  const parent = await temporaryDirectory();
  await writeFile(join(parent, 'package.json'), broken);
  const { bin, node } = await packageIn(join(parent, 'package'));
  expect(launchOf({ script: bin, node, env: {} })).toEqual({ command: node, args: [bin] });
  const alone = join(parent, 'bundle.mjs');
  await writeFile(alone, '');
  expect(launchOf({ script: alone, node, env: {} })).toEqual({ command: node, args: [alone] });
});

test('words with spaces are quoted in a line', () => {
  expect(line({ command: '/a b/node', args: ['/c/x.mjs'] }, 'init')).toBe('"/a b/node" /c/x.mjs init');
});
