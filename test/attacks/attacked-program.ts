import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createApiKey } from '../../src/transport/http/api-keys.ts';
import { connectLegacy, connectModern, type TestClient, type User } from '../support/mcp-clients.ts';

const root = join(import.meta.dirname, '../..');

/** Every way a client reaches the program. */
export const clientKinds = (['stdio', 'http'] as const).flatMap((transport) => (['2025', '2026'] as const).map((era) => ({ transport, era })));
export type ClientKind = (typeof clientKinds)[number];

/** The built program: what users run. */
async function buildProgram(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-attacks-'));
  await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, 'scripts/build.ts'), '--outdir', folder]);
  return { path: join(folder, 'infra-mcp.mjs'), remove: () => rm(folder, { recursive: true }) };
}

const cleanEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter(([name, value]) => !name.startsWith('INFRA_') && value !== undefined) as [string, string][]);

/** The program over both transports before one platform, with the options that are given. */
export interface AttackedProgram {
  /** @param key over HTTP: whose key is sent. */
  connect(way: ClientKind, options?: { readonly user?: User; readonly key?: 'admin' | 'other' | 'reader' }): Promise<TestClient>;
  /** Everything that the programs wrote to stderr so far. */
  written(): string;
  close(): Promise<void>;
}

/** @param platformUrl where the platform is. @param token what it is called with. @param env more options. */
export async function startAttackedProgram(platformUrl: string, token: string, env: Record<string, string> = {}): Promise<AttackedProgram> {
  const program = await buildProgram();
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-attacks-'));
  const keys = { admin: createApiKey(), other: createApiKey(), reader: createApiKey() };
  const entries = Object.entries(keys).map(([name, { sha256 }]) => ({ name, sha256, level: name === 'reader' ? 'read' : 'admin', ...(name === 'reader' && { read_only: true }) }));
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: entries }));
  const environment = { ...cleanEnvironment(), INFRA_BASE_URL: platformUrl, INFRA_API_TOKEN: token, INFRA_DATA_DIR: join(folder, 'data'), ...env };
  let written = '';
  const clients: TestClient[] = [];

  const server: ChildProcess = spawn(process.execPath, [program.path, 'http', '--port', '0'], { cwd: root, env: { ...environment, INFRA_HTTP_KEYS_FILE: join(folder, 'keys.json') }, stdio: ['ignore', 'pipe', 'pipe'] });
  server.stderr!.setEncoding('utf8').on('data', (text: string) => (written += text));
  const [line] = (await once(createInterface(server.stdout!), 'line')) as [string];
  const url = new URL((JSON.parse(line) as { url: string }).url);

  const overStdio = { command: process.execPath, args: [program.path], cwd: root, env: environment, stderr: 'pipe' as const };
  const listen = (stderr: unknown): void => void (stderr as NodeJS.ReadableStream).on('data', (text: Buffer) => (written += text.toString()));

  return {
    connect: async ({ transport, era }, { user, key = 'admin' } = {}) => {
      const requestInit = { headers: { authorization: `Bearer ${keys[key].key}` } };
      let client: TestClient;
      if (transport === 'http') client = era === '2026' ? await connectModern(new ModernHttp(url, { requestInit }), user) : await connectLegacy(new LegacyHttp(url, { requestInit }), user);
      else {
        const stdio = era === '2026' ? new ModernStdio(overStdio) : new LegacyStdio(overStdio);
        listen(stdio.stderr);
        client = stdio instanceof ModernStdio ? await connectModern(stdio, user) : await connectLegacy(stdio, user);
      }
      clients.push(client);
      return client;
    },
    written: () => written,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      const ended = once(server, 'close');
      server.kill('SIGTERM');
      await ended;
      await program.remove();
      await rm(folder, { recursive: true });
    },
  };
}
