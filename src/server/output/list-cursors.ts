import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';

const lists: readonly string[] = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

type Handler = (request: { readonly params?: { readonly cursor?: string } }, context: unknown) => unknown;

/** @throws ProtocolError if there is a cursor: lists have one page, so this server never issues one. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'There is no such cursor: this list has one page. Ask for it without a cursor.',
    );
}

const withCursorCheck =
  (handler: Handler): Handler =>
  (request, context) => {
    refuseCursor(request.params?.cursor);
    return handler(request, context);
  };

/**
 * Makes a server refuse list cursors in every handler registered from now on. The MCP library's own handlers ignore
 * them.
 */
export function refuseCursors({ server }: McpServer): void {
  const set = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  Object.assign(server, {
    setRequestHandler: (method: string, ...rest: unknown[]) =>
      lists.includes(method) ? set(method, withCursorCheck(rest[0] as Handler)) : set(method, ...rest),
  });
}
