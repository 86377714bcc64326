import { createMcpHandler, type AuthInfo, type McpServerFactory, type ServerEventBus } from '@modelcontextprotocol/server';
import { asking, listen, type Watch } from '../subscriptions.ts';

/** Streams on which clients of the 2026 revision are told of changes. */
export interface SubscriptionStreams {
  /** Opens a stream for what the message asks, as far as it can be watched. */
  open(request: Request, message: unknown, authInfo: AuthInfo, watch: Watch): Promise<Response>;
  /** Ends every stream. */
  close(): Promise<void>;
}

/** No streams yet. Each has a handler of its own, so that nothing one caller listens for can reach another. */
export function createSubscriptionStreams(factory: McpServerFactory, onerror: (error: Error) => void): SubscriptionStreams {
  const handlers = new Set<{ close(): Promise<void> }>();
  return {
    async open(request, message, authInfo, watch) {
      const listening = await listen(message, watch);
      let isOpen = false;
      const ended = (): void => {
        listening.stop();
        handlers.delete(handler);
      };
      const bus: ServerEventBus = {
        publish: () => undefined,
        subscribe: (listener) => {
          isOpen = true;
          listening.tell((uri) => listener({ kind: 'resource_updated', uri }));
          return ended;
        },
      };
      const handler = createMcpHandler(factory, { legacy: 'reject', onerror, bus });
      handlers.add(handler);
      try {
        return await handler.fetch(request, { authInfo, parsedBody: asking(message, listening.uris) });
      } finally {
        // Refused, or nothing to be told: no stream stays open.
        if (!isOpen) ended();
      }
    },
    async close() {
      await Promise.all([...handlers].map((handler) => handler.close()));
    },
  };
}
