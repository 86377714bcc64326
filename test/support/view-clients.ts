import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { shippedTexts } from '../../src/cli/wiring/shipped-texts.ts';
import { buildServer, createDependencies } from '../../src/server/protocol/index.ts';
import { callOf, startStdioServer } from '../../src/transport/index.ts';
import { viewExtension, viewMimeType } from '../../src/views/index.ts';
import { defaultTools } from '../../tools/index.ts';
import { memoryLog } from './call-context.ts';
import { connectLegacy, connectModern, type Extensions } from './mcp-clients.ts';
import { startTestServer } from '../transport/test-server.ts';

/** What a host declares that shows views. */
export const showing: Extensions = { [viewExtension]: { mimeTypes: [viewMimeType] } };

const dependencies = () =>
  createDependencies({
    tools: defaultTools,
    policy: { readOnly: false },
    connect: () => Promise.reject(new Error('Lists and views need no platform.')),
    secrets: () => [],
    version: '0',
    log: memoryLog(),
    clock: { now: Date.now },
    texts: shippedTexts(),
  });

/** A client of either revision. What it was sent is kept as it came. */
export interface ViewClient {
  readonly client: ModernClient | LegacyClient;
  /** The results that the client got, as JSON. */
  readonly received: readonly string[];
  readonly close: () => Promise<void>;
}

type Connect = (extensions?: Extensions) => Promise<ViewClient>;

const overStdio =
  (era: 'modern' | 'legacy'): Connect =>
  async (extensions) => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const received: string[] = [];
    const send = serverSide.send.bind(serverSide);
    serverSide.send = (message, options) => {
      if ('result' in message) received.push(JSON.stringify(message.result));
      return send(message, options);
    };
    const server = startStdioServer(dependencies(), serverSide);
    const { client } =
      era === 'modern'
        ? await connectModern(clientSide, undefined, undefined, extensions)
        : await connectLegacy(clientSide, undefined, extensions);
    return {
      client,
      received,
      close: async () => {
        await client.close();
        await server.close();
      },
    };
  };

/** A transport's `fetch` that keeps the results in the responses. */
const keeping =
  (received: string[]): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return response;
    const text = await response.clone().text();
    for (const line of text.split('\n')) {
      const json = line.replace(/^data: /, '');
      if (!json.startsWith('{')) continue;
      const { result } = JSON.parse(json) as { result?: unknown };
      if (result !== undefined) received.push(JSON.stringify(result));
    }
    return response;
  };

const overHttp =
  (era: 'modern' | 'legacy'): Connect =>
  async (extensions) => {
    const shared = dependencies();
    const { url } = await startTestServer({
      build: (revision, _, request) =>
        buildServer(shared, { era: revision, ...request, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    });
    const received: string[] = [];
    const options = { fetch: keeping(received) };
    const { client } =
      era === 'modern'
        ? await connectModern(new ModernHttp(url, options), undefined, undefined, extensions)
        : await connectLegacy(new LegacyHttp(url, options), undefined, extensions);
    return { client, received, close: () => client.close() };
  };

/** How a client of each revision connects over each transport. Servers over HTTP end with `closeTestServers`. */
export const connections: readonly (readonly [string, Connect])[] = (['modern', 'legacy'] as const).flatMap(
  (era) =>
    [
      [`${era} over stdio`, overStdio(era)],
      [`${era} over HTTP`, overHttp(era)],
    ] as const,
);
