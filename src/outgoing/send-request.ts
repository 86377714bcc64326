import { readBody } from './body.ts';
import { createConnections, type OutgoingRequest } from './connections.ts';

const connectTimeout = 10_000;

/** A response. */
interface Answer {
  readonly status: number;
  /** Whether the status is one of success. */
  readonly ok: boolean;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, decoded; empty unless it was to be read. */
  readonly text: string;
}

/**
 * Sends a single request over a connection of its own, and follows no redirect.
 * @param limit the maximum size of the body in bytes; default: it isn't read
 * @throws ProxyError, UnreadableEncoding, BodyTooLarge, or an error of the network or of the signal
 */
export async function sendRequest(
  url: URL | string,
  {
    limit,
    ...request
  }: Pick<OutgoingRequest, 'headers' | 'body' | 'signal'> & {
    readonly method?: OutgoingRequest['method'];
    readonly limit?: number;
  },
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const connections = createConnections({ connectTimeout });
  try {
    const response = await connections.request({ method: 'GET', ...request, origin, path: pathname + search });
    const text = limit === undefined ? '' : await readBody(response, limit);
    if (limit === undefined) response.body.on('error', () => undefined).destroy();
    const { statusCode: status, headers } = response;
    return { status, ok: status >= 200 && status < 300, headers, text };
  } finally {
    await connections.close();
  }
}
