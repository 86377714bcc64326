import type { IncomingMessage } from 'node:http';
import { rpcErrorCodes, errorResponse } from './error-response.ts';

const tooLarge = (most: number): Response =>
  // The rest of the body is still on its way: the connection can't be used again.
  errorResponse({ status: 413, message: `The request body is larger than ${most} bytes.`, headers: { Connection: 'close' } });

/** Lets the rest of a body arrive: closing a connection on which something still arrives would lose the answer. @param most bytes to wait for. */
export async function discardBody(request: IncomingMessage, most: number): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) return;
    }
  } catch {
    // The client left: nobody waits for the answer.
  }
}

/** Reads a request's body as text. @param most largest body in bytes. @returns the answer that refuses a larger one. */
export async function readText(request: IncomingMessage, most: number): Promise<string | Response> {
  if (Number(request.headers['content-length']) > most) return tooLarge(most);
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not close the connection: the answer still has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The same as JSON. @returns the parsed value, or the answer that says why there is none. */
export async function readJson(request: IncomingMessage, most: number): Promise<{ readonly value: unknown } | Response> {
  const text = await readText(request, most);
  if (text instanceof Response) return text;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return errorResponse({ status: 400, code: rpcErrorCodes.parse, message: 'Parse error: the request body is not valid JSON.' });
  }
}
