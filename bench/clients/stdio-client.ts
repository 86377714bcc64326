import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type RpcResponse, type ProtocolVersion, requestMessage, openConversation, type McpPeer, resultOf } from './protocol.ts';

/** How a server is started. */
export interface StdioCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Whether it gets a channel to this process. */
  readonly channel?: boolean;
}

/** A server started on its standard streams; ready once its opening was answered. */
export interface StdioPeer extends McpPeer {
  readonly child: ChildProcess;
  /** From its start to the answer to the opening, in milliseconds. */
  readonly openedAfter: number;
  /** Milliseconds since its start. */
  readonly elapsed: () => number;
}

/** @throws Error when the server ends before it has answered. */
export async function startStdioPeer({ command: [command, ...args], env, channel = false }: StdioCommand, era: ProtocolVersion): Promise<StdioPeer> {
  const began = performance.now();
  const age = (): number => performance.now() - began;
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe', ...(channel ? ['ipc' as const] : [])] }) as ChildProcessWithoutNullStreams;
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-2000)));
  const waiting = new Map<number, { resolve: (answer: RpcResponse) => void; reject: (error: Error) => void }>();
  child.on('error', (error) => (complaint = error.message));
  child.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${command} ${args.join(' ')} ended: ${complaint}`));
  });
  createInterface(child.stdout).on('line', (line) => {
    const answer = JSON.parse(line) as RpcResponse;
    waiting.get(answer.id!)?.resolve(answer);
    waiting.delete(answer.id!);
  });
  child.stdin.on('error', () => undefined);

  let sent = 0;
  const write = (said: object): void => void child.stdin.write(`${JSON.stringify(said)}\n`);
  const peer: McpPeer = {
    pid: child.pid,
    request: async (method, params = {}) => {
      const id = (sent += 1);
      const answered = new Promise<RpcResponse>((resolve, reject) => waiting.set(id, { resolve, reject }));
      write(requestMessage(era, id, method, params));
      return resultOf(await answered);
    },
    close: async () => {
      const ended = once(child, 'close');
      child.stdin.end();
      const patience = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(patience);
    },
  };
  await openConversation(era, peer, (said) => {
    write(said);
  });
  return { ...peer, child, openedAfter: age(), elapsed: age };
}
