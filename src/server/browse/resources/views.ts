import type { McpServer, ReadResourceResult } from '@modelcontextprotocol/server';
import { viewAt, viewMeta, viewMimeType } from '../../../views/index.ts';

type Handler = (request: { readonly params?: { readonly uri?: string } }, context: unknown) => unknown;

const withViews =
  (handler: Handler): Handler =>
  async (request, context) => {
    const uri = request.params?.uri ?? '';
    const view = viewAt(uri);
    if (view === undefined) return handler(request, context);
    const { pageOf } = await import('../../../views/pages.ts');
    const text = await pageOf(view);
    return { contents: [{ uri, mimeType: viewMimeType, text, _meta: viewMeta }] } satisfies ReadResourceResult;
  };

/**
 * Makes a server serve views to whoever reads one. They are in no list: tools name them, to clients that show them. The
 * pages are loaded with the first read. Call it before any resource is registered.
 */
export function serveViews({ server }: McpServer): void {
  const set = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  Object.assign(server, {
    setRequestHandler: (method: string, ...rest: unknown[]) =>
      method === 'resources/read'
        ? set(method, ...rest.slice(0, -1), withViews(rest.at(-1) as Handler))
        : set(method, ...rest),
  });
}
