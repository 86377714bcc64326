import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inject, onTestFinished } from 'vitest';
import { textOf } from './mcp-clients.ts';
import {
  cleanEnvironment,
  spawnProgram,
  startProgram,
  type ProgramResult,
  type StartedProgram,
} from './started-program.ts';

const root = join(import.meta.dirname, '../..');

// Built once for all files of a run.
const outdir = inject('programDirectory');
const program = join(outdir, 'infra-mcp.mjs');

// As after an installation, the PATH has the program by its name.
const pathWithProgram = [join(outdir, 'bin'), process.env['PATH']].join(delimiter);

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-commands-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** How to run infra-mcp with these arguments. */
export const commandLine = (
  args: readonly string[],
  env?: Record<string, string>,
): { readonly command: readonly string[]; readonly env: Record<string, string>; readonly cwd: string } => ({
  command: [process.execPath, program, ...args],
  env: cleanEnvironment({ PATH: pathWithProgram, NODE_COMPILE_CACHE: join(outdir, 'compiled'), ...env }),
  cwd: root,
});

/** Runs infra-mcp with an empty stdin, until it ends. */
export function runProgram(args: readonly string[], env?: Record<string, string>): Promise<ProgramResult> {
  const { child, ended } = spawnProgram(commandLine(args, env));
  child.stdin.end();
  return ended;
}

/** The JSON that `infra-mcp platform` prints when it is ready. */
interface PlatformReady {
  readonly url: string;
  readonly token: string | null;
  readonly token_file?: string;
  readonly organization_id: string;
  readonly seed: Readonly<Record<string, string>>;
}

/** Starts `infra-mcp platform` and waits until it is ready. It is killed at the end of the test if it still runs. */
export const startPlatformProgram = (
  args: readonly string[],
  env?: Record<string, string>,
): Promise<StartedProgram<PlatformReady>> => startProgram<PlatformReady>(commandLine(['platform', ...args], env));

/** The status with which a platform answers a request for the organization. */
export const statusWith = async (url: string, token: string, path = '/organization'): Promise<number> =>
  (await fetch(`${url}${path}`, { headers: { Authorization: `Token ${token}` } })).status;

/** An MCP client with its own infra-mcp process. */
export interface Assistant {
  readonly pid: number;
  /** The process's stderr so far. */
  readonly stderr: () => string;
  readonly call: (
    tool: string,
    args?: Record<string, unknown>,
  ) => Promise<{ text: string; data: Record<string, unknown>; failed: boolean }>;
  readonly tools: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

/** Starts `infra-mcp` over stdio, as MCP hosts do, and connects to it. */
export async function startAssistant(env: Record<string, string>): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    cwd: root,
    env: cleanEnvironment(env),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr!.on('data', (text: Buffer) => (stderr += text.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const close = () => client.close();
  onTestFinished(close);
  return {
    pid: transport.pid!,
    stderr: () => stderr,
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      return {
        text: textOf(result),
        data: (result.structuredContent ?? {}) as Record<string, unknown>,
        failed: result.isError === true,
      };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    close,
  };
}
