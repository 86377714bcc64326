import { SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { buildServer, type ServerDependencies } from '../server/protocol/server.ts';
import { type WatchResource, withResources, isListenRequest, subscribe, type ResourceSubscription } from './subscriptions.ts';
import type { Caller } from '../server/protocol/caller.ts';

type Message = Parameters<Transport['send']>[0];
type MessageExtraInfo = Parameters<NonNullable<Transport['onmessage']>>[1];

/** The id of the request that a message takes back. */
const cancelledRequestId = (message: Message): string | number | undefined =>
  'method' in message && message.method === 'notifications/cancelled' ? (message.params?.['requestId'] as string | number | undefined) : undefined;

/**
 * The same wire, on which clients of the 2026 revision are told of changes: the MCP library keeps to itself what a
 * connection listens for, so it is read here, as it passes.
 * @param load gives what watches; asked when a client first listens. What comes after that waits, so that order is kept.
 */
function withSubscriptions(wire: Transport, load: () => Promise<WatchResource>): Transport {
  let watch: WatchResource | undefined;
  let loading: Promise<void> | undefined;
  const open = new Map<string | number, ResourceSubscription>();
  // Asked for, while it is looked at what there is to watch. Whoever takes it back meanwhile is told nothing.
  const opening = new Set<string | number>();

  const end = (id: string | number): void => {
    opening.delete(id);
    open.get(id)?.stop();
    open.delete(id);
  };

  const tell = (id: string | number, uri: string): void => {
    const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } } } as const;
    // Whoever left is told nothing.
    wire.send(message).catch(() => end(id));
  };

  /** Opens what a message asks for. @returns the message with what is watched of it; undefined where it was taken back. */
  const begun = async (message: Message, id: string | number): Promise<Message | undefined> => {
    end(id);
    opening.add(id);
    const listening = await subscribe(message, watch!);
    if (!opening.delete(id)) {
      listening.stop();
      return undefined;
    }
    open.set(id, listening);
    return withResources(message, listening.uris);
  };

  const sent = (message: Message): void => {
    if ('method' in message && message.method === 'notifications/subscriptions/acknowledged') {
      const { _meta: meta } = message.params ?? {};
      const id = meta?.[SUBSCRIPTION_ID_META_KEY] as string | number;
      open.get(id)?.onChange((uri) => tell(id, uri));
    }
    // An answer to it, good or bad, is the end of a subscription.
    if (('result' in message || 'error' in message) && message.id !== undefined) end(message.id);
  };

  const failed = (error: Error): void => watched.onerror?.(error);

  let closed = false;
  const close = (): void => {
    closed = true;
    for (const id of [...opening, ...open.keys()]) end(id);
  };

  const watched: Transport = {
    start: () => {
      Object.assign(wire, {
        onmessage: (message: Message, extra: MessageExtraInfo) => {
          const pass = (taken: Message | undefined): void => {
            if (!closed && taken) watched.onmessage?.(taken, extra);
          };
          const deliver = (): void => {
            const cancelled = cancelledRequestId(message);
            if (cancelled !== undefined) end(cancelled);
            if (!isListenRequest(message) || !('id' in message) || message.id === undefined) return pass(message);
            begun(message, message.id).then(pass).catch(failed);
          };
          if (watch || (!loading && !isListenRequest(message))) return deliver();
          loading ??= load().then((loaded) => void (watch = loaded)).finally(() => (loading = undefined));
          return void loading.then(deliver).catch(failed);
        },
        onerror: failed,
        onclose: () => {
          close();
          watched.onclose?.();
        },
      });
      return wire.start();
    },
    send: async (message, options) => {
      await wire.send(message, options);
      sent(message);
    },
    close: () => wire.close(),
    setProtocolVersion: (version) => wire.setProtocolVersion?.(version),
  };
  return watched;
}

/** The one caller of a process that serves its standard streams. */
const caller: Caller = { principal: 'local', connection: 'stdio' };

const warn = async ({ loadDependencies }: ServerDependencies, error: Error): Promise<void> => {
  const { log } = await loadDependencies();
  log.warn({ err: error }, 'protocol error');
};

/** What tells the caller of changes, loaded when it is first needed. */
const loadWatch = ({ loadDependencies }: ServerDependencies) => async (): Promise<WatchResource> => {
  const [{ watchFor }, loaded] = await Promise.all([import('../server/browse/resources/watch-resource.ts'), loadDependencies()]);
  return watchFor(() => loaded, caller);
};

/**
 * Serves one client over stdin and stdout, in both protocol eras. Answers the opening at once: the platform is
 * connected when a tool is first called.
 * @param transport the streams of this process unless another one is given.
 */
export function startStdioServer(parts: ServerDependencies, transport: Transport = new StdioServerTransport()): StdioServerHandle {
  return serve(({ era }) => buildServer(parts, { era, callerOf: () => caller }), {
    transport: withSubscriptions(transport, loadWatch(parts)),
    onerror: (error) => void warn(parts, error),
  });
}
