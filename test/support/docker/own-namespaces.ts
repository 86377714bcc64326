import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/**
 * The variable by which tests know that they run in namespaces of the docker suite. Its value is the directory for
 * temporary files. It must not look like an option of infra-mcp.
 */
export const inOwnNamespaces = 'TEST_DOCKER_DIRECTORY';

/**
 * The directory of the docker suite.
 * @throws Error outside the suite: engines would collide with others on this machine
 */
export function suiteDirectory(): string {
  const directory = process.env[inOwnNamespaces];
  if (directory === undefined)
    throw new Error(
      'Engines for tests run in namespaces of their own. Start the tests with: npm run test:docker -- <paths>',
    );
  return directory;
}

/** Ends process 1 of the namespaces that `unshare` holds: the kernel ends all others before that one is gone. */
export async function killInit(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = once(holder, 'exit');
  const pids = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((pid) => pid !== '');
  for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
  await ended;
}
