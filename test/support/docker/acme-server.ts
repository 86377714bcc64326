import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { runProgram } from './cgroups.ts';
import { waitUntil } from './docker-engine.ts';
import { suiteDirectory } from './own-namespaces.ts';

/**
 * An authority that issues certificates by ACME to whoever proves that host names lead to him. It finds every host name
 * on this machine.
 */
export interface AcmeServer {
  readonly directory: string;
  /** Its certificate, in PEM format. */
  readonly root: string;
  start(): Promise<void>;
  /** Ends it. Its certificate and its accounts stay. */
  stop(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Where it listens: containers don't reach loopback addresses, and those of an engine's networks are there only with
 * them.
 */
const address = '192.0.2.10';
const port = 9443;

/** Starts an authority. @param hosts the names that it finds on this machine */
export async function startAcmeServer(hosts: readonly string[]): Promise<AcmeServer> {
  const directory = await mkdtemp(join(suiteDirectory(), 'acme-'));
  const file = (name: string): string => join(directory, name);
  await writeFile(
    file('caddy.json'),
    JSON.stringify({
      admin: { disabled: true },
      storage: { module: 'file_system', root: file('data') },
      apps: {
        pki: { certificate_authorities: { local: { install_trust: false } } },
        tls: { automation: { policies: [{ subjects: [address], issuers: [{ module: 'internal' }] }] } },
        http: {
          servers: {
            acme: {
              listen: [`:${port}`],
              automatic_https: { disable_redirects: true },
              routes: [{ match: [{ host: [address] }], handle: [{ handler: 'acme_server', ca: 'local' }] }],
            },
          },
        },
      },
    }),
  );
  runProgram('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  // It looks names up as every program does. This mount is in the namespaces of the suite only.
  await writeFile(file('hosts'), `${readFileSync('/etc/hosts', 'utf8')}\n127.0.0.1 ${hosts.join(' ')}\n`);
  runProgram('mount', '--bind', file('hosts'), '/etc/hosts');
  let child: ChildProcess | undefined;

  const answers = async (): Promise<boolean> => {
    const socket = connect({ host: address, port, rejectUnauthorized: false, timeout: 1000 });
    const isSecure = await Promise.race([
      once(socket, 'secureConnect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isSecure;
  };
  const stop = async (): Promise<void> => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  const start = async (): Promise<void> => {
    child = spawn('caddy', ['run', '--config', file('caddy.json')], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    });
    await waitUntil('the authority answers', answers);
  };
  await start();
  return {
    start,
    stop,
    directory: `https://${address}:${port}/acme/local/directory`,
    root: readFileSync(file('data/pki/authorities/local/root.crt'), 'utf8'),
    end: async () => {
      await stop();
      runProgram('umount', '/etc/hosts');
      runProgram('ip', 'address', 'delete', `${address}/32`, 'dev', 'lo');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
