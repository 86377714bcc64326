import type { IncomingMessage } from 'node:http';
import { refusal } from './error-response.ts';
import { isLoopback, type ListenAddress } from './listen-address.ts';
import type { HttpRequest } from './http-request.ts';

/** Which pages may use this server, and read its responses, in a browser. */
export interface CrossOrigin {
  /** Whether pages of an origin may, by the Origin header. */
  readonly accepts: (origin: string) => boolean;
  /** Paths that only this server's own pages may read, and all below them. */
  readonly ownPages: readonly string[];
}

/**
 * An origin in the form in which browsers send it; undefined if the text is none. Extensions have schemes of their own.
 */
const normalOrigin = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url && url.hostname !== '' ? url : undefined;
};

const originText = ({ protocol, host }: URL): string => `${protocol}//${host}`;

const isOfThisMachine = ({ protocol, hostname }: URL): boolean => /^https?:$/.test(protocol) && isLoopback(hostname);

/** Accepts the origin of the public URL, the configured ones, and those of this machine with any port. */
export function acceptedOrigins({ publicUrl, allowedOrigins }: ListenAddress): CrossOrigin['accepts'] {
  const known = new Set([...(publicUrl ? [publicUrl.origin] : []), ...allowedOrigins]);
  return (text) => {
    const origin = normalOrigin(text);
    return origin !== undefined && (isOfThisMachine(origin) || known.has(originText(origin)));
  };
}

/** The response to a request from a page that may not send any; undefined for all others. */
export function rejectOrigin({ headers }: HttpRequest, accepts: CrossOrigin['accepts']): Response | undefined {
  const origin = headers.get('origin') ?? '';
  if (origin === '' || accepts(origin)) return undefined;
  return refusal(
    `Pages of ${normalOrigin(origin)?.hostname ?? 'this origin'} may not use this server. If they should, its operator adds their origin, such as https://app.example.com, to INFRA_HTTP_ALLOWED_ORIGINS (--allowed-origins).`,
  );
}

/** Request headers that MCP clients send, and those of this server. */
const requestHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Traceparent',
  'Tracestate',
  'X-Infra-Api-Token',
  'X-Infra-Read-Only',
  'X-Infra-Toolsets',
  'X-Request-Id',
].join(', ');

/** Response headers that a client needs to continue a session, to sign in, and to repeat a request. */
const exposedHeaders = [
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/**
 * How long a browser may remember the response to a preflight request, in seconds. The origin is checked every time.
 */
const preflightAge = 7200;

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** The origin of the page that sent a request, if it may read the response. */
const readerOf = ({ headers: { origin } }: IncomingMessage, path: string, access: CrossOrigin): string | undefined =>
  origin !== undefined && !access.ownPages.some((own) => isBelow(path, own)) && access.accepts(origin)
    ? origin
    : undefined;

/**
 * The response to a browser that asks whether a page may send a request; undefined for all other requests. It is the
 * same for every path, so that the page can read why a request failed.
 */
export const answerPreflight = (incoming: IncomingMessage, path: string, access: CrossOrigin): Response | undefined =>
  incoming.method === 'OPTIONS' && readerOf(incoming, path, access) !== undefined
    ? new Response(null, {
        status: 204,
        headers: {
          'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
          'Access-Control-Allow-Headers': requestHeaders,
          'Access-Control-Max-Age': String(preflightAge),
        },
      })
    : undefined;

/**
 * Lets the page that sent a request read the response, if its origin is accepted. Removes permissions that a library
 * has given to every origin. Pages never get cookies sent along.
 */
export function permitReading(
  incoming: IncomingMessage,
  path: string,
  access: CrossOrigin,
  { headers }: Pick<Response, 'headers'>,
): void {
  headers.delete('Access-Control-Allow-Origin');
  headers.append('Vary', 'Origin');
  const origin = readerOf(incoming, path, access);
  if (origin === undefined) {
    for (const name of ['Methods', 'Headers']) headers.delete(`Access-Control-Allow-${name}`);
    return;
  }
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', exposedHeaders);
}
