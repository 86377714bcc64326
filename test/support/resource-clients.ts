import { join } from 'node:path';
import type { Client as ModernClient } from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import type { Policy } from '../../src/server/guard/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { createWatches, type Watches, textsIn } from '../../src/server/browse/index.ts';
import type { Tool } from '../../src/server/tool/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from './call-context.ts';
import { connectLegacy, connectModern } from './mcp-clients.ts';

/** The root of the repository, where prompts/ and skills/ are. */
export const root = join(import.meta.dirname, '../..');

type AnyClient = Pick<
  ModernClient,
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'listPrompts'
  | 'getPrompt'
  | 'complete'
  | 'callTool'
  | 'listTools'
  | 'getInstructions'
  | 'request'
  | 'close'
>;

/** A client of either protocol version, with one interface for both. */
export interface ResourceClient {
  readonly client: AnyClient;
  /**
   * Subscribes to updates; resolves once the server has accepted. Returns the URIs that it accepted, and a function
   * that unsubscribes.
   */
  readonly watch: (
    uris: string[],
  ) => Promise<{ readonly agreed: readonly string[]; readonly stop: () => Promise<unknown> }>;
  /** The URIs of the update notifications, in order. */
  readonly updatedUris: string[];
  readonly text: (uri: string) => Promise<string>;
}

const textOf = ({ contents }: Awaited<ReturnType<AnyClient['readResource']>>): string =>
  contents.map((part) => ('text' in part ? part.text : '')).join('\n');

/** @param client a connected client of the 2026 protocol version. */
export function modernResourceClient(client: ModernClient): ResourceClient {
  const updatedUris: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updatedUris.push(params.uri));
  return {
    client,
    updatedUris,
    text: async (uri) => textOf(await client.readResource({ uri })),
    watch: async (uris) => {
      const subscription = await client.listen({ resourceSubscriptions: uris });
      return { agreed: subscription.honoredFilter.resourceSubscriptions ?? [], stop: () => subscription.close() };
    },
  };
}

/** @param client a connected client of the 2025 protocol versions. */
export function legacyResourceClient(client: LegacyClient): ResourceClient {
  const updatedUris: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updatedUris.push(params.uri));
  const anyClient = client as unknown as AnyClient;
  return {
    client: anyClient,
    updatedUris,
    text: async (uri) => textOf(await anyClient.readResource({ uri })),
    watch: async (uris) => {
      const accepted = await Promise.all(
        uris.map((uri) =>
          client.subscribeResource({ uri }).then(
            () => [uri],
            () => [],
          ),
        ),
      );
      return {
        agreed: accepted.flat(),
        stop: () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri }))),
      };
    },
  };
}

export const protocolVersions = ['modern', 'legacy'] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

/** How a test configures its server. */
export interface ServerOptions {
  readonly policy?: Policy;
  /** Names of the tools that it lists; all of them by default. */
  readonly only?: readonly string[];
  readonly watches?: Watches;
  /** The folder of prompts and skills. */
  readonly texts?: string;
}

/** Servers in front of one platform, with one client each. */
export interface ResourceServers {
  readonly connect: (era: ProtocolVersion, options?: ServerOptions) => Promise<ResourceClient>;
  readonly log: ReturnType<typeof memoryLog>;
  /** How often a server connected to the platform. */
  readonly connectCount: () => number;
  readonly close: () => Promise<void>;
}

/** Servers over in-memory transports, with all their tools, prompts and resources. */
export function resourceServersOf(baseUrl: string, token: string): ResourceServers {
  const client = createClient({ baseUrl, credential: credentialOf(token) });
  const log = memoryLog();
  const clock = { now: Date.now };
  const open: { close: () => Promise<unknown> }[] = [];
  let connectCount = 0;
  const platform = async () => {
    connectCount += 1;
    return { client };
  };

  const connect: ResourceServers['connect'] = async (
    era,
    { policy = { readOnly: false }, only, watches = createWatches({ clock }), texts = root } = {},
  ) => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const [listed, otherTools] = [true, false].map((isListed) =>
      tools.filter(({ name }) => (only?.includes(name) ?? true) === isListed),
    ) as [Tool[], Tool[]];
    const dependencies = createDependencies({
      tools: listed,
      otherTools: new Map(otherTools.map((tool) => [tool.name, { tool, why: 'a test left it out' }])),
      policy,
      connect: platform,
      secrets: () => [token],
      version: '0.0.0',
      log,
      clock,
      texts: textsIn(texts),
      watches,
    });
    open.push(startStdioServer(dependencies, serverSide));
    if (era === 'modern') {
      const { client: modern } = await connectModern(clientSide);
      open.push(modern);
      return modernResourceClient(modern);
    }
    const { client: legacy } = await connectLegacy(clientSide);
    open.push(legacy);
    return legacyResourceClient(legacy);
  };

  return {
    connect,
    log,
    connectCount: () => connectCount,
    close: async () => {
      for (const one of open.toReversed()) await one.close();
      await client.close();
    },
  };
}
