import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf, type RequestObserver } from '../../src/client/index.ts';
import type { CallObserver } from '../../src/server/call/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { connectModern, type User } from '../support/mcp-clients.ts';

/** What a server reports to, and the platform that it calls. */
interface ObservedServerOptions {
  readonly url: string;
  readonly token: string;
  readonly calls?: CallObserver | undefined;
  readonly requests?: RequestObserver | undefined;
  readonly user?: User;
}

/** Starts an MCP server with observers, and connects a client to it. */
export async function startObservedServer({ url, token, calls, requests, user }: ObservedServerOptions) {
  const client = createClient({
    baseUrl: url,
    credential: credentialOf(token),
    observer: requests,
    sleep: async () => undefined,
  });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const dependencies = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [token],
    version: '0.0.0',
    log: memoryLog(),
    clock: { now: Date.now },
    observer: calls,
  });
  const server = startStdioServer(dependencies, serverSide);
  const testClient = await connectModern(clientSide, user);
  return {
    ...testClient,
    close: async (): Promise<void> => {
      await testClient.close();
      await server.close();
      await client.close();
    },
  };
}
