import type { Method } from '../contract/index.ts';
import { createConnections, proxyFor, readBody, UnreadableEncoding } from '../outgoing/index.ts';
import type { BaseUrl } from './base-url.ts';
import {
  closedFault,
  transportFaultOf,
  isTooLarge,
  redirectFault,
  redirectLoop,
  type TransportFault,
} from './transport-fault.ts';
import { maximumConnections, maximumRedirects, type Timeouts } from './limits.ts';

/** Headers by their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A request to send. `target` is path and query, relative to the base URL. */
export interface OutgoingRequest {
  readonly method: Method;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response as received, not interpreted. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Why the text of an error response is lost; continues a sentence. */
  readonly unreadable?: string;
}

/** The outcome of one attempt: a response, or why there is none. */
export type SendOutcome =
  | { readonly response: RawResponse; readonly fault?: undefined }
  | { readonly fault: TransportFault; readonly response?: undefined };

export interface Transport {
  /**
   * Sends one request. Follows only redirects of reads within the origin: credentials never reach another origin. Never
   * throws.
   */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** The target path of a redirect, or a fault if it may not be followed; undefined if the response is no redirect. */
const nextHop = (
  base: BaseUrl,
  { method }: OutgoingRequest,
  path: string,
  { status, headers }: RawResponse,
): string | TransportFault | undefined => {
  const location = headers['location'];
  if (status < 300 || status > 399 || typeof location !== 'string') return undefined;
  const url = URL.parse(location, base.origin + path);
  const follow = method === 'GET' && url?.origin === base.origin && !url.username && !url.password;
  return follow ? url.pathname + url.search : redirectFault(base.origin, url);
};

/** Creates the connection pool to one platform. `maximumBytes` limits each response body. */
export function createTransport(base: BaseUrl, timeouts: Timeouts, maximumBytes: number): Transport {
  const connections = createConnections({
    connectTimeout: timeouts.connect,
    connections: maximumConnections,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    maxResponseSize: maximumBytes,
  });
  const through = proxyFor(base.origin)?.address;
  let closed = false;

  const exchange = async (
    { method, headers, body }: OutgoingRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<RawResponse> => {
    const response = await connections.request({ origin: base.origin, path, method, headers, body, signal });
    const { statusCode: status, headers: received } = response;
    const answer = await readBody(response, maximumBytes).then(
      (text) => ({ text }),
      (error: unknown) => {
        // The text of an error response may be lost, its status may not.
        if (status >= 400 && isTooLarge(error)) return { text: '' };
        if (status >= 400 && error instanceof UnreadableEncoding) return { text: '', unreadable: error.message };
        throw error;
      },
    );
    return { status, headers: received, ...answer };
  };

  const send = async (request: OutgoingRequest, signal: AbortSignal): Promise<SendOutcome> => {
    if (closed) return { fault: closedFault };
    let path = base.prefix + request.target;
    try {
      for (let hops = 0; ; hops += 1) {
        const response = await exchange(request, path, signal);
        const hop = nextHop(base, request, path, response);
        if (hop === undefined) return { response };
        if (typeof hop !== 'string') return { fault: hop };
        if (hops === maximumRedirects) return { fault: redirectLoop(base.origin) };
        path = hop;
      }
    } catch (error) {
      return { fault: transportFaultOf(error, base.origin, through) };
    }
  };

  return {
    send,
    close: async () => {
      closed = true;
      await connections.close();
    },
  };
}
