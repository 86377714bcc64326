import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** Files that are in the repository, or would be with the next commit. */
async function checkoutFiles(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 1 << 26 },
  );
  return [...new Set(stdout.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
}

/** Copies the files of the repository to a directory, as a fresh clone has them, with what isn't committed yet. */
export async function copyCheckout(directory: string): Promise<void> {
  const files = await checkoutFiles();
  for (const folder of new Set(files.map((path) => dirname(path))))
    await mkdir(join(directory, folder), { recursive: true });
  await Promise.all(files.map((path) => copyFile(join(root, path), join(directory, path))));
}
