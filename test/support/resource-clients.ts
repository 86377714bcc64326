import { join } from 'node:path';
import type { Client as ModernClient } from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/credential.ts';
import type { Policy } from '../../src/server/guard/policy/policy.ts';
import { createDependencies } from '../../src/server/protocol/shared-dependencies.ts';
import { createWatches, type Watches } from '../../src/server/browse/resources/watches.ts';
import { textsIn } from '../../src/server/browse/texts.ts';
import type { Tool } from '../../src/server/tool/tool.ts';
import { startStdioServer } from '../../src/transport/stdio.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from './call-context.ts';
import { connectLegacy, connectModern } from './mcp-clients.ts';

/** The root of the source, where prompts and skills lie. */
export const root = join(import.meta.dirname, '../..');

type AnyClient = Pick<ModernClient, 'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete' | 'callTool' | 'listTools' | 'getInstructions' | 'request' | 'close'>;

/** The same few things of a client of either era. */
export interface ResourceClient {
  readonly client: AnyClient;
  /** Asks to be told of changes; resolves once the server agreed. Gives what it agreed to, and the way to end it. */
  readonly watch: (uris: string[]) => Promise<{ readonly agreed: readonly string[]; readonly stop: () => Promise<unknown> }>;
  /** The resources that were told to have changed, in order. */
  readonly updatedUris: string[];
  readonly text: (uri: string) => Promise<string>;
}

const textOf = ({ contents }: Awaited<ReturnType<AnyClient['readResource']>>): string => contents.map((part) => ('text' in part ? part.text : '')).join('\n');

/** A connected client of the 2026 revision. */
export function modernResourceClient(client: ModernClient): ResourceClient {
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
  return {
    client,
    updatedUris: told,
    text: async (uri) => textOf(await client.readResource({ uri })),
    watch: async (uris) => {
      const subscription = await client.listen({ resourceSubscriptions: uris });
      return { agreed: subscription.honoredFilter.resourceSubscriptions ?? [], stop: () => subscription.close() };
    },
  };
}

/** A connected client of the 2025 revisions. */
export function legacyResourceClient(client: LegacyClient): ResourceClient {
  const told: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  const both = client as unknown as AnyClient;
  return {
    client: both,
    updatedUris: told,
    text: async (uri) => textOf(await both.readResource({ uri })),
    watch: async (uris) => {
      const asked = await Promise.all(uris.map((uri) => client.subscribeResource({ uri }).then(() => [uri], () => [])));
      return { agreed: asked.flat(), stop: () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri }))) };
    },
  };
}

export const protocolVersions = ['modern', 'legacy'] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

/** What a test says of the server it wants. */
export interface ServerOptions {
  readonly policy?: Policy;
  /** Names of the tools that it is to show; all of them by default. */
  readonly only?: readonly string[];
  readonly watches?: Watches;
  /** The folder of prompts and skills. */
  readonly texts?: string;
}

/** Servers of one platform, a client each. */
export interface ResourceServers {
  readonly connect: (era: ProtocolVersion, wanted?: ServerOptions) => Promise<ResourceClient>;
  readonly log: ReturnType<typeof memoryLog>;
  /** How often the platform was wanted. */
  readonly connectCount: () => number;
  readonly close: () => Promise<void>;
}

/** Servers over the wire that processes share, with everything that they serve. */
export function resourceServersOf(baseUrl: string, token: string): ResourceServers {
  const client = createClient({ baseUrl, credential: credentialOf(token) });
  const log = memoryLog();
  const clock = { now: Date.now };
  const open: { close: () => Promise<unknown> }[] = [];
  let wanted = 0;
  const platform = async () => {
    wanted += 1;
    return { client };
  };

  const connect: ResourceServers['connect'] = async (era, { policy = { readOnly: false }, only, watches = createWatches({ clock }), texts = root } = {}) => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const [chosen, others] = [true, false].map((taken) => tools.filter(({ name }) => (only?.includes(name) ?? true) === taken)) as [Tool[], Tool[]];
    const parts = createDependencies({ tools: chosen, otherTools: others.map(({ name }) => name), policy, connect: platform, secrets: () => [token], version: '0.0.0', log, clock, texts: textsIn(texts), watches });
    open.push(startStdioServer(parts, far));
    if (era === 'modern') {
      const { client: modern } = await connectModern(near);
      open.push(modern);
      return modernResourceClient(modern);
    }
    const { client: legacy } = await connectLegacy(near);
    open.push(legacy);
    return legacyResourceClient(legacy);
  };

  return {
    connect,
    log,
    connectCount: () => wanted,
    close: async () => {
      for (const one of open.toReversed()) await one.close();
      await client.close();
    },
  };
}
