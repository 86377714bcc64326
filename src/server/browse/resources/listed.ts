import { ResourceTemplate, type McpServer, type ReadResourceResult, type ServerContext } from '@modelcontextprotocol/server';

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
export function templateOf(uri: string): ResourceTemplate | undefined {
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
    const template = templateOf(uri);
    if (template) mcp.registerResource(name, template, { title, description, mimeType }, (at, _, context) => read(at, context));
    else mcp.registerResource(name, uri, { title, description, mimeType }, read);
  }
}
