import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { validateManifest } from '@anthropic-ai/mcpb/node';
import { zipSync, type Zippable } from 'fflate';
import { about } from '../shipping/about.ts';
import { entryPoint, mcpbManifest } from '../shipping/mcpb.ts';

const run = promisify(execFile);

/** Packs the npm package of what was built. The same files give the same tarball. @returns its path. */
export async function packTarball(root: string, outdir: string): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', outdir], { cwd: root });
  return join(outdir, `${about.name}-${about.version}.tgz`);
}

/**
 * The files of a folder as entries of a zip archive: in one order, and from one moment, so that the same files give the
 * same archive.
 */
async function zipEntries(folder: string): Promise<Zippable> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .toSorted();
  const files = paths.map(async (path) => {
    const [data, { mode }] = await Promise.all([readFile(join(folder, path)), stat(join(folder, path))]);
    const permissions = mode & 0o100 ? 0o755 : 0o644;
    return [path, [data, { os: 3, attrs: permissions << 16, mtime: new Date(1980, 0, 1) }]] as const;
  });
  return Object.fromEntries(await Promise.all(files)) as unknown as Zippable;
}

/** Makes the MCP bundle from the npm package, a manifest and an entry point. @returns its path. */
export async function bundleMcpb(tarball: string, scratch: string, outdir: string): Promise<string> {
  await run('tar', ['--extract', '--gzip', '--file', tarball, '--directory', scratch]);
  const folder = join(scratch, 'package');
  await mkdir(dirname(join(folder, entryPoint)));
  await copyFile(join(import.meta.dirname, '../shipping/mcpb-start.mjs'), join(folder, entryPoint));
  const manifest = join(folder, 'manifest.json');
  await writeFile(manifest, JSON.stringify(mcpbManifest, null, 2));
  if (!validateManifest(manifest)) throw new Error('The manifest of the MCP bundle is not valid: see above.');
  const bundle = join(outdir, `${about.name}-${about.version}.mcpb`);
  await writeFile(bundle, zipSync(await zipEntries(folder), { level: 9 }));
  return bundle;
}
