import { SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { serveStdio as serve, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { oneByOne } from '../server/browse/index.ts';
import { buildServer, type Caller, type ServerDependencies } from '../server/protocol/index.ts';
import type { Message } from './message-line.ts';
import {
  type WatchUri,
  withResources,
  isListenRequest,
  subscribe,
  type ResourceSubscription,
} from './subscriptions.ts';

type MessageExtraInfo = Parameters<NonNullable<Transport['onmessage']>>[1];

/** The id of the request that a message cancels. */
const cancelledRequestId = (message: Message): string | number | undefined =>
  'method' in message && message.method === 'notifications/cancelled'
    ? (message.params?.['requestId'] as string | number | undefined)
    : undefined;

/**
 * Wraps a transport to notify clients of the 2026 revision of changes. The MCP library doesn't expose what a connection
 * listens for, so the wrapper reads it from the messages that pass through.
 * @param load loads the watch function when a client first listens. Later messages wait for it, to keep their order.
 */
function withSubscriptions(transport: Transport, load: () => Promise<WatchUri>): Transport {
  let watch: WatchUri | undefined;
  let loading: Promise<void> | undefined;
  const open = new Map<string | number, ResourceSubscription>();
  // Listen requests whose resources are still being checked. A request that is cancelled meanwhile gets no
  // notifications.
  const opening = new Set<string | number>();

  const end = (id: string | number): void => {
    opening.delete(id);
    open.get(id)?.stop();
    open.delete(id);
  };

  /** Notifies the client of changes. If it has disconnected, the subscription ends. */
  const notifier = (id: string | number): ((uri: string) => void) => {
    const notices = new Map<string, () => void>();
    const noticeOf = (uri: string) => {
      const message = {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } },
      } as const;
      return oneByOne(
        () => transport.send(message),
        () => end(id),
      );
    };
    return (uri) => {
      const notice = notices.get(uri) ?? noticeOf(uri);
      notices.set(uri, notice);
      notice();
    };
  };

  /**
   * Opens a subscription.
   * @returns the message, reduced to the resources that are watched; undefined if it was cancelled meanwhile.
   */
  const openSubscription = async (message: Message, id: string | number): Promise<Message | undefined> => {
    end(id);
    opening.add(id);
    const subscription = await subscribe(message, watch!);
    if (!opening.delete(id)) {
      subscription.stop();
      return undefined;
    }
    open.set(id, subscription);
    return withResources(message, subscription.uris);
  };

  const onSent = (message: Message): void => {
    if ('method' in message && message.method === 'notifications/subscriptions/acknowledged') {
      const { _meta: meta } = message.params ?? {};
      const id = meta?.[SUBSCRIPTION_ID_META_KEY] as string | number;
      open.get(id)?.onChange(notifier(id));
    }
    // The response to a listen request, result or error, ends its subscription.
    if (('result' in message || 'error' in message) && message.id !== undefined) end(message.id);
  };

  const onerror = (error: Error): void => wrapped.onerror?.(error);

  let closed = false;
  const close = (): void => {
    closed = true;
    for (const id of [...opening, ...open.keys()]) end(id);
  };

  const wrapped: Transport = {
    start: () => {
      Object.assign(transport, {
        onmessage: (message: Message, extra: MessageExtraInfo) => {
          const forward = (accepted: Message | undefined): void => {
            if (!closed && accepted) wrapped.onmessage?.(accepted, extra);
          };
          const deliver = (): void => {
            const cancelled = cancelledRequestId(message);
            if (cancelled !== undefined) end(cancelled);
            if (!isListenRequest(message) || !('id' in message) || message.id === undefined) return forward(message);
            openSubscription(message, message.id).then(forward).catch(onerror);
          };
          if (watch || (!loading && !isListenRequest(message))) return deliver();
          loading ??= load()
            .then((loaded) => void (watch = loaded))
            .finally(() => (loading = undefined));
          return void loading.then(deliver).catch(onerror);
        },
        onerror,
        onclose: () => {
          close();
          wrapped.onclose?.();
        },
      });
      return transport.start();
    },
    send: async (message, options) => {
      await transport.send(message, options);
      onSent(message);
    },
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
  };
  return wrapped;
}

/** The single caller of a stdio server. */
const caller: Caller = { principal: 'local', connection: 'stdio' };

const warn = async ({ loadDependencies }: ServerDependencies, error: Error): Promise<void> => {
  const { log } = await loadDependencies();
  log.warn({ err: error }, 'protocol error');
};

/** Loads the function that watches resources for the caller. */
const loadWatch =
  ({ loadDependencies }: ServerDependencies) =>
  async (): Promise<WatchUri> => {
    const [{ watchFor }, loaded] = await Promise.all([
      import('../server/browse/resources/watch-resource.ts'),
      loadDependencies(),
    ]);
    return watchFor(() => loaded, caller);
  };

/**
 * Serves one client over stdin and stdout, in every supported protocol version. Responds to the first request at once:
 * the platform is connected when a tool is first called.
 * @param transport `stdioTransport` for the standard streams of this process.
 */
export function startStdioServer(dependencies: ServerDependencies, transport: Transport): StdioServerHandle {
  return serve(({ era }) => buildServer(dependencies, { era, callerOf: () => caller }), {
    transport: withSubscriptions(transport, loadWatch(dependencies)),
    onerror: (error) => void warn(dependencies, error),
  });
}
