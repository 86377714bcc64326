import {
  ProtocolError,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isRecord, repeated } from '../../../contract/index.ts';
import type { Unsubscribe } from './watches.ts';

/**
 * Sends notifications one after another: those due while one is being sent become a single one after it. So a client
 * that doesn't read its stream holds at most one in memory.
 * @param failed is called when the client can't be notified. Nothing is thrown.
 */
export function oneByOne(send: () => Promise<unknown>, failed: () => void): () => void {
  let isSending = false;
  let isDue = false;
  const sendAll = async (): Promise<void> => {
    do {
      isDue = false;
      await send();
    } while (isDue);
  };
  return () => {
    isDue = true;
    if (isSending) return;
    isSending = true;
    void sendAll()
      .catch(failed)
      .finally(() => (isSending = false));
  };
}

/** The list entry of a resource. */
export interface ListedResource {
  readonly name: string;
  /** Its URI, or a URI template (RFC 6570). */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

/** The MIME type of every resource. */
export const mimeType = 'text/markdown';

/** The names of a template's variables, in order. */
export const variablesOf = (uri: string): readonly string[] =>
  [...uri.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => name!);

const templates = new Map<string, ResourceTemplate>();

/** The template of a URI; undefined if it has no variables. */
export function uriTemplateOf(uri: string): ResourceTemplate | undefined {
  if (variablesOf(uri).length === 0) return undefined;
  const template = templates.get(uri) ?? new ResourceTemplate(uri, { list: undefined });
  templates.set(uri, template);
  return template;
}

/** Reads the resource at a URI. */
export type ReadResource = (url: URL, context: ServerContext) => Promise<ReadResourceResult>;

/** An error of the library with the URI shortened, as in other errors. */
function withShortUri(error: unknown, uri: string): unknown {
  if (
    !(error instanceof ProtocolError) ||
    repeated(uri) === uri ||
    !JSON.stringify([error.message, error.data]).includes(uri)
  )
    return error;
  const data = isRecord(error.data) && error.data['uri'] === uri ? { ...error.data, uri: repeated(uri) } : undefined;
  return new ProtocolError(error.code, error.message.replaceAll(uri, repeated(uri)), data);
}

/** Shortens URIs in the errors of resource reads. Call it before any resource is registered. */
export function shortenUrisInErrors({ server }: McpServer): void {
  const setHandler = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  Object.assign(server, {
    setRequestHandler: (method: string, ...rest: unknown[]) => {
      const handler = rest.at(-1) as (
        request: { params?: { uri?: string } },
        context: ServerContext,
      ) => Promise<unknown>;
      const shortened: typeof handler = async (request, context) => {
        try {
          return await handler(request, context);
        } catch (error) {
          throw withShortUri(error, String(request.params?.uri));
        }
      };
      setHandler(method, ...rest.slice(0, -1), method === 'resources/read' ? shortened : handler);
    },
  });
}

/** Registers resources and their handler. */
export function registerResources(mcp: McpServer, resources: readonly ListedResource[], read: ReadResource): void {
  // The list depends only on the policy.
  mcp.server.registerCapabilities({ resources: { listChanged: false, subscribe: true } });
  for (const { name, uri, title, description } of resources) {
    const template = uriTemplateOf(uri);
    if (template)
      mcp.registerResource(name, template, { title, description, mimeType }, (url, _, context) => read(url, context));
    else mcp.registerResource(name, uri, { title, description, mimeType }, read);
  }
}

/** Watches the resource at a URI. @returns undefined if it can't be watched. */
export type WatchResource = (
  context: ServerContext,
  uri: string,
  changed: (uri: string) => void,
) => Promise<Unsubscribe | undefined>;

const subscriptionsOf = new WeakMap<McpServer, () => void>();

/** Cancels the subscriptions of a client of the 2025 protocol revisions. It can subscribe again. */
export const endSubscriptions = (mcp: McpServer): void => subscriptionsOf.get(mcp)?.();

/**
 * Registers subscriptions for clients of the 2025 protocol revisions, which end with the connection. Clients of the
 * 2026 revision subscribe through the transport instead.
 */
export function registerSubscriptions(mcp: McpServer, watch: WatchResource): void {
  const { server } = mcp;
  const subscriptions = new Map<string, Unsubscribe>();
  let closed = false;
  const unsubscribe = (uri: string): void => {
    subscriptions.get(uri)?.();
    subscriptions.delete(uri);
  };
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, context) => {
    const stop = await watch(
      context,
      uri,
      oneByOne(
        () => server.sendResourceUpdated({ uri }),
        () => unsubscribe(uri),
      ),
    );
    if (!stop)
      throw new ResourceNotFoundError(
        repeated(uri),
        `Changes of ${repeated(uri)} can't be told: there is nothing at it, or it can't be watched. Read it to see; subscribe to the status or the logs of something, and to no more than are needed.`,
      );
    unsubscribe(uri);
    subscriptions.set(uri, stop);
    if (closed) unsubscribe(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    unsubscribe(uri);
    return {};
  });
  const unsubscribeAll = (): void => {
    for (const uri of subscriptions.keys()) unsubscribe(uri);
  };
  subscriptionsOf.set(mcp, unsubscribeAll);
  const { onclose } = server;
  Object.assign(server, {
    onclose: () => {
      closed = true;
      unsubscribeAll();
      onclose?.();
    },
  });
}
