import type { IncomingMessage } from 'node:http';

/** The headers of a request, as those of the web's `Request` are read. */
interface RequestHeaders {
  /** The value of a header, several of the same name joined by commas; null if there is none. */
  readonly get: (name: string) => string | null;
  readonly has: (name: string) => boolean;
}

/**
 * Method, address and headers of a request: what is read of the web's `Request`, which takes longer to make than
 * everything else that is done with them.
 */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

function headersOf({ headers: given }: IncomingMessage): RequestHeaders {
  const get = (name: string): string | null => {
    const lower = name.toLowerCase();
    const value = Object.hasOwn(given, lower) ? given[lower] : undefined;
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
  };
  return { get, has: (name) => get(name) !== null };
}

/** A Node request as handlers read it. */
export const requestOf = (incoming: IncomingMessage, url: URL, signal: AbortSignal): HttpRequest => ({
  method: incoming.method ?? 'GET',
  url: url.href,
  headers: headersOf(incoming),
  signal,
});

/** The same request with another value of a header. @param name in lower case */
export const withHeader = (request: HttpRequest, name: string, value: string): HttpRequest => {
  const isIt = (asked: string): boolean => asked.toLowerCase() === name;
  const { headers } = request;
  return {
    ...request,
    headers: {
      get: (asked) => (isIt(asked) ? value : headers.get(asked)),
      has: (asked) => isIt(asked) || headers.has(asked),
    },
  };
};

/** A request as the MCP library takes it, which reads nothing else of one whose body it is given parsed. */
export const asWebRequest = (request: HttpRequest): Request => request as unknown as Request;
