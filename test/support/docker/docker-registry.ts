import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { waitUntil } from './docker-engine.ts';
import { suiteDirectory } from './own-namespaces.ts';

/** A registry of images that a test started. */
export interface TestRegistry {
  /** Host and port: the first part of its images' names. */
  readonly host: string;
  /** Ends it at once. Its images stay. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, at the same address. */
  start(): Promise<void>;
  end(): Promise<void>;
}

/** The only user of a registry that asks who calls. */
export const registryUser = { username: 'puller', password: 'registry password' } as const;

/** That password, as bcrypt: the only kind of hash that registries take. */
const passwordFile = `${registryUser.username}:$2b$04$waeQnrL35rNrdGBA.4QmeOYBsgO/LbEcwm2jWBKgOKPrf2q7rgPRe\n`;

/**
 * Starts a registry.
 * @param isPrivate whether it serves only `registryUser`
 * @param address default: loopback, where engines need no TLS
 */
export async function startTestRegistry(isPrivate = false, address = '127.0.0.1'): Promise<TestRegistry> {
  const directory = await mkdtemp(join(suiteDirectory(), 'registry-'));
  const host = `${address}:${await freePort()}`;
  const users = join(directory, 'users');
  const config = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(directory, 'data') }, delete: { enabled: true } },
    http: { addr: host },
    ...(isPrivate && { auth: { htpasswd: { realm: 'tests', path: users } } }),
  };
  await writeFile(users, passwordFile);
  // JSON is YAML.
  await writeFile(join(directory, 'config.yml'), JSON.stringify(config));
  let child: ChildProcess | undefined;

  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const start = async (): Promise<void> => {
    child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    await waitUntil('the registry answers', () =>
      fetch(`http://${host}/v2/`).then(
        () => true,
        () => false,
      ),
    );
  };

  await start();
  return {
    host,
    kill,
    start,
    end: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
