import type { IncomingMessage } from 'node:http';
import { rpcErrorCodes, errorResponse } from './error-response.ts';
import { decodedText } from '../../contract/index.ts';
import { isRecord } from '../../server/json/index.ts';
import { readJsonText } from '../read-json.ts';

/** The members of a JSON-RPC request that the host reads. */
export interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  /** The tool name of a tool call. */
  readonly name?: string;
}

const requestIn = (message: unknown): RpcRequest | undefined => {
  if (!isRecord(message)) return undefined;
  const { id, method, params } = message;
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const name = isRecord(params) ? params['name'] : undefined;
  return { id, method, name: typeof name === 'string' ? name : undefined };
};

/** The requests in a body: one message, or a batch from the oldest clients. Responses and notifications don't count. */
export const requestsIn = (body: unknown): readonly RpcRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => requestIn(message) ?? []);

/** Whether a body opens a long-lived stream. A batch never does: its other requests would run without a slot. */
export const opensStream = (body: unknown): boolean => requestIn(body)?.method === 'subscriptions/listen';

const unparsable = (fault: string): Response =>
  errorResponse({ status: 400, code: rpcErrorCodes.parse, message: `Parse error: the request body ${fault}.` });

const tooLarge = (most: number): Response =>
  // The rest of the body is still arriving, so the connection can't be reused.
  errorResponse({
    status: 413,
    message: `The request body is larger than ${most} bytes.`,
    headers: { Connection: 'close' },
  });

/**
 * Reads and discards the rest of a body. If the connection were closed while data arrives, the response would be lost.
 * @param most maximum number of bytes to read.
 */
export async function discardBody(request: IncomingMessage, most: number): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) return;
    }
  } catch {
    // The client disconnected: it doesn't need the response.
  }
}

/**
 * Reads a body by its events: to iterate over a stream takes several times as long, and most bodies have one chunk.
 * @returns undefined if it is larger than `most` bytes; the rest is not read, because the response is still to be sent.
 * @throws an error if the client disconnects before
 */
const readBytes = (request: IncomingMessage, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const disconnected = (error: Error = new Error('the client disconnected')): void => {
      stop();
      reject(error);
    };
    const ended = (): void => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const read = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= most) return;
      stop();
      request.pause();
      resolve(undefined);
    };
    const closed = (): void => disconnected();
    const stop = (): void => {
      request.off('data', read).off('end', ended).off('error', disconnected).off('close', closed);
    };
    if (request.destroyed) return disconnected(request.errored ?? undefined);
    request.on('error', disconnected).on('close', closed).on('end', ended).on('data', read);
  });

/**
 * Reads a request's body as text, without a byte order mark.
 * @param most maximum size in bytes.
 * @returns a 413 response for a larger body, and a 400 response for one in UTF-16.
 */
export async function readText(request: IncomingMessage, most: number): Promise<string | Response> {
  if (Number(request.headers['content-length']) > most) return tooLarge(most);
  const bytes = await readBytes(request, most);
  if (bytes === undefined) return tooLarge(most);
  try {
    return decodedText(bytes);
  } catch {
    return unparsable('is UTF-16; send it as UTF-8');
  }
}

/** Reads a request's body as JSON. @returns the parsed value, or the response that rejects the body. */
export async function readJson(
  request: IncomingMessage,
  most: number,
): Promise<{ readonly value: unknown } | Response> {
  const text = await readText(request, most);
  if (text instanceof Response) return text;
  try {
    return { value: readJsonText(text) };
  } catch {
    return unparsable('is not valid JSON');
  }
}
