import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

// The bundle starts several times quicker than the source, and is what users run: a late import that bundling breaks shows here.
const outdir = await mkdtemp(join(tmpdir(), 'infra-mcp-bundle-'));
await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, 'scripts/build.ts'), '--outdir', outdir]);
afterAll(() => rm(outdir, { recursive: true }));
const program = join(outdir, 'infra-mcp.mjs');

/** This process's environment without any option of ours, and the given variables. */
const cleanEnvironment = (given: Record<string, string> = {}): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name, value]) => !name.startsWith('INFRA_') && value !== undefined) as [string, string][]),
  ...given,
});

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-commands-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<ProgramResult>;
}

/** How infra-mcp is run, for whoever starts it in another way. */
export const commandLine = (args: readonly string[], env?: Record<string, string>): { command: string[]; env: Record<string, string> } => ({
  command: [process.execPath, program, ...args],
  env: cleanEnvironment(env),
});

const spawnProgram = (args: readonly string[], env?: Record<string, string>): RunningProgram => {
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env: cleanEnvironment(env) });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  return { child, output: written, ended };
};

/** Runs infra-mcp with nothing on its stdin, to its end. */
export function runProgram(args: readonly string[], env?: Record<string, string>): Promise<ProgramResult> {
  const { child, ended } = spawnProgram(args, env);
  child.stdin.end();
  return ended;
}

/** What `infra-mcp platform` prints when it is ready. */
export interface PlatformReady {
  readonly url: string;
  readonly token: string | null;
  readonly organization_id: string;
  readonly seed: Readonly<Record<string, string>>;
}

/** Starts `infra-mcp platform` and waits until it is ready. It ends, at the latest, with the test. */
export async function startPlatformProgram(args: readonly string[], env?: Record<string, string>): Promise<RunningProgram & { readonly ready: PlatformReady }> {
  const started = spawnProgram(['platform', ...args], env);
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  const line = await Promise.race([
    once(createInterface(started.child.stdout), 'line').then(([text]) => text as string),
    started.ended.then(({ stderr }) => {
      throw new Error(`the platform did not start: ${stderr}`);
    }),
  ]);
  return { ...started, ready: JSON.parse(line) as PlatformReady };
}

/** Asks a platform for the organization; gives the answer's status. */
export const statusWith = async (url: string, token: string, path = '/organization'): Promise<number> =>
  (await fetch(`${url}${path}`, { headers: { Authorization: `Token ${token}` } })).status;

/** An MCP client of an infra-mcp process of its own. */
export interface Assistant {
  readonly pid: number;
  /** What the process wrote to stderr so far. */
  readonly stderr: () => string;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<{ text: string; data: Record<string, unknown>; failed: boolean }>;
  readonly tools: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

/** Starts `infra-mcp` as hosts do, and connects to it. */
export async function startAssistant(env: Record<string, string>): Promise<Assistant> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], cwd: root, env: cleanEnvironment(env), stderr: 'pipe' });
  let stderr = '';
  transport.stderr!.on('data', (text: Buffer) => (stderr += text.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const close = () => client.close();
  onTestFinished(close);
  return {
    pid: transport.pid!,
    stderr: () => stderr,
    call: async (name, args_ = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args_ });
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { text, data: (structuredContent ?? {}) as Record<string, unknown>, failed: isError === true };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    close,
  };
}
