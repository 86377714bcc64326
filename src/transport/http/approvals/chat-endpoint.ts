import { readText } from '../request-body.ts';
import type { HttpHandler } from '../exchange.ts';
import { approvalsPath } from './page-frame.ts';

/** Path of the endpoint that takes decisions from a chat. */
export const chatPath = `${approvalsPath}/chat`;

/** Maximum size of a request from a chat, in bytes. */
const maxBytes = 64 * 1024;

/** Handles a request that claims to come from a chat. */
export type ReceiveFromChat = (request: {
  readonly headers: Headers;
  readonly body: string;
}) => Promise<{ readonly status: number; readonly result: string; readonly text: string }>;

/** The endpoint of a chat. Its requests prove by a signature where they come from; nobody signs in. */
export const chatEndpoint =
  (receive: ReceiveFromChat, rejectUnknownHost: (request: Request) => Response | undefined): HttpHandler =>
  async ({ request, incoming, addLogFields }) => {
    const unknown = rejectUnknownHost(request);
    if (unknown) return unknown;
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const body = await readText(incoming, maxBytes);
    if (body instanceof Response) return body;
    const { status, result, text } = await receive({ headers: request.headers, body });
    addLogFields({ chat: result });
    return Response.json({ result, text }, { status, headers: { 'Cache-Control': 'no-store' } });
  };
