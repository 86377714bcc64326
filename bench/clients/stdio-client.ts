import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endWithThisProcess, pidWhileRunning } from '../../scripts/temporary-directory.ts';
import {
  type RpcResponse,
  type ProtocolVersion,
  requestMessage,
  openConversation,
  type McpPeer,
  resultOf,
} from './protocol.ts';

/** The command that starts a server. */
export interface StdioCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Whether to open an IPC channel to this process. */
  readonly channel?: boolean;
}

/** A server process connected over its standard streams, after the handshake. */
export interface StdioPeer extends McpPeer {
  readonly child: ChildProcess;
  /** Time from its start to the end of the handshake, in milliseconds. */
  readonly openedAfter: number;
  /** Time since its start in milliseconds. */
  readonly elapsed: () => number;
}

/** Starts a server and performs the handshake. @throws Error if the server exits before it responds. */
export async function startStdioPeer(
  { command: [command, ...args], env, channel = false }: StdioCommand,
  version: ProtocolVersion,
): Promise<StdioPeer> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const child = spawn(command, args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe', ...(channel ? ['ipc' as const] : [])],
  }) as ChildProcessWithoutNullStreams;
  endWithThisProcess(pidWhileRunning(child));
  let lastOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (lastOutput = (lastOutput + text).slice(-2000)));
  const pending = new Map<number, { resolve: (response: RpcResponse) => void; reject: (error: Error) => void }>();
  child.on('error', (error) => (lastOutput = error.message));
  child.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error(`${command} ${args.join(' ')} ended: ${lastOutput}`));
  });
  createInterface(child.stdout).on('line', (line) => {
    const response = JSON.parse(line) as RpcResponse;
    pending.get(response.id!)?.resolve(response);
    pending.delete(response.id!);
  });
  child.stdin.on('error', () => undefined);

  let requestId = 0;
  const write = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const peer: McpPeer = {
    pid: child.pid,
    request: async (method, params = {}) => {
      const id = (requestId += 1);
      const answered = new Promise<RpcResponse>((resolve, reject) => pending.set(id, { resolve, reject }));
      write(requestMessage(version, id, method, params));
      return resultOf(await answered);
    },
    close: async () => {
      const ended = once(child, 'close');
      child.stdin.end();
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(killTimer);
    },
  };
  await openConversation(version, peer, (message) => {
    write(message);
  });
  return { ...peer, child, openedAfter: elapsed(), elapsed };
}
