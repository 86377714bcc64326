import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endWithThisProcess, pidWhileRunning } from '../scripts/temporary-directory.ts';
import { environment, type BundledProgram } from './program.ts';

/** A server in a separate process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly close: () => Promise<void>;
}

const token = 'token-of-the-bench';

/** High enough that no request is rate limited. */
const unlimitedRate = '1000000000';

/** The line that servers print when they are ready. MCP servers print only the URL. */
interface ReadyLine {
  readonly url: string;
  readonly organization_id: string;
  readonly seed: Readonly<Record<string, string>>;
}

/** Starts a server that prints a line of JSON when it is ready. @throws Error if it exits before. */
export async function startServerProcess(
  [command, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ServerProcess & { readonly ready: ReadyLine }> {
  const child = spawn(command!, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit', ...(args.includes('--expose-gc') ? ['ipc' as const] : [])],
  });
  endWithThisProcess(pidWhileRunning(child));
  const ended = once(child, 'close');
  const failed = ended.then(() => {
    throw new Error(`${args.join(' ')} ended before it was ready`);
  });
  const [line] = await Promise.race([once(createInterface(child.stdout!), 'line') as Promise<[string]>, failed]);
  failed.catch(() => undefined);
  const ready = JSON.parse(line) as ReadyLine;
  return {
    ready,
    child,
    url: ready.url,
    pid: child.pid!,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A platform process, with the token and ids needed to call it. */
export interface PlatformProcess extends ServerProcess {
  readonly token: string;
  /** Ids of the seed and the organization, by the contract's parameter names. */
  readonly ids: Readonly<Record<string, string>>;
  /** Environment variables with which the program uses this platform. */
  readonly options: Readonly<Record<string, string>>;
}

/** Starts the platform of a data directory. @param more further options, as variables */
export async function startPlatformProcess(
  { command }: BundledProgram,
  dataDir: string,
  timeScale = 0,
  more: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> {
  const env = environment(dataDir, {
    INFRA_DATA_DIR: dataDir,
    INFRA_PLATFORM_TOKEN: token,
    INFRA_RATE_LIMIT: unlimitedRate,
    INFRA_TIME_SCALE: String(timeScale),
    ...more,
  });
  const { ready, ...running } = await startServerProcess([...command, 'platform'], env);
  return {
    ...running,
    token,
    ids: { ...ready.seed, organization_id: ready.organization_id },
    options: { INFRA_BASE_URL: ready.url, INFRA_API_TOKEN: token },
  };
}

/** Starts the program as an HTTP server in front of a platform. */
export const startHttpProcess = async (program: BundledProgram, { options }: PlatformProcess): Promise<ServerProcess> =>
  startServerProcess(
    [...program.command, 'http'],
    environment(await program.directory('http'), { ...options, INFRA_HTTP_PORT: '0' }),
  );
