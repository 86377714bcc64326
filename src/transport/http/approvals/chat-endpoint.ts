import { readText } from '../request-body.ts';
import type { HttpHandler } from '../exchange.ts';
import { basePathOf } from '../mount.ts';
import { approvalsPath } from '../console/page-frame.ts';
import type { HttpRequest } from '../http-request.ts';

/** Path of the endpoint that takes decisions from a chat. */
export const chatPath = `${approvalsPath}/chat`;

/** The URL of that endpoint. @param endpoint the URL of the MCP endpoint as clients see it. */
export const chatUrlOf = (endpoint: URL): URL => new URL(`${basePathOf(endpoint)}${chatPath}`, endpoint);

/** Maximum size of a request from a chat, in bytes. */
const maxBytes = 64 * 1024;

/** Handles a request that claims to come from a chat. */
export type ReceiveFromChat = (request: { readonly headers: Pick<Headers, 'get'>; readonly body: string }) => Promise<{
  /** What came of it, for the log. */
  readonly result: string;
  readonly status: number;
  /** Sent as JSON. Without it, the response is empty. */
  readonly body?: object | undefined;
}>;

/** The endpoint of a chat. Its requests prove by a signature where they come from; nobody signs in. */
export const chatEndpoint =
  (receive: ReceiveFromChat, rejectUnknownHost: (request: HttpRequest) => Response | undefined): HttpHandler =>
  async ({ request, incoming, addLogFields }) => {
    const unknown = rejectUnknownHost(request);
    if (unknown) return unknown;
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const text = await readText(incoming, maxBytes);
    if (text instanceof Response) return text;
    const { status, result, body } = await receive({ headers: request.headers, body: text });
    addLogFields({ chat: result });
    const headers = { 'Cache-Control': 'no-store' };
    return body === undefined ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
  };
