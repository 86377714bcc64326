import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServerLogger } from '../../server/context/index.ts';

/** What is told to the service manager that started this process. */
export interface ServiceManager {
  readonly ready: () => Promise<void>;
  readonly stopping: () => Promise<void>;
}

/** Longer than the program takes; one that hangs must not keep a platform from ending. */
const patience = 10_000;

/**
 * The service manager that NOTIFY_SOCKET names, which systemd sets for services that tell when they are ready. Without
 * one, nothing is told. Its own program sends the message: Node has no datagram sockets of Unix. The variable is
 * removed, because other programs that this process starts have nothing to tell.
 */
export function serviceManager(log: ServerLogger, env: NodeJS.ProcessEnv = process.env): ServiceManager {
  const { NOTIFY_SOCKET: socket } = env;
  delete env['NOTIFY_SOCKET'];
  const tell = async (message: string): Promise<void> => {
    if (socket === undefined) return;
    await promisify(execFile)('systemd-notify', [message], {
      env: { ...env, NOTIFY_SOCKET: socket },
      timeout: patience,
    }).catch((error: unknown) =>
      log.error({ err: error }, 'the service manager was not told; the unit needs systemd-notify and NotifyAccess=all'),
    );
  };
  return { ready: () => tell('READY=1'), stopping: () => tell('STOPPING=1') };
}
