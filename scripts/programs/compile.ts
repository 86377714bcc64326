import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeTemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';

const exec = promisify(execFile);

/** Where the sources of the programs for containers are, and what is generated from them. */
export const programsFolder = join(import.meta.dirname, '../../src/platform/runtime/docker/programs');

/** The programs, by the names of their sources. */
export const programNames = ['entrypoint', 'probe', 'relay', 'remove-links', 'send-request'] as const;

/** The kinds of CPU, by their names in the kernel, with what the compiler is told for each. */
const flagsFor = { x86_64: ['-fcf-protection=none'], aarch64: ['-mno-outline-atomics'] } as const;
export type Architecture = keyof typeof flagsFor;
export const architectures = Object.keys(flagsFor) as readonly Architecture[];

const compilerFor = (architecture: Architecture): string => `${architecture}-linux-gnu-gcc`;

/** Small, static, without a C library, and the same wherever it is compiled by the same compiler. */
const flags = [
  '-std=gnu11',
  '-Os',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-Wno-unused-function',
  '-ffreestanding',
  '-nostdlib',
  '-static',
  '-no-pie',
  '-fno-pie',
  '-fno-stack-protector',
  '-fno-asynchronous-unwind-tables',
  '-fno-unwind-tables',
  '-fno-ident',
  '-fno-tree-loop-distribute-patterns',
  '-ffunction-sections',
  '-s',
  '-Wl,--gc-sections',
  '-Wl,--build-id=none',
  '-Wl,-z,noexecstack',
  '-Wl,-z,noseparate-code',
];

/** Compiles a program. @returns the executable. @throws Error with what the compiler said */
export async function compileProgram(name: (typeof programNames)[number], architecture: Architecture): Promise<Buffer> {
  const directory = await temporaryDirectory('infra-mcp-programs-');
  try {
    const output = join(directory, name);
    await exec(compilerFor(architecture), [...flags, ...flagsFor[architecture], `${name}.c`, '-o', output], {
      cwd: programsFolder,
    });
    return await readFile(output);
  } finally {
    removeTemporaryDirectory(directory);
  }
}

/** Compiler and linker with their versions; undefined if there is none for this architecture. */
export async function compilerVersion(architecture: Architecture): Promise<string | undefined> {
  const linker = `${architecture}-linux-gnu-ld`;
  try {
    const printed = await Promise.all(
      [compilerFor(architecture), linker].map(
        async (program) => (await exec(program, ['--version'])).stdout.split('\n')[0]!,
      ),
    );
    return printed.join(', ');
  } catch {
    return undefined;
  }
}

/** SHA-256, in hexadecimal. */
export const checksum = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The checksums of all sources. */
export async function sourceChecksums(): Promise<Record<string, string>> {
  const sources = (await readdir(programsFolder)).filter((name) => /\.[ch]$/.test(name)).toSorted();
  return Object.fromEntries(
    await Promise.all(sources.map(async (name) => [name, checksum(await readFile(join(programsFolder, name)))])),
  );
}
