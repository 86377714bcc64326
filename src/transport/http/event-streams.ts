/** Whether an answer is an event stream, which may stay open for long. */
export const isEventStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** A message as one event of a stream. */
export const eventOf = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const withBody = (response: Response, body: ReadableStream<Uint8Array>): Response =>
  new Response(body, { status: response.status, headers: response.headers });

/**
 * Holds an event stream back until its first event, so that its status can still be chosen by what the call came
 * to. Comments that keep the connection alive count as events.
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

/** What happens around a stream that is passed on. */
export interface RelayOptions {
  /** Ends the stream early. Not shared with other streams: it keeps a listener. */
  readonly closeSignal: AbortSignal;
  /** What a stream that is cut off still says. */
  readonly finalEvent?: string;
  /** Whether the stream is read to its end after its reader left, because work goes on behind it. */
  readonly drainAfterDisconnect: boolean;
  /** Runs once nothing comes any more. */
  readonly onEnd: () => void;
}

/** Passes an event stream on under supervision. Any other answer has ended already. */
export function relayEventStream(response: Response, { closeSignal: cutOff, finalEvent: lastWords, drainAfterDisconnect: finish, onEnd: ended }: RelayOptions): Response {
  if (!response.body || !isEventStream(response)) {
    ended();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let over = false;

  const drop = (): void => void reader.cancel().catch(() => undefined).finally(ended);

  const readOn = async (): Promise<void> => {
    try {
      while (!(await reader.read()).done);
    } finally {
      ended();
    }
  };

  return withBody(response, new ReadableStream({
    start(controller) {
      cutOff.addEventListener('abort', () => {
        if (!over && lastWords !== undefined) controller.enqueue(new TextEncoder().encode(lastWords));
        if (!over) controller.close();
        over = true;
        drop();
      }, { once: true });
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (over) return;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        if (!over) controller.error(error);
      }
      over = true;
      ended();
    },
    cancel() {
      over = true;
      if (finish) void readOn().catch(() => undefined);
      else drop();
    },
  }, { highWaterMark: 0 }));
}
