import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of the package that a file belongs to: `node_modules/a/node_modules/@b/c/lib/d.js` → `node_modules/a/node_modules/@b/c`. */
const packageOf = (file: string): string | undefined => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

const licenseFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

async function noticeOf(root: string, folder: string): Promise<string> {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as { name: string; version: string; license?: string };
  if (typeof license !== 'string') throw new Error(`${name} ${version} doesn't say under which license it is. Find out whether it may be shipped.`);
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
  const folders = [...new Set(files.flatMap((file) => packageOf(file) ?? []))].toSorted();
  const notices = await Promise.all(folders.map((folder) => noticeOf(root, folder)));
  const heading = 'This program contains the following packages.';
  return `${[heading, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
