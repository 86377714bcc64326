import { bytesBeyondCut, createMasker, maskBeginning } from '../../../contract/index.ts';
import { type Connections, decodedBody, ProxyError, UnreadableEncoding } from '../../../outgoing/index.ts';
import { errorMessage } from '../../common/index.ts';
import { findRefusal } from './target.ts';

/**
 * Escapes a text for Slack, which would interpret angle brackets as links with other texts or as mentions of everybody.
 */
export const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Settings for delivery attempts. */
export interface SenderOptions {
  readonly connections: Connections;
  /** The timeout of one attempt, redirects included. */
  readonly timeoutMilliseconds: number;
  /** How many redirects are followed; default: 3. */
  readonly redirects?: number;
}

/** The HTTP request of a delivery. */
export interface DeliveryRequest {
  readonly url: string;
  readonly deliveryId: string;
  /** JSON. */
  readonly body: string;
  /** Sent as a header, to the target's own origin only. */
  readonly secret?: string;
  /** User name and password, separated by a colon. Sent as Basic authorization, to the target's own origin only. */
  readonly userinfo?: string;
  /** The part of the URL that is secret; empty or absent if none is. */
  readonly secretPath?: string;
}

/** The result of one attempt. */
export interface AttemptResult {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The start of the response body or, without a response, the reason. Never contains a secret of the request. */
  readonly body: string;
  /**
   * Why there was no response, as a code that contains no address, such as ECONNREFUSED; absent if there was a
   * response, or there is no such code.
   */
  readonly code?: string;
  readonly outcome: 'delivered' | 'try again' | 'give up';
}

/** The headers that identify a delivery to its receiver. */
export const webhookHeaders = { delivery: 'x-webhook-delivery', secret: 'x-webhook-secret' } as const;

const maximumRedirects = 3;
/** How much of a response is recorded, in bytes, before its secrets are masked. */
const maximumResponseBytes = 4096;

/** The code of an attempt that timed out. */
export const tooLate = 'TIMEOUT';

/** The code of an attempt that the proxy of the platform didn't let through. */
export const unreachableProxy = 'ERR_PROXY';

/** The code of an attempt whose target has an address that the policy refuses. */
export const refusedAddress = 'REFUSED_ADDRESS';

const redirects: readonly number[] = [301, 302, 307, 308];

/** The complete characters at the start of a text. */
const decodeBeginning = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });

/** The maximum size of an encoded response's stages, in bytes. Only its start is decoded. */
const maximumDecodedBytes = 1024 * 1024;

/** Reads the start of a body, decoded and without the secrets that the receiver may echo, and ignores the rest. */
const readBeginning = async (
  response: Parameters<typeof decodedBody>[0],
  secrets: readonly string[],
): Promise<string> => {
  const most = maximumResponseBytes + bytesBeyondCut(secrets);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decodedBody(response, maximumDecodedBytes)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= most) break;
    }
  } catch (error) {
    // The receiver has the delivery: its status counts.
    if (error instanceof UnreadableEncoding) return `(not recorded: ${error.message})`;
    throw error;
  }
  const read = Buffer.concat(chunks);
  return maskBeginning(
    decodeBeginning(read.subarray(0, most)),
    secrets,
    decodeBeginning(read.subarray(0, maximumResponseBytes)).length,
  );
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const headersFor = (url: URL, origin: string, request: DeliveryRequest): Record<string, string> => {
  const isSameOrigin = url.origin === origin;
  return {
    'content-type': 'application/json',
    [webhookHeaders.delivery]: request.deliveryId,
    ...(isSameOrigin && request.secret !== undefined && { [webhookHeaders.secret]: request.secret }),
    ...(isSameOrigin && request.userinfo !== undefined && { authorization: `Basic ${base64(request.userinfo)}` }),
  };
};

/** The secret texts of a request, which a receiver may echo but the records must not contain. */
const secretsOf = ({ secret, userinfo, secretPath }: DeliveryRequest): readonly string[] =>
  [secret, userinfo, userinfo?.slice(userinfo.indexOf(':') + 1), secretPath].flatMap((text) => text || []);

/** Posts to the target and follows redirects. The address of every connection is checked. */
const post = async (
  { connections, timeoutMilliseconds, redirects: mostRedirects = maximumRedirects }: SenderOptions,
  request: DeliveryRequest,
  signal: AbortSignal,
): Promise<AttemptResult> => {
  let url = new URL(request.url);
  const { origin } = url;
  for (let hop = 0; ; hop += 1) {
    const response = await connections.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: headersFor(url, origin, request),
      body: request.body,
      signal,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
    const { statusCode: status, headers } = response;
    const text = await readBeginning(response, secretsOf(request));
    const location = headers['location'];
    if (!redirects.includes(status) || typeof location !== 'string' || hop === mostRedirects) {
      return { status, body: text, outcome: status >= 200 && status < 300 ? 'delivered' : 'try again' };
    }
    url = new URL(location, url);
  }
};

const failedAttempt = (error: unknown, timedOut: boolean, { timeoutMilliseconds }: SenderOptions): AttemptResult => {
  const refusal = findRefusal(error);
  if (refusal) return { status: 0, body: refusal.message, code: refusedAddress, outcome: 'give up' };
  if (timedOut)
    return {
      status: 0,
      body: `No answer within ${timeoutMilliseconds / 1000} seconds.`,
      code: tooLate,
      outcome: 'try again',
    };
  // The organization's members can read this: it mentions the proxy, but not its address.
  if (error instanceof ProxyError)
    return {
      status: 0,
      body: `No answer through the platform's proxy: ${error.reason}`,
      code: unreachableProxy,
      outcome: 'try again',
    };
  const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : errorMessage(error);
  const code = (error as { code?: unknown }).code;
  return { status: 0, body: `No answer: ${reason}`, ...(typeof code === 'string' && { code }), outcome: 'try again' };
};

/**
 * Makes one attempt. Failures are results, not errors.
 * @param stopping aborts the attempt
 * @throws the signal's reason if the attempt was aborted
 */
export async function sendDelivery(
  sender: SenderOptions,
  request: DeliveryRequest,
  stopping: AbortSignal,
): Promise<AttemptResult> {
  const timeout = AbortSignal.timeout(sender.timeoutMilliseconds);
  try {
    return await post(sender, request, AbortSignal.any([stopping, timeout]));
  } catch (error) {
    stopping.throwIfAborted();
    const failed = failedAttempt(error, timeout.aborted, sender);
    return { ...failed, body: createMasker(secretsOf(request))(failed.body) };
  }
}
