import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from './docker-engine.ts';
import { suiteDirectory } from './own-namespaces.ts';

/** A registry of images that a test started. */
export interface TestRegistry {
  /** Host and port: the first part of its images' names. Engines take it without TLS, because it is on loopback. */
  readonly host: string;
  end(): Promise<void>;
}

/** The only user of a registry that asks who calls. */
export const registryUser = { username: 'puller', password: 'registry password' } as const;

/** That password, as bcrypt: the only kind of hash that registries take. */
const passwordFile = `${registryUser.username}:$2b$04$waeQnrL35rNrdGBA.4QmeOYBsgO/LbEcwm2jWBKgOKPrf2q7rgPRe\n`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a registry on loopback. @param isPrivate whether it serves only `registryUser` */
export async function startTestRegistry(isPrivate = false): Promise<TestRegistry> {
  const directory = await mkdtemp(join(suiteDirectory(), 'registry-'));
  const host = `127.0.0.1:${await freePort()}`;
  const users = join(directory, 'users');
  const config = {
    version: '0.1', log: { level: 'error' }, storage: { filesystem: { rootdirectory: join(directory, 'data') }, delete: { enabled: true } }, http: { addr: host },
    ...(isPrivate && { auth: { htpasswd: { realm: 'tests', path: users } } }),
  };
  await writeFile(users, passwordFile);
  // JSON is YAML.
  await writeFile(join(directory, 'config.yml'), JSON.stringify(config));
  const child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], { stdio: ['ignore', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  await waitUntil('the registry answers', () => fetch(`http://${host}/v2/`).then(() => true, () => false));
  return {
    host,
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
