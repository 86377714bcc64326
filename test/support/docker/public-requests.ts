import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a request goes, and which host it asks for. */
interface PublicRequest {
  readonly host: string;
  /** The machine that is asked; default: this one. */
  readonly address?: string;
  readonly port: number;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  /** Whether to speak TLS. */
  readonly isSecure?: boolean;
  /** The certificate, in PEM format, of the only one who may have signed the server's; default: that doesn't matter. */
  readonly authority?: string;
  /** How long to wait for the answer; default: 15 seconds. */
  readonly timeoutMilliseconds?: number;
}

/** An answer of the proxy or of what is behind it. */
export interface PublicAnswered {
  readonly status: number;
  readonly text: string;
  /** Where else to ask. */
  readonly location?: string;
}

/** Sends one request over a connection of its own, as a browser would that looked the host up. */
export function askProxy({
  host,
  address = '127.0.0.1',
  port,
  path,
  method = 'GET',
  isSecure = false,
  authority,
  timeoutMilliseconds = 15_000,
}: PublicRequest): Promise<PublicAnswered> {
  const { promise, resolve, reject } = Promise.withResolvers<PublicAnswered>();
  const send = isSecure ? requestSecurely : request;
  const sent = send(
    {
      host: address,
      port,
      path,
      method,
      headers: { host },
      agent: false,
      timeout: timeoutMilliseconds,
      servername: host,
      rejectUnauthorized: authority !== undefined,
      ca: authority,
    },
    (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () =>
          resolve({
            status: response.statusCode!,
            text,
            ...(response.headers.location !== undefined && { location: response.headers.location }),
          }),
        )
        .on('error', reject);
    },
  );
  sent
    .on('timeout', () => sent.destroy(new Error('no answer in time')))
    .on('error', reject)
    .end(method === 'POST' ? 'x=1' : undefined);
  return promise;
}

/** Requests that go on until they are ended. */
interface Asking {
  /** Sends no more, and waits for those under way. */
  end(): Promise<{
    readonly sent: number;
    readonly seconds: number;
    readonly failures: readonly string[];
    readonly texts: readonly string[];
  }>;
}

const perSecond = 50;

/**
 * How many requests are under way at once: as many as wait in the queue of the server of test pages. The proxy passes
 * over one that takes no connection, and can't send a body again.
 */
const atOnce = 8;

/**
 * Sends fifty requests a second, GET and POST in turn, and counts those that anything but a 200 came of. `texts` are
 * the different answers, in the order in which they first came. A busy machine sends fewer.
 */
export function keepAsking(where: Omit<PublicRequest, 'method'>): Asking {
  const began = performance.now();
  const failures: string[] = [];
  const texts = new Set<string>();
  const pending = new Set<Promise<void>>();
  let sent = 0;
  const ending = new AbortController();

  const one = async (method: 'GET' | 'POST'): Promise<void> => {
    const at = ((performance.now() - began) / 1000).toFixed(2);
    try {
      const { status, text } = await askProxy({ ...where, method });
      if (status === 200) texts.add(text);
      else failures.push(`${at} s: ${method} ${status} ${text}`);
    } catch (error) {
      failures.push(`${at} s: ${method} ${String(error)}`);
    }
  };

  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const asked = one(sent % 2 === 0 ? 'GET' : 'POST').finally(() => pending.delete(asked));
      pending.add(asked);
      sent += 1;
      // Those that a busy machine is late with are made up for.
      await (pending.size < atOnce
        ? delay(Math.max(0, (sent * 1000) / perSecond - (performance.now() - began)))
        : Promise.race(pending));
    }
  };
  const looping = loop();

  return {
    end: async () => {
      ending.abort();
      await looping;
      await Promise.all(pending);
      return { sent, seconds: (performance.now() - began) / 1000, failures, texts: [...texts] };
    },
  };
}
