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
 * The variable by which a run of several suites hands on the program that it built for them. It must not look like an
 * option of infra-mcp. Whoever sets it removes the directory.
 */
export const programDirectoryVariable = 'TEST_PROGRAM_DIRECTORY';

/** A program that was built for tests. */
interface BuiltProgram {
  /** Has `infra-mcp.mjs`, and in `bin` the program by its name. */
  readonly directory: string;
  readonly remove: () => Promise<void>;
}

/** Builds the program as it is now into a temporary directory. @throws Error with what the build said */
export async function buildProgram(): Promise<BuiltProgram> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-bundle-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true });
  try {
    await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(root, 'scripts/build.ts'), '--outdir', directory],
      { cwd: root },
    );
    await mkdir(join(directory, 'bin'));
    await symlink(join(directory, 'infra-mcp.mjs'), join(directory, 'bin/infra-mcp'));
  } catch (error) {
    await remove();
    throw error;
  }
  return { directory, remove };
}

/**
 * Gives tests the program that they start: the one that the run of several suites has built, or one that is built now
 * and removed afterwards. The bundle starts several times faster than the source, and is what users run: a lazy import
 * that bundling breaks shows there.
 */
export default async function buildOnce(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env[programDirectoryVariable];
  const { directory, remove } =
    given === undefined ? await buildProgram() : { directory: given, remove: async () => undefined };
  project.provide('programDirectory', directory);
  return remove;
}
