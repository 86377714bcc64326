import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isEventStream } from './event-streams.ts';
import type { HttpRequest } from './http-request.ts';

/** One HTTP request and the context of its handling. */
export interface HttpExchange {
  /** Without the body: see `incoming`. */
  readonly request: HttpRequest;
  readonly url: URL;
  readonly incoming: IncomingMessage;
  /** The client's address, as returned by `clientAddress`. */
  readonly address: string;
  /** Identifies the request in logs, to the client and to the platform. */
  readonly requestId: string;
  /** Adds fields to the log entry of the request. */
  readonly addLogFields: (fields: object) => void;
  /** Aborts when the drain time of the host has passed. */
  readonly forceClose: AbortSignal;
  /** Whether the host was asked to stop. It still accepts requests for a while. */
  readonly isStopping: boolean;
  /** Aborts when the host starts to shut down. */
  readonly draining: AbortSignal;
}

/** Handles one exchange. */
export type HttpHandler = (exchange: HttpExchange) => Promise<HttpReply>;

const safeRequestId = /^[\w.-]{1,64}$/;

/** The client's X-Request-Id if it is safe in a log and a header; otherwise a new id. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID();
};

/**
 * Parses the request target and keeps the path as it was sent. URL parsing would turn `/mcp/%2e%2e/approvals` into
 * `/approvals`, which a proxy in front would not have recognised. An absolute target keeps only its path: the host
 * never comes from the request.
 */
export function requestTarget({ url = '/' }: IncomingMessage): { readonly path: string; readonly url: URL } {
  const target = url.replace(/^https?:\/\/[^/?#\\]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const base = new URL('http://localhost');
  // Assigned separately, so that neither can change another part of the URL.
  base.pathname = path;
  base.search = at < 0 ? '' : target.slice(at);
  return { path, url: base };
}

/** A JSON answer whose text is ready, with the headers of a response. */
interface JsonReply extends Pick<Response, 'status' | 'headers'> {
  readonly json: string;
}

/** What a handler answers with. */
export type HttpReply = Response | JsonReply;

/** Sends a response. A disconnect of the client is not an error. */
export async function sendResponse(answer: HttpReply, response: ServerResponse): Promise<void> {
  // The MCP library must not decide whether the connection stays open: the client may have asked to close it.
  if (answer.headers.get('connection') === 'keep-alive') answer.headers.delete('connection');
  const headers = Object.fromEntries(answer.headers);
  if (!(answer instanceof Response)) {
    const body = Buffer.from(answer.json);
    response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  if (!answer.body || response.req.method === 'HEAD') {
    response.writeHead(answer.status, headers).end();
    return;
  }
  if (!isEventStream(answer)) {
    // One packet, with its length: in chunks it would take three.
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, headers).flushHeaders();
  // Ends the source when the client disconnects, and applies backpressure.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
}
