import { isJsonContentType } from '@modelcontextprotocol/server';

/** Whether a response is an event stream. */
export const isEventStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true;

// An escaped backslash, or the escape of half a surrogate pair: whole characters are not written as escapes.
const escapedHalf = /\\(?:\\|ud[89a-f][0-9a-f]{2})/gi;

/**
 * Replaces lone surrogates with U+FFFD in a JSON response. Those in event streams were replaced when they were sent;
 * the MCP library also creates responses itself, which repeat the request.
 */
export async function inWholeCharacters(response: Response): Promise<Response> {
  if (!response.body || !isJsonContentType(response.headers.get('content-type'))) return response;
  const json = await response.text();
  return new Response(
    json.replaceAll(escapedHalf, (escape) => (escape === '\\\\' ? escape : '\uFFFD')),
    { status: response.status, headers: response.headers },
  );
}

/** Encodes a message as one server-sent event. */
export const eventOf = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const withBody = (response: Response, body: ReadableStream<Uint8Array>): Response =>
  new Response(body, { status: response.status, headers: response.headers });

/**
 * Holds an event stream back until its first event, so that the HTTP status can still depend on the call's outcome.
 * Keep-alive comments count as events.
 */
export async function holdUntilFirstEvent(response: Response): Promise<Response> {
  if (!response.body || !isEventStream(response)) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let first: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read();
  return withBody(
    response,
    new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = first ?? (await reader.read());
          first = undefined;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    ),
  );
}

/** Options of `relayEventStream`. */
export interface RelayOptions {
  /** Ends the stream early. Must not be shared with other streams, because the listener is not removed. */
  readonly closeSignal: AbortSignal;
  /** The last event of a stream that ends early. */
  readonly finalEvent?: string;
  /** Whether to read the source to its end after the client disconnected, because the call continues. */
  readonly drainAfterDisconnect: boolean;
  /**
   * How many bytes a client may leave unread before its stream ends. If set, the source is read as data arrives.
   * Otherwise it is read only as fast as the client reads, which suits short streams whose end must arrive.
   */
  readonly mostUnread?: number | undefined;
  /** Called once the source has ended. */
  readonly onEnd: () => void;
}

/** Maximum number of unread bytes on a stream without an end: many times what a client that is merely slow needs. */
export const mostUnread = 256 * 1024;

/** Relays an event stream to the client. Returns any other response as it is and calls `onEnd` at once. */
export function relayEventStream(
  response: Response,
  { closeSignal, finalEvent, drainAfterDisconnect, mostUnread: most, onEnd }: RelayOptions,
): Response {
  if (!response.body || !isEventStream(response)) {
    onEnd();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let isClosed = false;

  const cancelSource = (): void =>
    void reader
      .cancel()
      .catch(() => undefined)
      .finally(onEnd);

  const drain = async (): Promise<void> => {
    try {
      while (!(await reader.read()).done);
    } finally {
      onEnd();
    }
  };

  const relayNext = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (isClosed) return;
      if (!done) return controller.enqueue(value);
      controller.close();
    } catch (error) {
      if (!isClosed) controller.error(error);
    }
    isClosed = true;
    onEnd();
  };

  const relayAll = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (!isClosed) {
      // A stream is read in order.
      await relayNext(controller);
      if (isClosed || (controller.desiredSize ?? 0) > 0) continue;
      isClosed = true;
      controller.error(new Error('the client does not read its stream'));
      cancelSource();
    }
  };

  return withBody(
    response,
    new ReadableStream<Uint8Array>(
      {
        start(controller) {
          if (most !== undefined) void relayAll(controller);
          closeSignal.addEventListener(
            'abort',
            () => {
              if (!isClosed && finalEvent !== undefined) controller.enqueue(new TextEncoder().encode(finalEvent));
              if (!isClosed) controller.close();
              isClosed = true;
              cancelSource();
            },
            { once: true },
          );
        },
        ...(most === undefined && { pull: relayNext }),
        cancel() {
          isClosed = true;
          if (drainAfterDisconnect) void drain().catch(() => undefined);
          else cancelSource();
        },
      },
      most === undefined ? { highWaterMark: 0 } : new ByteLengthQueuingStrategy({ highWaterMark: most }),
    ),
  );
}
