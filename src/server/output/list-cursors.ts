import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';

const lists: readonly string[] = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

type Handler = (request: { readonly params?: { readonly cursor?: string } }, context: unknown) => unknown;

/** @throws ProtocolError where there is a cursor: lists are answered whole, so this server never gave one out. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such cursor: this list has one page. Ask for it without a cursor.');
}

const checked = (handler: Handler): Handler => (request, context) => {
  refuseCursor(request.params?.cursor);
  return handler(request, context);
};

/** Has a server refuse cursors of lists, whoever sets their handlers from now on: those of the MCP library take no notice of them. */
export function refuseCursors({ server }: McpServer): void {
  const set = server.setRequestHandler.bind(server) as (method: string, ...given: unknown[]) => void;
  Object.assign(server, {
    setRequestHandler: (method: string, ...given: unknown[]) => (lists.includes(method) ? set(method, checked(given[0] as Handler)) : set(method, ...given)),
  });
}
