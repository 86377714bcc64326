import { SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { asking, isListen, listen, type Listening, type Watch } from './subscriptions.ts';

type Message = Parameters<Transport['send']>[0];
type MessageExtraInfo = Parameters<NonNullable<Transport['onmessage']>>[1];

/** The id of the request that a message takes back. */
const takenBack = (message: Message): string | number | undefined =>
  'method' in message && message.method === 'notifications/cancelled' ? (message.params?.['requestId'] as string | number | undefined) : undefined;

/**
 * The same wire, on which clients of the 2026 revision are told of changes: the MCP library keeps to itself what a
 * connection listens for, so it is read here, as it passes.
 * @param load gives what watches; asked when a client first listens. What comes after that waits, so that order is kept.
 */
export function withSubscriptions(wire: Transport, load: () => Promise<Watch>): Transport {
  let watch: Watch | undefined;
  let loading: Promise<void> | undefined;
  const open = new Map<string | number, Listening>();
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
    const listening = await listen(message, watch!);
    if (!opening.delete(id)) {
      listening.stop();
      return undefined;
    }
    open.set(id, listening);
    return asking(message, listening.uris);
  };

  const sent = (message: Message): void => {
    if ('method' in message && message.method === 'notifications/subscriptions/acknowledged') {
      const { _meta: meta } = message.params ?? {};
      const id = meta?.[SUBSCRIPTION_ID_META_KEY] as string | number;
      open.get(id)?.tell((uri) => tell(id, uri));
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
            const cancelled = takenBack(message);
            if (cancelled !== undefined) end(cancelled);
            if (!isListen(message) || !('id' in message) || message.id === undefined) return pass(message);
            begun(message, message.id).then(pass).catch(failed);
          };
          if (watch || (!loading && !isListen(message))) return deliver();
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
