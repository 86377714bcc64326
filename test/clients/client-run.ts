import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../support/built-program.ts';
import { cleanEnvironment, spawnProgram, whenReady, type StartedProgram } from '../support/started-program.ts';
import type { Traffic } from './http-relay.ts';

/** A server, as a client is told of it. */
export type Endpoint =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Something that a client is asked to do. */
export type Step =
  | { readonly list: true }
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly read: string };

/** What a client got for a step: the names of the tools, or a text and whether it took that for a failure. */
interface StepAnswer {
  readonly names?: readonly string[];
  readonly text?: string;
  readonly failed?: boolean;
}

/** What a client saw in one run. */
export interface Seen {
  /** How many questions its user was asked. */
  readonly questions: number;
  /** One for each step. */
  readonly answers: readonly StepAnswer[];
  /** Why it did not connect. */
  readonly notConnected?: string;
}

/** Options of the servers: its data directory, and deployments that take no time. */
const optionsIn = (dataDir: string): Record<string, string> => ({ INFRA_DATA_DIR: dataDir, INFRA_TIME_SCALE: '0' });

/** Longest that a client may take, in milliseconds. One that doesn't end by itself is a finding too. */
const longestRun = 120_000;

/** How a client starts the server over stdio. What they say is recorded in the folder. */
export const stdioEndpoint = (folder: string, dataDir: string): Endpoint => {
  const [command, ...args] = commandLine(['stdio']).command;
  return {
    command: command!,
    args: [
      join(import.meta.dirname, 'programs/stdio-relay.mjs'),
      join(folder, 'sent'),
      join(folder, 'received'),
      command!,
      ...args,
    ],
    env: optionsIn(dataDir),
  };
};

/** What was recorded in the folder. */
export const stdioTraffic = async (folder: string): Promise<Traffic> => ({
  sent: await readFile(join(folder, 'sent'), 'utf8'),
  received: await readFile(join(folder, 'received'), 'utf8'),
});

/** Starts `infra-mcp http` on loopback. The caller ends it. */
export const startHttp = (dataDir: string, flags: readonly string[]): Promise<StartedProgram> =>
  whenReady(spawnProgram(commandLine(['http', '--port', '0', ...flags], optionsIn(dataDir))));

/** Makes a data directory with a platform in it: copying it is faster than making one for each client. */
export async function seedDataDirectory(dataDir: string): Promise<void> {
  const { child, ended } = await whenReady(spawnProgram(commandLine(['platform', '--port', '0'], optionsIn(dataDir))));
  child.kill('SIGTERM');
  await ended;
}

/** Ends a program that was started here. */
export async function end({ child, ended }: StartedProgram): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/**
 * Runs a client's program in its installation, as a process of its own with a home directory of its own.
 * @param agrees whether its user agrees to what the server asks.
 * @throws Error with what it wrote, if it fails or doesn't end.
 */
export async function runClient(
  installation: string,
  program: string,
  home: string,
  server: Endpoint,
  agrees: boolean,
  steps: readonly Step[],
): Promise<Seen> {
  await mkdir(home, { recursive: true });
  const { child, ended } = spawnProgram({
    command: [process.execPath, join(installation, `${program}.mjs`)],
    env: cleanEnvironment({ HOME: home }),
    cwd: home,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), longestRun);
  child.stdin.end(JSON.stringify({ server, agrees, steps }));
  const { code, stdout, stderr } = await ended;
  clearTimeout(timer);
  await appendFile(join(home, 'stderr'), stderr);
  if (code !== 0) throw new Error(`${program} ended with ${code ?? 'a signal'}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Seen;
}
