/** Creates the MCP bundle bundles/infra-mcp-<version>.mcpb (--outdir: another directory) from the npm package, a manifest and an entry point. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packExtension } from '@anthropic-ai/mcpb';
import { about } from './shipping/about.ts';
import { entryPoint, mcpbManifest } from './shipping/mcpb.ts';

const root = join(import.meta.dirname, '..');
const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: join(root, 'bundles') } } }).values;
const run = promisify(execFile);

const scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-mcpb-'));
try {
  await run('npm', ['pack', '--pack-destination', scratch], { cwd: root });
  const packed = (await readdir(scratch)).find((file) => file.endsWith('.tgz'))!;
  await run('tar', ['--extract', '--gzip', '--file', join(scratch, packed), '--directory', scratch]);
  const folder = join(scratch, 'package');
  await mkdir(dirname(join(folder, entryPoint)));
  await copyFile(join(import.meta.dirname, 'shipping/mcpb-start.mjs'), join(folder, entryPoint));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(mcpbManifest, null, 2));
  const bundle = join(outdir, `${about.name}-${about.version}.mcpb`);
  if (!(await packExtension({ extensionPath: folder, outputPath: bundle }))) process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true });
}
