import { ResourceNotFoundError, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { Stop } from './watches.ts';

/** Watches the resource at an address. @returns undefined where it can't be watched. */
export type WatchFor = (context: ServerContext, uri: string, changed: (uri: string) => void) => Promise<Stop | undefined>;

/**
 * Tells clients of the 2025 revisions of changes, for as long as they are connected. Those of the 2026 revision ask the
 * host instead.
 */
export function registerSubscriptions({ server }: McpServer, watch: WatchFor): void {
  const watched = new Map<string, Stop>();
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
