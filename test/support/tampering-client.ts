import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import type { Policy } from '../../src/server/guard/index.ts';
import { createDependencies, type GuardDependencies, buildServer } from '../../src/server/protocol/index.ts';
import type { Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { connectModern, type User } from './mcp-clients.ts';
import { memoryLog } from './call-context.ts';

type Message = Parameters<InMemoryTransport['send']>[0];

/** A tool call on its way to the server, which a dishonest caller may change. */
export interface ToolCall {
  readonly method: string;
  readonly params: Record<string, unknown> & { arguments?: Record<string, unknown> };
}

interface ClientOptions {
  readonly url: string;
  readonly token: string;
  readonly user?: User;
  readonly policy?: Policy;
  readonly guard?: GuardDependencies;
  /** Tools beside those that infra-mcp ships. */
  readonly extraTools?: readonly Tool[];
  readonly principal?: string;
  /** Changes calls before they are sent. */
  readonly tamper?: (call: ToolCall) => void;
}

/** The dependencies that the servers of one process share. */
export function dependenciesFor({
  url,
  token,
  policy = { readOnly: false },
  guard,
  extraTools = [],
}: Pick<ClientOptions, 'url' | 'token' | 'policy' | 'guard' | 'extraTools'>) {
  const client = createClient({ baseUrl: url, credential: credentialOf(token) });
  const log = memoryLog();
  return {
    log,
    client,
    parts: createDependencies({
      tools: [...tools, ...extraTools],
      policy,
      guard,
      connect: async () => ({ client }),
      secrets: () => [token],
      version: '0',
      log,
      clock: { now: Date.now },
    }),
  };
}

/** Connects a client of the 2026 protocol version over a transport that can tamper with its calls. */
export async function connectTampering({
  parts,
  user,
  principal = 'ann',
  tamper,
}: { parts: ReturnType<typeof dependenciesFor>['parts'] } & Pick<ClientOptions, 'user' | 'principal' | 'tamper'>) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const send = clientSide.send.bind(clientSide);
  clientSide.send = (message: Message, ...rest) => {
    if (tamper && 'method' in message && message.method === 'tools/call') tamper(message as unknown as ToolCall);
    return send(message, ...rest);
  };
  const server = serveStdio(({ era }) => buildServer(parts, { era, callerOf: () => ({ principal }) }), {
    transport: serverSide,
  });
  const { client } = await connectModern(clientSide, user);
  return {
    client,
    call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
    read: (uri: string) => client.readResource({ uri }),
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}
