import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the program is that the tests run: `infra-mcp.mjs`, and in `bin` by its name. */
    readonly programDirectory: string;
  }
}

const root = join(import.meta.dirname, '../..');

/**
 * Builds the program before a run of tests that start it, and removes it afterwards. The bundle starts several times faster
 * than the source, and is what users run: a lazy import that bundling breaks shows there.
 */
export default async function buildOnce(project: TestProject): Promise<() => Promise<void>> {
  const outdir = await mkdtemp(join(tmpdir(), 'infra-mcp-bundle-'));
  const remove = (): Promise<void> => rm(outdir, { recursive: true });
  try {
    await promisify(execFile)(process.execPath, ['--import', 'tsx', join(root, 'scripts/build.ts'), '--outdir', outdir], { cwd: root });
    await mkdir(join(outdir, 'bin'));
    await symlink(join(outdir, 'infra-mcp.mjs'), join(outdir, 'bin/infra-mcp'));
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide('programDirectory', outdir);
  return remove;
}
