import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** One request on its way to an answer. */
export interface Exchange {
  /** Method, address and headers. Its body is not here: see `incoming`. Aborts when the client leaves. */
  readonly request: Request;
  readonly url: URL;
  readonly incoming: IncomingMessage;
  /** Names the request in logs, to the client, and to the platform. */
  readonly requestId: string;
  /** Adds to what the log says of it. */
  readonly note: (fields: object) => void;
  /** Aborts when the host stops and doesn't wait any longer. */
  readonly cutOff: AbortSignal;
  /** Aborts when the host begins to stop. */
  readonly draining: AbortSignal;
}

/** Gives the answer to one exchange. */
export type Handler = (exchange: Exchange) => Promise<Response>;

const harmlessId = /^[\w.-]{1,64}$/;

/** The id that the client gave its request, if it can stand in a log and a header; otherwise a new one. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && harmlessId.test(given) ? given : randomUUID();
};

/** Where a request goes. Its host is never taken from the request. */
export const urlOf = ({ url = '/' }: IncomingMessage): URL | undefined => URL.parse(url, 'http://localhost') ?? undefined;

/** A request without its body. */
export function headOf(incoming: IncomingMessage, url: URL, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return new Request(url, { method: incoming.method, headers, signal });
}

/** Sends an answer. A client that leaves ends it quietly. */
export async function send(answer: Response, response: ServerResponse): Promise<void> {
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
