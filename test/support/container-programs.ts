import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { compiledPrograms } from '../../src/platform/runtime/docker/programs/compiled.ts';

/** A kind of CPU whose programs run on this machine. */
interface RunnableKind {
  readonly architecture: 'x86_64' | 'aarch64';
  /** What runs them, if the machine itself doesn't. */
  readonly emulator: readonly string[];
}

/** An emulator that Debian has in qemu-user-static. */
const emulator = '/usr/bin/qemu-aarch64-static';

const native: Partial<Record<string, RunnableKind>> = {
  x64: { architecture: 'x86_64', emulator: [] },
  arm64: { architecture: 'aarch64', emulator: [] },
};

/**
 * The kinds of CPU whose programs run on this machine: its own, and those that it emulates. None elsewhere than on
 * Linux. In CI tests fail where the emulator is missing.
 */
export const runnableKinds: readonly RunnableKind[] =
  process.platform !== 'linux'
    ? []
    : [
        ...[native[process.arch]].filter((kind) => kind !== undefined),
        ...(process.arch !== 'arm64' && (existsSync(emulator) || process.env['CI'] !== undefined)
          ? [{ architecture: 'aarch64', emulator: [emulator] } as const]
          : []),
      ];

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly pid: number;
}

interface ProgramStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether its input stays open until it ends. */
  readonly keepsInput?: boolean;
}

/** A compiled program as a function: it runs with these arguments, until it ends. */
export type RunContainerProgram = (args: readonly string[], start?: ProgramStart) => Promise<ProgramEnd>;

type InstalledProgram = 'entrypoint' | 'probe' | 'relay' | 'remove-links' | 'send-request';

/** Writes compiled programs of a kind of CPU into a directory that is removed after the tests of a file. */
export async function installPrograms({
  architecture,
  emulator: prefix,
}: RunnableKind): Promise<{ readonly directory: string } & Readonly<Record<InstalledProgram, RunContainerProgram>>> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-programs-'));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const install = async (name: InstalledProgram): Promise<RunContainerProgram> => {
    const path = join(directory, name);
    await writeFile(path, Buffer.from(compiledPrograms[`${name}-${architecture}`], 'base64'));
    await chmod(path, 0o555);
    return async (args, { env = {}, input = '', keepsInput = false } = {}) => {
      const [program = '', ...rest] = [...prefix, path, ...args];
      const child = spawn(program, rest, { env, stdio: 'pipe' });
      child.stdin.on('error', () => undefined);
      if (keepsInput) child.stdin.write(input);
      else child.stdin.end(input);
      const [output, errors, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return { code, output, errors, pid: child.pid! };
    };
  };
  return {
    directory,
    entrypoint: await install('entrypoint'),
    probe: await install('probe'),
    relay: await install('relay'),
    'remove-links': await install('remove-links'),
    'send-request': await install('send-request'),
  };
}
