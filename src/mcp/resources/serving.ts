import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type McpServer, type ReadResourceResult, type ServerContext } from '@modelcontextprotocol/server';
import type { Policy } from '../guard/policy.ts';
import type { Reply } from '../reply.ts';
import type { Texts } from '../texts.ts';
import type { Tool } from '../tool.ts';
import type { JsonRecord } from '../values.ts';
import { argumentsAt, isAllowed, resources, templateOf } from './catalog.ts';
import { isOfPlatform, mimeType, type Resource } from './resource.ts';
import type { Stop } from './watches.ts';

/** Carries out a call for whoever sent a request. */
export type CallFor = (context: ServerContext, tool: Tool, args: JsonRecord) => Promise<Reply>;

/** What serving resources works with. */
export interface ServingResources {
  readonly policy: Policy;
  readonly call: CallFor;
  /** Texts that come with the program; without them resources made of texts aren't served. */
  readonly texts?: Texts;
}

/** Why a read comes to nothing when what it is about isn't there. */
const missing: readonly (string | undefined)[] = ['not_found', 'bad_address'];

function failure(uri: string, { text, why }: Extract<Reply, { kind: 'failure' }>): ProtocolError {
  return missing.includes(why) ? new ResourceNotFoundError(uri, text) : new ProtocolError(ProtocolErrorCode.InternalError, text);
}

async function textAt(resource: Resource, uri: string, context: ServerContext, { call, policy, texts }: ServingResources): Promise<string> {
  if (!isOfPlatform(resource)) return resource.text({ policy, texts: texts! });
  const reply = await call(context, resource.tool, argumentsAt(resource, uri) ?? {});
  if (reply.kind === 'answer') return reply.text;
  throw reply.kind === 'failure' ? failure(uri, reply) : new Error(`${resource.name} would ask somebody`);
}

/** Serves the resources that the policy lets be read. Nothing is asked of the platform before one is. */
export function registerResources(mcp: McpServer, serving: ServingResources): void {
  const { policy, texts } = serving;
  // What there is depends on the policy alone.
  mcp.server.registerCapabilities({ resources: { listChanged: false, subscribe: true } });
  for (const resource of resources.filter((one) => isAllowed(one, policy) && (texts !== undefined || isOfPlatform(one)))) {
    const { name, uri, title, description } = resource;
    const read = async (at: URL, context: ServerContext): Promise<ReadResourceResult> => ({
      contents: [{ uri: at.href, mimeType, text: await textAt(resource, at.href, context, serving) }],
    });
    const template = templateOf(resource);
    if (template) mcp.registerResource(name, template, { title, description, mimeType }, (at, _, context) => read(at, context));
    else mcp.registerResource(name, uri, { title, description, mimeType }, read);
  }
}

/** Watches the resource at an address. @returns undefined where it can't be watched. */
export type WatchFor = (context: ServerContext, uri: string, changed: (uri: string) => void) => Stop | undefined;

/**
 * Tells clients of the 2025 revisions of changes, for as long as they are connected. Those of the 2026 revision ask the
 * host instead.
 */
export function registerSubscriptions({ server }: McpServer, watch: WatchFor): void {
  const watched = new Map<string, Stop>();
  const end = (uri: string): void => {
    watched.get(uri)?.();
    watched.delete(uri);
  };
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, context) => {
    end(uri);
    const stop = watch(context, uri, () => void server.sendResourceUpdated({ uri }).catch(() => end(uri)));
    if (!stop) throw new ResourceNotFoundError(uri, `Changes of ${uri} can't be told. Subscribe to the status or the logs of something, and to no more than are needed.`);
    watched.set(uri, stop);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    end(uri);
    return {};
  });
  const { onclose } = server;
  Object.assign(server, {
    onclose: () => {
      for (const uri of watched.keys()) end(uri);
      onclose?.();
    },
  });
}
