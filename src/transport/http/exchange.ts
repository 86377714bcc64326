import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** One request on its way to an answer. */
export interface HttpExchange {
  /** Method, address and headers. Its body is not here: see `incoming`. Aborts when the client leaves. */
  readonly request: Request;
  readonly url: URL;
  readonly incoming: IncomingMessage;
  /** Where it comes from, as `addressOf` names it. */
  readonly address: string;
  /** Names the request in logs, to the client, and to the platform. */
  readonly requestId: string;
  /** Adds to what the log says of it. */
  readonly addLogFields: (fields: object) => void;
  /** Aborts when the host stops and doesn't wait any longer. */
  readonly forceClose: AbortSignal;
  /** Aborts when the host begins to stop. */
  readonly draining: AbortSignal;
}

/** Gives the answer to one exchange. */
export type HttpHandler = (exchange: HttpExchange) => Promise<Response>;

const safeRequestId = /^[\w.-]{1,64}$/;

/** The id that the client gave its request, if it can stand in a log and a header; otherwise a new one. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID();
};

/**
 * Where a request goes, with its path as it was sent: read as a URL, `/mcp/%2e%2e/approvals` would be `/approvals`, which a proxy
 * in front has not seen it to be. A target with an authority keeps its path only: the host is never taken from the request.
 */
export function requestTarget({ url = '/' }: IncomingMessage): { readonly path: string; readonly url: URL } {
  const target = url.replace(/^https?:\/\/[^/?#\\]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const base = new URL('http://localhost');
  // Assigned one by one: nothing in them can become another part of the address.
  base.pathname = path;
  base.search = at < 0 ? '' : target.slice(at);
  return { path, url: base };
}

/** A request without its body. */
export function toWebRequest(incoming: IncomingMessage, url: URL, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return new Request(url, { method: incoming.method, headers, signal });
}

/** Sends an answer. A client that leaves ends it quietly. */
export async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  // Whether the connection stays isn't the MCP library's to say: the client may have asked to close it.
  if (answer.headers.get('connection') === 'keep-alive') answer.headers.delete('connection');
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body || response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  // Ends the source when the client leaves, and waits when it reads slowly.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
}
