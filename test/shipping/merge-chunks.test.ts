import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import {
  entryOf,
  loadedWith,
  mergeChunks,
  outputsBelow,
  startGroups,
  type BundledFile,
  type Outputs,
} from '../../scripts/build/merge-chunks.ts';

/** A program with three commands, which share modules in all ways. */
const sources: Readonly<Record<string, string>> = {
  'src/main.ts': `
    import { all } from '../all.ts';
    const load = { stdio: () => import('./cli/commands/stdio.ts'), cli: () => import('./cli/commands/cli.ts'), other: () => import('../other.ts') };
    export const seen = [all.of('main'), ...(await load[globalThis.commandForTest]()).seen];`,
  'src/cli/commands/stdio.ts': `
    import { all } from '../../../all.ts';
    import { shared } from '../../../shared.ts';
    import { served } from '../../../served.ts';
    export const seen = [all.of('stdio'), shared.of('stdio'), served.of('stdio')];`,
  'src/cli/commands/cli.ts': `
    import { shared } from '../../../shared.ts';
    const { seen: more } = await import('../../../other.ts');
    export const seen = [shared.of('cli'), ...more];`,
  'other.ts': `
    import { served } from './served.ts';
    import { shared } from './shared.ts';
    export const seen = [served.of('other'), shared.of('other')];`,
  'all.ts': `import { counter } from './counter.ts'; export const all = counter('all');`,
  'shared.ts': `import { counter } from './counter.ts'; export const shared = counter('shared');`,
  'served.ts': `import { shared } from './shared.ts'; import { counter } from './counter.ts'; shared.of('served'); export const served = counter('served');`,
  'counter.ts': `export const counter = (name) => { let count = 0; return { of: (by) => [name, by, ++count].join(' ') }; };`,
};

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-chunks-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function writeAll(directory: string, files: readonly BundledFile[]): Promise<void> {
  for (const { path, code } of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
  }
}

async function bundle(): Promise<{ files: BundledFile[]; outputs: Outputs }> {
  const root = await temporaryDirectory();
  await writeAll(
    root,
    Object.entries(sources).map(([path, code]) => ({ path, code })),
  );
  const { metafile, outputFiles } = await build({
    write: false,
    metafile: true,
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts' },
    outdir: join(root, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node22.19',
  });
  const files = outputFiles.map(({ path, text }) => ({
    path: path.slice(join(root, 'dist').length + 1).replaceAll('\\', '/'),
    code: text,
  }));
  return { files, outputs: outputsBelow('dist', metafile) };
}

/** What a command of a program sees. */
async function seenBy(command: string, files: readonly BundledFile[]): Promise<unknown> {
  const directory = await temporaryDirectory();
  await writeAll(directory, files);
  Object.assign(globalThis, { commandForTest: command });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'commandForTest'));
  return ((await import(pathToFileURL(join(directory, 'main.mjs')).href)) as { seen: unknown }).seen;
}

const options = async () => {
  const { files, outputs } = await bundle();
  return { files, outputs, groups: startGroups(outputs), target: 'node22.19' };
};

test.each(['stdio', 'cli', 'other'])('%s finds the same modules in merged chunks', async (command) => {
  const { files, outputs, groups, target } = await options();
  const merged = await mergeChunks(files, outputs, { groups, target });
  const expected = await seenBy(command, files);
  expect(expected).toContain('all main 1');
  expect(await seenBy(command, merged)).toEqual(expected);
});

test('a start loads the program, the command and what is merged for both', async () => {
  const { files, outputs, groups, target } = await options();
  const stdio = entryOf(outputs, 'src/cli/commands/stdio.ts');
  expect(new Set([...loadedWith(outputs, 'main.mjs'), ...loadedWith(outputs, stdio)]).size).toBeGreaterThan(4);
  const merged = await mergeChunks(files, outputs, { groups, target });
  const imports = merged
    .filter(({ path }) => ['main.mjs', stdio, 'chunks/always.mjs', 'chunks/servers.mjs'].includes(path))
    .flatMap(({ code }) => [...code.matchAll(/from"([^"]+)"/g)].map(([, from]) => from));
  expect(new Set(imports)).toEqual(new Set(['./chunks/always.mjs', './always.mjs', './servers.mjs']));
});

test('a chunk that import() loads is not merged', async () => {
  const { files, outputs, target } = await options();
  const groups = [{ path: 'chunks/one.mjs', chunks: new Set([entryOf(outputs, 'src/cli/commands/stdio.ts')]) }];
  await expect(mergeChunks(files, outputs, { groups, target })).rejects.toThrow('is loaded with import()');
  expect(() => entryOf(outputs, 'src/none.ts')).toThrow('src/none.ts');
});
