import { PassThrough, type Readable, type Writable } from 'node:stream';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE, type Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { rpcError } from './http/error-response.ts';
import { type MalformedMessage, type Message, readMessageLine, type ReadMessage, tooLongLine } from './message-line.ts';

/** Maximum length of a line, in bytes. */
export const maxLineLength = STDIO_DEFAULT_MAX_BUFFER_SIZE;

/**
 * Splits a stream of bytes into lines.
 * @returns a function that takes the next bytes and returns the messages of the lines that they complete.
 */
function createLineReader(): (chunk: Buffer) => readonly ReadMessage[] {
  let parts: Buffer[] = [];
  let length = 0;

  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxLineLength) parts.push(part);
    else parts = [];
  };
  const complete = (): readonly ReadMessage[] => {
    const read = length > maxLineLength ? [tooLongLine(maxLineLength)] : readMessageLine(Buffer.concat(parts));
    [parts, length] = [[], 0];
    return read;
  };
  return (chunk) => {
    const read: ReadMessage[] = [];
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      add(chunk.subarray(start, end));
      read.push(...complete());
      start = end + 1;
    }
    add(chunk.subarray(start));
    return read;
  };
}

/**
 * Tracks the server's requests that the client has not answered yet. Must be called with every message.
 * @returns `received` returns whether a message answers one of them. As in the library, a number and its digits are the
 *   same id.
 */
function createOpenRequests() {
  const open = new Set<string>();
  return {
    sent(message: Message): void {
      if (!('method' in message)) return;
      if ('id' in message) open.add(String(message.id));
      // A request that takes too long, or whose call has ended, is cancelled.
      else if (message.method === 'notifications/cancelled') open.delete(String(message.params?.['requestId']));
    },
    received: (message: Message): boolean => !('method' in message) && open.delete(String(message.id)),
  };
}

/**
 * A transport over two streams. The library's transport drops malformed messages, and closes at a line that is too
 * long; this one answers both with an error and continues.
 * @param onMalformed called with each malformed message. Returns false if it must not be answered.
 */
export function stdioTransport(
  onMalformed: (malformed: MalformedMessage) => boolean,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Transport {
  const received = new PassThrough();
  // The library's transport writes, and detects the end. Nothing is ever written to its input.
  const library: Transport = new StdioServerTransport(received, output);
  const read = createLineReader();
  const requests = createOpenRequests();
  let closed = false;

  const deliver = (one: ReadMessage): void => {
    // A message may have closed the transport while others of its line were waiting.
    if (closed) return;
    if ('message' in one) {
      requests.received(one.message);
      transport.onmessage?.(one.message);
      return;
    }
    const { code, id, reason, isAnswered, standIn } = one.malformed;
    // If no request waits, the library would report the stand-in as a second fault.
    if (standIn && requests.received(standIn)) transport.onmessage?.(standIn);
    if (!onMalformed(one.malformed) || !isAnswered) return;
    library
      .send(rpcError({ code, id, message: reason }) as Message)
      .catch((error: unknown) => transport.onerror?.(error as Error));
  };
  const onData = (chunk: Buffer): void => read(chunk).forEach(deliver);
  const onError = (error: Error): void => transport.onerror?.(error);
  const onEnd = (): void => void library.close();
  const onClosed = (): void => {
    closed = true;
    input.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd);
    if (input.listenerCount('data') === 0) input.pause();
    transport.onclose?.();
  };

  const transport: Transport = {
    start: async () => {
      Object.assign(library, { onerror: onError, onclose: onClosed });
      await library.start();
      if (input.readableEnded || input.destroyed) setImmediate(onEnd);
      input.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);
    },
    send: (message, options) => {
      requests.sent(message);
      return library.send(message, options);
    },
    close: () => library.close(),
  };
  return transport;
}
