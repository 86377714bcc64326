import { spawnSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyOutputDirectory, replaceOutputDirectory } from '../../scripts/output-directory.ts';
import { temporaryDirectory } from '../support/built-program.ts';
import { root } from './repository-files.ts';

const options = (checkout: string) => ({ root: checkout, written: 'SHA256SUMS', standard: 'release' });

/** A directory with these files. */
async function directoryWith(...files: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory();
  for (const file of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), '');
  }
  return directory;
}

describe('an output directory', () => {
  test.each([
    ['that is new', [], 'out/new'],
    ['that is empty', [], '.'],
    ['that was written before', ['SHA256SUMS', 'a/b'], '.'],
  ])('%s is empty afterwards', async (_, files, path) => {
    const outdir = join(await directoryWith(...files), path);
    await emptyOutputDirectory(outdir, options(await directoryWith('package.json')));
    expect(await readdir(outdir)).toEqual([]);
  });

  test('that is the usual one may be incomplete', async () => {
    const checkout = await directoryWith('release/half-written');
    await emptyOutputDirectory(join(checkout, 'release'), options(checkout));
    expect(await readdir(join(checkout, 'release'))).toEqual([]);
  });

  test.each([
    ['the checkout', '.'],
    ['an ancestor of it', '..'],
    ['a link to it', 'link'],
    ['a folder of it', 'src'],
  ])('that is %s is refused and left as it is', async (_, path) => {
    const parent = await directoryWith('checkout/SHA256SUMS', 'checkout/src/main.ts', 'SHA256SUMS');
    const checkout = join(parent, 'checkout');
    await symlink(checkout, join(checkout, 'link'));
    await expect(emptyOutputDirectory(join(checkout, path), options(checkout))).rejects.toThrow(
      /hoose another directory with --outdir\./,
    );
    expect(await readdir(checkout)).toEqual(['SHA256SUMS', 'link', 'src']);
    expect(await readdir(join(checkout, 'src'))).toEqual(['main.ts']);
  });

  test('is replaced once everything is written, and stays as it is until then', async () => {
    const parent = await directoryWith('out/SHA256SUMS', 'out/old');
    const outdir = join(parent, 'out');
    await replaceOutputDirectory(outdir, options(await directoryWith('package.json')), async (draft) => {
      await writeFile(join(draft, 'SHA256SUMS'), '');
      expect(await readdir(outdir)).toEqual(['SHA256SUMS', 'old']);
    });
    expect(await readdir(outdir)).toEqual(['SHA256SUMS']);
    expect(await readdir(parent)).toEqual(['out']);
  });

  test('stays as it is if writing fails', async () => {
    const parent = await directoryWith('out/SHA256SUMS', 'out/old');
    const outdir = join(parent, 'out');
    const replaced = replaceOutputDirectory(outdir, options(await directoryWith('package.json')), async (draft) => {
      await writeFile(join(draft, 'SHA256SUMS'), '');
      throw new Error('no space left');
    });
    await expect(replaced).rejects.toThrow('no space left');
    expect(await readdir(outdir)).toEqual(['SHA256SUMS', 'old']);
    expect(await readdir(parent)).toEqual(['out']);
  });

  test('that is missing is created', async () => {
    const outdir = join(await directoryWith(), 'a/b');
    await replaceOutputDirectory(outdir, options(await directoryWith('package.json')), (draft) =>
      writeFile(join(draft, 'new'), ''),
    );
    expect(await readdir(outdir)).toEqual(['new']);
  });

  test.each(['build.ts', 'release.ts'])('with files of somebody else is refused by scripts/%s', async (script) => {
    const outdir = await directoryWith('letters.txt');
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(root, 'scripts', script), '--outdir', outdir],
      { cwd: root, encoding: 'utf8' },
    );
    expect(stderr).toContain(`${outdir} is not empty and has no `);
    expect(status).toBe(1);
    expect(await readdir(outdir)).toEqual(['letters.txt']);
  });
});
