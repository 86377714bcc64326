import { setTimeout as delay } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import { Client, type ClientConfig, escapeIdentifier } from 'pg';

/** A listener to a channel of the database, on its own connection. */
export interface Listener {
  /** Resolves once it listens for the first time. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** The options of a listener. */
export interface ListenerOptions {
  readonly config: ClientConfig;
  /** A plain name. */
  readonly channel: string;
  /** Receives each message. */
  readonly onMessage: (payload: string) => void;
  /**
   * Called whenever it starts listening: at first, and again after a lost connection. Earlier messages may have been
   * missed.
   */
  readonly onListening: () => void;
  /** Called when the connection is lost. */
  readonly onLost?: () => void;
  /**
   * The interval between liveness checks of the database, and the timeout of each, in milliseconds; default 10 seconds.
   */
  readonly askMilliseconds?: number;
}

const pauseMilliseconds = 500;

/** How long to wait for a connection to close, in milliseconds. One that the network has dropped never closes. */
const endMilliseconds = 1000;

/** Listens until it is closed. Reconnects whenever the connection is lost. */
export function listen({
  config,
  channel,
  onMessage,
  onListening,
  onLost,
  askMilliseconds = 10_000,
}: ListenerOptions): Listener {
  const ready = Promise.withResolvers<void>();
  const closing = new AbortController();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  closing.signal.addEventListener('abort', () => close(), { once: true });

  /** Listens on one connection until it is lost. */
  const listenOnce = async (): Promise<void> => {
    const client = new Client(config);
    const lost = Promise.withResolvers<void>();
    client.on('error', () => lost.resolve());
    client.on('end', () => lost.resolve());
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    // A connection that only listens would never notice that the network has dropped it.
    const ask = (): void =>
      void client
        .query(Object.assign({ text: 'select 1' }, { query_timeout: askMilliseconds }))
        .catch(() => lost.resolve());
    let asking: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`listen ${escapeIdentifier(channel)}`);
      onListening();
      ready.resolve();
      asking = setInterval(ask, askMilliseconds);
      await Promise.race([lost.promise, closed]);
      if (!closing.signal.aborted) onLost?.();
    } finally {
      clearInterval(asking);
      await Promise.race([client.end().catch(() => {}), delay(endMilliseconds, undefined, { ref: false })]);
    }
  };

  const pause = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pauseMilliseconds);
    return Promise.race([promise, closed]).finally(() => clearTimeout(timer));
  };

  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      // Connecting may succeed later. Until then, work is found by polling. One connection after the other.
      await listenOnce().catch(() => {});
      if (!closing.signal.aborted) await pause();
    }
  };

  const looping = loop();
  return {
    ready: ready.promise,
    close: async () => {
      closing.abort();
      ready.resolve();
      await looping;
    },
  };
}

/** Sends messages to the listeners of a channel, once the transaction is committed. */
export const notify = async (
  queries: QueryExecutorProvider,
  channel: string,
  messages: readonly string[],
): Promise<void> =>
  void (await sql`select pg_notify(${channel}, message) from unnest(${messages}::text[]) as message`.execute(queries));
