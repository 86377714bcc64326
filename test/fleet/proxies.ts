import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { spawnProgram } from '../support/started-program.ts';

const deployed = join(import.meta.dirname, '../../deploy');

/** A proxy in front of servers, with the configuration that is shipped. */
export interface Proxy {
  /** Where clients find the servers. */
  readonly mcp: URL;
  /** Reads the configuration again, as operators let it. */
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a proxy needs: the shipped configuration with other addresses, and how it is started with that. */
interface ProxyProgram {
  readonly file: string;
  readonly adapt: (
    text: string,
    ports: { readonly own: number; readonly more: number; readonly servers: readonly string[] },
  ) => string;
  readonly command: (path: string) => readonly string[];
}

// Their time limits are longer: a server that is gone refuses connections at once; one on a busy machine answers late.
const programs = {
  haproxy: {
    file: 'haproxy/haproxy.cfg',
    adapt: (text, { own, more, servers }) =>
      text
        .replace('bind :8080', `bind 127.0.0.1:${own}`)
        .replace('127.0.0.1:10000', `127.0.0.1:${more}`)
        .replaceAll(/^ {4}server \w+ .*\n/gm, '')
        .replaceAll(/^( {4}timeout (?:connect|check)) \w+$/gm, '$1 30s')
        .concat(...servers.map((address, index) => `    server server${index} ${address}\n`)),
    command: (path) => ['/usr/sbin/haproxy', '-W', '-f', path],
  },
  caddy: {
    file: 'caddy/Caddyfile',
    adapt: (text, { own, servers }) =>
      `{\n\tadmin off\n\tgrace_period 1s\n}\n${text
        .replace('mcp.example.com', `http://127.0.0.1:${own}`)
        .replace(/^\tto .*$/m, `\tto ${servers.join(' ')}`)
        .replaceAll(/(_timeout) 3s$/gm, '$1 30s')}`,
    command: (path) => ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', path],
  },
} as const satisfies Record<string, ProxyProgram>;

export type ProxyName = keyof typeof programs;

const isServing = (url: URL): Promise<boolean> =>
  fetch(url).then(
    ({ status }) => status < 500,
    () => false,
  );

/**
 * Starts a proxy in front of servers, and waits until it leads to one.
 * @param servers their addresses, host and port.
 */
export async function startProxy(name: ProxyName, servers: readonly string[]): Promise<Proxy> {
  const { file, adapt, command } = programs[name];
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-proxy-'));
  const [own, more, path] = [await freePort(), await freePort(), join(folder, 'configuration')];
  await writeFile(path, adapt(await readFile(join(deployed, file), 'utf8'), { own, more, servers }));
  const { child, output, ended } = spawnProgram({
    command: command(path),
    env: { PATH: process.env['PATH']!, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const mcp = new URL(`http://127.0.0.1:${own}/mcp`);
  while (!(await isServing(mcp))) {
    if (child.exitCode !== null)
      throw new Error(`${name} ended with ${child.exitCode} instead of starting: ${output.stdout}${output.stderr}`);
    await setTimeout(50);
  }
  return {
    mcp,
    reload: async () => {
      child.kill('SIGUSR2');
      // Until the new process has taken over.
      await setTimeout(1500);
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
