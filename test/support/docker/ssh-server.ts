import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runProgram } from './cgroups.ts';
import { waitUntil } from './docker-engine.ts';
import { suiteDirectory } from './own-namespaces.ts';

/** A server of ssh on loopback, which lets the user `git` in with its keys. */
export interface SshServer {
  /** Where it listens beside the usual port. */
  readonly port: number;
  /** Files: the key that it takes, one that it doesn't take, and one that others of this machine may read. */
  readonly keys: { readonly taken: string; readonly strange: string; readonly open: string };
  /** Files for clients: with its own keys, with none, and with those of another server. */
  readonly knownHosts: { readonly right: string; readonly empty: string; readonly wrong: string };
  end(): Promise<void>;
}

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const [answered] = await Promise.race([
    once(socket, 'data').then(() => [true]),
    once(socket, 'close').then(() => [false]),
  ]).catch(() => [false]);
  socket.destroy();
  return answered!;
};

/** Starts Debian's server of ssh. Only in the docker suite: it takes port 22. */
export async function startSshServer(port = 2222): Promise<SshServer> {
  const directory = await mkdtemp(join(suiteDirectory(), 'ssh-'));
  const file = (name: string): string => join(directory, name);
  for (const name of ['host', 'other-host', 'taken', 'strange', 'open'])
    runProgram('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file(name));
  runProgram('chmod', '644', file('open'));
  const publicKey = (name: string): string => readFileSync(`${file(name)}.pub`, 'utf8');
  const known = (key: string): string =>
    ['127.0.0.1', `[127.0.0.1]:${port}`].map((host) => `${host} ${publicKey(key)}`).join('');
  await writeFile(file('authorized'), ['taken', 'open'].map(publicKey).join(''));
  await writeFile(file('known-right'), known('host'));
  await writeFile(file('known-empty'), '');
  await writeFile(file('known-wrong'), known('other-host'));
  await writeFile(
    file('settings'),
    [
      'ListenAddress 127.0.0.1',
      'Port 22',
      `Port ${port}`,
      `HostKey ${file('host')}`,
      `AuthorizedKeysFile ${file('authorized')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'AcceptEnv GIT_PROTOCOL',
      '',
    ].join('\n'),
  );
  mkdirSync('/run/sshd', { recursive: true });
  // A user of the suite's namespaces only.
  await writeFile(file('passwd'), `${readFileSync('/etc/passwd', 'utf8')}git:x:0:0::/root:/bin/sh\n`);
  runProgram('mount', '--bind', file('passwd'), '/etc/passwd');
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file('settings')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'exit');
  await waitUntil('sshd listens', async () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`);
    return (await Promise.all([22, port].map(listens))).every(Boolean);
  });
  return {
    port,
    keys: { taken: file('taken'), strange: file('strange'), open: file('open') },
    knownHosts: { right: file('known-right'), empty: file('known-empty'), wrong: file('known-wrong') },
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      runProgram('umount', '/etc/passwd');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
