import { type Proxy, proxyFor } from './proxies.ts';

/** A proxy can't be reached, or refuses a connection. The message names it, without its user name and password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'ERR_PROXY';
  /** The address of the proxy, without user name and password. */
  readonly proxy: string;
  /** The variable that names it. */
  readonly variable: string;
  /** What happened, without the name of the proxy. */
  readonly reason: string;
  /** Whether another attempt may succeed. */
  readonly transient: boolean;

  constructor(
    { address, variable }: Proxy,
    { reason, transient, cause }: { readonly reason: string; readonly transient: boolean; readonly cause?: unknown },
  ) {
    super(`the proxy ${address} (${variable}): ${reason}`, { cause });
    this.proxy = address;
    this.variable = variable;
    this.reason = reason;
    this.transient = transient;
  }
}

interface Explanation {
  readonly reason: string;
  readonly transient: boolean;
}

// With a proxy, these can only be about the connection to it: no other is opened from here.
const explanations: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: { reason: 'nothing listens there', transient: true },
  ENOTFOUND: { reason: 'its host name does not exist', transient: false },
  EAI_AGAIN: { reason: 'its host name could not be looked up', transient: true },
  EHOSTUNREACH: { reason: 'there is no route to it', transient: true },
  ENETUNREACH: { reason: 'there is no route to it', transient: true },
  ETIMEDOUT: { reason: 'it did not answer in time', transient: true },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'it did not answer in time', transient: true },
  UND_ERR_PRX_CONN: { reason: 'it closed the connection', transient: true },
  UND_ERR_PRX_TLS: { reason: 'its TLS certificate is not acceptable', transient: false },
};

/**
 * The failure of the proxy that an error is about; undefined if it is about something else.
 * @param error of the network or of undici
 * @param origin that the request was for
 */
export function proxyErrorOf(error: unknown, origin: URL | string): ProxyError | undefined {
  if (error instanceof ProxyError) return error;
  const { code, message, hostname } = (error ?? {}) as Readonly<Record<'code' | 'message' | 'hostname', unknown>>;
  const explanation = String(message).startsWith('Proxy Authentication Required')
    ? asksForCredentials
    : explanations[String(code)];
  if (explanation === undefined) return undefined;
  const proxy = proxyFor(origin);
  // The name that was looked up may be the other server's, before the proxy is used.
  if (proxy && typeof hostname === 'string' && hostname !== new URL(proxy.url).hostname) return undefined;
  return proxy && new ProxyError(proxy, { ...explanation, cause: error });
}

const asksForCredentials: Explanation = {
  reason: 'it asks for a user name and a password, or refuses those it was given (HTTP 407)',
  transient: false,
};

/** The failure of a proxy that refuses to connect to a host. @param status of its response */
export const refusedTunnel = (proxy: Proxy, to: string, status: number): ProxyError =>
  new ProxyError(
    proxy,
    status === 407
      ? asksForCredentials
      : { reason: `it does not connect to ${to} (HTTP ${status})`, transient: status >= 500 },
  );
