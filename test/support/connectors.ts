import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import type { Clock } from '../../src/server/context/index.ts';
import type { Handover, Policy } from '../../src/server/guard/index.ts';
import { createDependencies, type GuardDependencies } from '../../src/server/protocol/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from './call-context.ts';
import { memoryHandover } from './memory-handover.ts';
import { connectLegacy, connectModern, type TestClient, type User } from './mcp-clients.ts';

export type Connect = (user?: User, policy?: Policy, guard?: GuardDependencies) => Promise<TestClient>;

export interface Connectors {
  readonly modern: Connect;
  readonly legacy: Connect;
  /** The log of all the servers. */
  readonly log: ReturnType<typeof memoryLog>;
  close(): Promise<void>;
}

interface ConnectorOptions {
  readonly organization?: string;
  /** The time of the servers. */
  readonly clock?: Clock;
  /** Gets new secrets; default: the memory of the test. */
  readonly handover?: Handover;
}

/** Connects clients of both protocol versions, each to its own MCP server in front of one platform. */
export function connectorsTo(
  baseUrl: string,
  token: string,
  { organization, clock = { now: Date.now }, handover = memoryHandover() }: ConnectorOptions = {},
): Connectors {
  const client = createClient({ baseUrl, credential: credentialOf(token), organization, clock });
  const log = memoryLog();
  const open: { close: () => Promise<void> }[] = [];
  const connect =
    (connectOver: (transport: InMemoryTransport, user?: User) => Promise<TestClient>): Connect =>
    async (user, policy = { readOnly: false }, guard) => {
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      const dependencies = createDependencies({
        tools,
        policy,
        connect: async () => ({ client }),
        secrets: () => [token],
        guard,
        handover,
        version: '0.0.0',
        log,
        clock,
      });
      open.push(startStdioServer(dependencies, serverSide));
      const testClient = await connectOver(clientSide, user);
      open.push(testClient);
      return testClient;
    };
  return {
    modern: connect(connectModern),
    legacy: connect(connectLegacy),
    log,
    close: async () => {
      await Promise.all(open.map((one) => one.close()));
      await client.close();
    },
  };
}
