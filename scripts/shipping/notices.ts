import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The folder of the package that a file belongs to: `node_modules/a/node_modules/@b/c/lib/d.js` →
 * `node_modules/a/node_modules/@b/c`.
 */
const packageOf = (file: string): string | undefined => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

/** The folders of the packages that files belong to. */
const foldersOf = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => packageOf(file) ?? []))].toSorted();

const manifestOf = async (folder: string): Promise<{ name: string; version: string; license?: string }> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };

/** The packages that files belong to, as `name@version`. */
export const packagesOf = (root: string, files: readonly string[]): Promise<string[]> =>
  Promise.all(
    foldersOf(files).map(async (folder) => {
      const { name, version } = await manifestOf(join(root, folder));
      return `${name}@${version}`;
    }),
  );

const licenseFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

async function noticeOf(root: string, folder: string): Promise<string> {
  const path = join(root, folder);
  const { name, version, license } = await manifestOf(path);
  if (typeof license !== 'string')
    throw new Error(`${name} ${version} doesn't say under which license it is. Find out whether it may be shipped.`);
  const files = (await readdir(path)).filter((file) => licenseFile.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}

/**
 * The third-party notices of a bundle: each package with its version and license texts.
 * @param files paths of the bundled files, relative to the root.
 * @throws Error that names a package without a license.
 */
export async function noticesFor(root: string, files: readonly string[]): Promise<string> {
  const notices = await Promise.all(foldersOf(files).map((folder) => noticeOf(root, folder)));
  const heading = 'This program contains the following packages.';
  return `${[heading, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
