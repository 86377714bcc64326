import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createApiKey } from '../../src/transport/index.ts';
import { connectLegacy, connectModern, type TestClient, type User } from '../support/mcp-clients.ts';
import { refusedBy } from '../support/half-characters.ts';
import { commandLine } from '../support/built-program.ts';
import { spawnProgram, whenReady } from '../support/started-program.ts';

/** Every transport and protocol version by which a client reaches the program. */
export const clientKinds = (['stdio', 'http'] as const).flatMap((transport) =>
  (['2025', '2026'] as const).map((era) => ({ transport, era })),
);
export type ClientKind = (typeof clientKinds)[number];

/** The program over both transports before one platform, with the options that are given. */
export interface AttackedProgram {
  /** @param key over HTTP: whose key is sent. */
  connect(
    way: ClientKind,
    options?: { readonly user?: User; readonly key?: 'admin' | 'other' | 'reader' },
  ): Promise<TestClient>;
  /** Where messages had half characters, which a strict JSON parser refuses. */
  refused(): readonly string[];
  /** Everything that the programs wrote to stderr so far. */
  written(): string;
  close(): Promise<void>;
}

/** @param platformUrl where the platform is. @param token what it is called with. @param env more options. */
export async function startAttackedProgram(
  platformUrl: string,
  token: string,
  env: Record<string, string> = {},
): Promise<AttackedProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-attacks-'));
  const keys = { admin: createApiKey(), other: createApiKey(), reader: createApiKey() };
  const entries = Object.entries(keys).map(([name, { sha256 }]) => ({
    name,
    sha256,
    level: name === 'reader' ? 'read' : 'admin',
    ...(name === 'reader' && { read_only: true }),
  }));
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: entries }));
  const {
    command: [command = '', ...args],
    env: environment,
    cwd,
  } = commandLine([], {
    INFRA_BASE_URL: platformUrl,
    INFRA_API_TOKEN: token,
    INFRA_DATA_DIR: join(folder, 'data'),
    ...env,
  });
  let stdioOutput = '';
  const clients: TestClient[] = [];
  const refused: string[][] = [];
  const strict = <Transport extends Parameters<typeof refusedBy>[0]>(transport: Transport): Transport => {
    refused.push(refusedBy(transport));
    return transport;
  };

  const server = await whenReady(
    spawnProgram({
      command: [command, ...args, 'http', '--port', '0'],
      cwd,
      env: { ...environment, INFRA_HTTP_KEYS_FILE: join(folder, 'keys.json') },
    }),
  );
  const url = new URL(server.ready.url);

  const overStdio = { command, args, cwd, env: environment, stderr: 'pipe' as const };
  const collect = (stderr: unknown): void =>
    void (stderr as NodeJS.ReadableStream).on('data', (text: Buffer) => (stdioOutput += text.toString()));

  return {
    connect: async ({ transport, era }, { user, key = 'admin' } = {}) => {
      const requestInit = { headers: { authorization: `Bearer ${keys[key].key}` } };
      let client: TestClient;
      if (transport === 'http')
        client =
          era === '2026'
            ? await connectModern(strict(new ModernHttp(url, { requestInit })), user)
            : await connectLegacy(strict(new LegacyHttp(url, { requestInit })), user);
      else {
        const stdio = era === '2026' ? strict(new ModernStdio(overStdio)) : strict(new LegacyStdio(overStdio));
        collect(stdio.stderr);
        client = stdio instanceof ModernStdio ? await connectModern(stdio, user) : await connectLegacy(stdio, user);
      }
      clients.push(client);
      return client;
    },
    refused: () => refused.flat(),
    written: () => server.output.stderr + stdioOutput,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      server.child.kill('SIGTERM');
      await server.ended;
      await rm(folder, { recursive: true });
    },
  };
}
