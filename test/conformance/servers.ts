import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { local } from '../../src/transport/http/identity.ts';
import { serveHttp } from '../../src/transport/http/serve.ts';
import { fixtureServer } from './fixtures/server.ts';

/** A server to be looked at. */
export interface Subject {
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

const root = join(import.meta.dirname, '../..');

/** The program as users start it, with a platform of its own. */
export async function startProgram(): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-conformance-data-'));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, 'src/main.ts'), 'http', '--port', '0', '--data-dir', dataDir], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => {
      throw new Error('infra-mcp http ended before it was ready.');
    }),
  ])) as [string];
  return {
    url: (JSON.parse(line) as { url: string }).url,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const silent = () => undefined;

/** The same HTTP host, with the tools that the suite looks for. */
export async function startFixtures(): Promise<Subject> {
  return serveHttp({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    authenticate: local,
    build: fixtureServer,
    levelOf: () => undefined,
    holdsToken: true,
    askPlatform: async () => undefined,
    clock: { now: Date.now },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    limits: { farewellTime: 0, drainTime: 0 },
  });
}
