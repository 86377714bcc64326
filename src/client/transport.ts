import type { Agent } from 'undici';
import type { Method } from '../contract/operation.ts';
import type { BaseUrl } from './base-url.ts';
import { closedFault, transportFaultOf, isTooLarge, redirectFault, redirectLoop, type TransportFault } from './transport-fault.ts';
import { maximumConnections, maximumRedirects, type Timeouts } from './limits.ts';

/** Header members by their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A request as it goes out; `target` is path and query below the base address. */
export interface OutgoingRequest {
  readonly method: Method;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a server answered, whatever it means. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What came of one attempt: an answer, or the reason there is none. */
export type SendOutcome =
  | { readonly response: RawResponse; readonly fault?: undefined }
  | { readonly fault: TransportFault; readonly response?: undefined };

export interface Transport {
  /** Sends one request. Follows redirects of reads within the origin, no others: credentials never reach another. Never throws. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

/** Where a redirect leads, when it may be followed. */
const nextHop = (base: BaseUrl, { method }: OutgoingRequest, path: string, { status, headers }: RawResponse): string | TransportFault | undefined => {
  const location = headers['location'];
  if (status < 300 || status > 399 || typeof location !== 'string') return undefined;
  const url = URL.parse(location, base.origin + path);
  const follow = method === 'GET' && url?.origin === base.origin && !url.username && !url.password;
  return follow ? url.pathname + url.search : redirectFault(base.origin, url);
};

/** The connections to one platform. `maximumBytes` bounds each answer's body. */
export function createTransport(base: BaseUrl, timeouts: Timeouts, maximumBytes: number): Transport {
  let opening: Promise<Agent> | undefined;
  let closed = false;

  // Loaded with the first call: it is large, and many a session makes none.
  const open = async (): Promise<Agent> => {
    const { Agent } = await import('undici');
    return new Agent({
      connections: maximumConnections,
      // One protocol, one way to fail.
      allowH2: false,
      connect: { timeout: timeouts.connect },
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.body,
      maxResponseSize: maximumBytes,
    });
  };

  const exchange = async ({ method, headers, body }: OutgoingRequest, path: string, signal: AbortSignal): Promise<RawResponse> => {
    const agent = await (opening ??= open());
    const answer = await agent.request({ origin: base.origin, path, method, headers, body, signal });
    const text = await answer.body.text().catch((error: unknown) => {
      // What an error says may be lost, that it is one may not.
      if (answer.statusCode >= 400 && isTooLarge(error)) return '';
      throw error;
    });
    return { status: answer.statusCode, headers: answer.headers, text };
  };

  const send = async (request: OutgoingRequest, signal: AbortSignal): Promise<SendOutcome> => {
    if (closed) return { fault: closedFault };
    let path = base.prefix + request.target;
    try {
      for (let hops = 0; ; hops += 1) {
        // oxlint-disable-next-line no-await-in-loop
        const answer = await exchange(request, path, signal);
        const hop = nextHop(base, request, path, answer);
        if (hop === undefined) return { response: answer };
        if (typeof hop !== 'string') return { fault: hop };
        if (hops === maximumRedirects) return { fault: redirectLoop(base.origin) };
        path = hop;
      }
    } catch (error) {
      return { fault: transportFaultOf(error, base.origin) };
    }
  };

  return {
    send,
    close: async () => {
      closed = true;
      await (await opening)?.destroy();
    },
  };
}
