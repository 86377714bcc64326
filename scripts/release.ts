/**
 * Makes what a release consists of in release/ (--outdir: another directory, new, empty or of an earlier release): the
 * npm package, the MCP bundle, server.json with the bundle, the software bill of materials, the image unless
 * --no-image, and SHA256SUMS. With --tag v<version>, refuses a tag of another version and writes the release notes.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { emptyOutputDirectory } from './output-directory.ts';
import { bundleMcpb, packTarball } from './release/archives.ts';
import { releaseNotes } from './release/changelog.ts';
import { saveImage } from './release/image.ts';
import { billOfMaterials } from './release/sbom.ts';
import { about } from './shipping/about.ts';
import { serverJson } from './shipping/manifests.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const root = join(import.meta.dirname, '..');
const {
  outdir: given,
  image,
  tag,
} = parseArgs({
  allowNegative: true,
  options: {
    outdir: { type: 'string', default: join(root, 'release') },
    image: { type: 'boolean', default: true },
    tag: { type: 'string' },
  },
}).values;
const outdir = resolve(given);
const run = promisify(execFile);

const releaseTag = `v${about.version}`;
if (tag !== undefined && tag !== releaseTag)
  throw new Error(`The tag ${tag} is not that of the version in package.json: ${releaseTag}. Change one of them.`);
const notes =
  tag === undefined ? undefined : releaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), about.version);

/** The moment of the commit. Builders outside a repository give it in SOURCE_DATE_EPOCH. */
const seconds =
  process.env['SOURCE_DATE_EPOCH'] ?? (await run('git', ['log', '-1', '--format=%ct'], { cwd: root })).stdout;
const sha256 = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

await emptyOutputDirectory(outdir, { root, written: 'SHA256SUMS', standard: 'release' });
const scratch = await temporaryDirectory('infra-mcp-release-');
const list = join(scratch, 'packages.json');
await run(
  process.execPath,
  ['--import', import.meta.resolve('tsx'), join(root, 'scripts/build.ts'), '--package-list', list],
  { cwd: root },
);
const bundled = JSON.parse(await readFile(list, 'utf8')) as string[];
const tarball = await packTarball(root, outdir);
const bundle = await bundleMcpb(tarball, scratch, outdir);
await writeFile(
  join(outdir, `${about.name}-${about.version}.cdx.json`),
  await billOfMaterials(root, bundled, new Date(Number(seconds) * 1000)),
);
const asBundle = {
  registryType: 'mcpb',
  identifier: `${about.repository}/releases/download/${releaseTag}/${basename(bundle)}`,
  fileSha256: await sha256(bundle),
  transport: { type: 'stdio' },
};
await writeFile(
  join(outdir, 'server.json'),
  `${JSON.stringify({ ...serverJson, packages: [...serverJson.packages, asBundle] }, null, 2)}\n`,
);
if (image) await saveImage(root, outdir);

const files = (await readdir(outdir)).toSorted();
const sums = await Promise.all(files.map(async (file) => `${await sha256(join(outdir, file))}  ${file}\n`));
await writeFile(join(outdir, 'SHA256SUMS'), sums.join(''));
if (notes !== undefined) await writeFile(join(outdir, 'NOTES.md'), notes);
process.stdout.write(sums.join(''));
