import { ResourceNotFoundError, ResourceTemplate, type McpServer, type ReadResourceResult, type ServerContext } from '@modelcontextprotocol/server';
import type { Unsubscribe } from './watches.ts';

/** What is told of every resource. */
export interface ListedResource {
  readonly name: string;
  /** Where it is: a URI, or a template (RFC 6570) of one. */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

/** What every resource is shown as. */
export const mimeType = 'text/markdown';

/** Names of the variables of a template, in its order. */
export const variablesOf = (uri: string): readonly string[] => [...uri.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => name!);

const templates = new Map<string, ResourceTemplate>();

/** The template that an address is; undefined where it is fixed. */
export function uriTemplateOf(uri: string): ResourceTemplate | undefined {
  if (variablesOf(uri).length === 0) return undefined;
  const template = templates.get(uri) ?? new ResourceTemplate(uri, { list: undefined });
  templates.set(uri, template);
  return template;
}

/** Reads what is at an address. */
export type ReadResource = (at: URL, context: ServerContext) => Promise<ReadResourceResult>;

/** Lists resources, and has them read when somebody asks for one. */
export function registerResources(mcp: McpServer, resources: readonly ListedResource[], read: ReadResource): void {
  // What there is depends on the policy alone.
  mcp.server.registerCapabilities({ resources: { listChanged: false, subscribe: true } });
  for (const { name, uri, title, description } of resources) {
    const template = uriTemplateOf(uri);
    if (template) mcp.registerResource(name, template, { title, description, mimeType }, (at, _, context) => read(at, context));
    else mcp.registerResource(name, uri, { title, description, mimeType }, read);
  }
}

/** Watches the resource at an address. @returns undefined where it can't be watched. */
export type WatchResource = (context: ServerContext, uri: string, changed: (uri: string) => void) => Promise<Unsubscribe | undefined>;

/**
 * Tells clients of the 2025 revisions of changes, for as long as they are connected. Those of the 2026 revision ask the
 * host instead.
 */
export function registerSubscriptions({ server }: McpServer, watch: WatchResource): void {
  const watched = new Map<string, Unsubscribe>();
  let closed = false;
  const end = (uri: string): void => {
    watched.get(uri)?.();
    watched.delete(uri);
  };
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, context) => {
    const stop = await watch(context, uri, () => void server.sendResourceUpdated({ uri }).catch(() => end(uri)));
    if (!stop) throw new ResourceNotFoundError(uri, `Changes of ${uri} can't be told: there is nothing at it, or it can't be watched. Read it to see; subscribe to the status or the logs of something, and to no more than are needed.`);
    end(uri);
    watched.set(uri, stop);
    if (closed) end(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    end(uri);
    return {};
  });
  const { onclose } = server;
  Object.assign(server, {
    onclose: () => {
      closed = true;
      for (const uri of watched.keys()) end(uri);
      onclose?.();
    },
  });
}
