import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noticesFor } from '../../scripts/shipping/notices.ts';

/** A folder with packages, each with a license text. */
async function folderWith(packages: Readonly<Record<string, object>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'infra-mcp-notices-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, manifest] of Object.entries(packages)) {
    const folder = join(root, path);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'LICENSE.md'), `terms of ${path}\n`);
  }
  return root;
}

test('every package of a bundle is listed once, with its own license', async () => {
  const root = await folderWith({
    'node_modules/a': { name: 'a', version: '1.0.0', license: 'MIT' },
    'node_modules/a/node_modules/@b/c': { name: '@b/c', version: '2.0.0', license: 'ISC' },
    'node_modules/unused': { name: 'unused', version: '1.0.0', license: 'MIT' },
  });
  const notices = await noticesFor(root, [
    'src/main.ts',
    'node_modules/a/index.js',
    'node_modules/a/lib/x.js',
    'node_modules/a/node_modules/@b/c/index.js',
  ]);
  expect(notices.match(/^\S+ \d\S* \(\w+\)$/gm)).toEqual(['a 1.0.0 (MIT)', '@b/c 2.0.0 (ISC)']);
  expect(notices).toContain('terms of node_modules/a/node_modules/@b/c');
});

test('a package without a license is not shipped', async () => {
  const root = await folderWith({ 'node_modules/a': { name: 'a', version: '1.0.0' } });
  await expect(noticesFor(root, ['node_modules/a/index.js'])).rejects.toThrow('a 1.0.0');
});
