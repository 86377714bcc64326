/** Whether a response is an event stream. */
export const isEventStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true;

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
  return withBody(response, new ReadableStream({
    async pull(controller) {
      const { done, value } = first ?? (await reader.read());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 }));
}

/** Options of `relayEventStream`. */
export interface RelayOptions {
  /** Ends the stream early. Must not be shared with other streams, because the listener is not removed. */
  readonly closeSignal: AbortSignal;
  /** The last event of a stream that ends early. */
  readonly finalEvent?: string;
  /** Whether to read the source to its end after the client disconnected, because the call continues. */
  readonly drainAfterDisconnect: boolean;
  /** Called once the source has ended. */
  readonly onEnd: () => void;
}

/** Relays an event stream to the client. Returns any other response as it is and calls `onEnd` at once. */
export function relayEventStream(response: Response, { closeSignal, finalEvent, drainAfterDisconnect, onEnd }: RelayOptions): Response {
  if (!response.body || !isEventStream(response)) {
    onEnd();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let isClosed = false;

  const cancelSource = (): void => void reader.cancel().catch(() => undefined).finally(onEnd);

  const drain = async (): Promise<void> => {
    try {
      while (!(await reader.read()).done);
    } finally {
      onEnd();
    }
  };

  return withBody(response, new ReadableStream({
    start(controller) {
      closeSignal.addEventListener('abort', () => {
        if (!isClosed && finalEvent !== undefined) controller.enqueue(new TextEncoder().encode(finalEvent));
        if (!isClosed) controller.close();
        isClosed = true;
        cancelSource();
      }, { once: true });
    },
    async pull(controller) {
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
    },
    cancel() {
      isClosed = true;
      if (drainAfterDisconnect) void drain().catch(() => undefined);
      else cancelSource();
    },
  }, { highWaterMark: 0 }));
}
