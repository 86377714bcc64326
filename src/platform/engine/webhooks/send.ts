import type { Dispatcher } from 'undici';
import { errorMessage } from '../../common/index.ts';
import { TargetRefused } from './target.ts';

/** How attempts are made. */
export interface SenderOptions {
  readonly dispatcher: Dispatcher;
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
}

/** The result of one attempt. */
export interface AttemptResult {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The truncated response body or, without a response, the reason. */
  readonly body: string;
  /** Why there was no response, in a word that names no address, such as ECONNREFUSED; absent if there was one, or no such word. */
  readonly code?: string;
  readonly outcome: 'delivered' | 'try again' | 'give up';
}

/** The headers that identify a delivery to its receiver. */
export const webhookHeaders = { delivery: 'x-webhook-delivery', secret: 'x-webhook-secret' } as const;

const maximumRedirects = 3;
const maximumResponseBytes = 4096;

/** The code of an attempt that took too long. */
export const tooLate = 'TIMEOUT';

const redirects: readonly number[] = [301, 302, 307, 308];

/** Reads the beginning of a body and ignores the rest. */
const readBeginning = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maximumResponseBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maximumResponseBytes).toString('utf8');
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

/** Posts to the target and follows redirects. The dispatcher checks the address of every connection. */
const post = async ({ dispatcher, timeoutMilliseconds, redirects: mostRedirects = maximumRedirects }: SenderOptions, request: DeliveryRequest, signal: AbortSignal): Promise<AttemptResult> => {
  let url = new URL(request.url);
  const { origin } = url;
  for (let hop = 0; ; hop += 1) {
    const { statusCode: status, headers, body } = await dispatcher.request({
      origin: url.origin, path: url.pathname + url.search, method: 'POST', headers: headersFor(url, origin, request), body: request.body, signal,
      headersTimeout: timeoutMilliseconds, bodyTimeout: timeoutMilliseconds,
    });
    const text = await readBeginning(body);
    const location = headers['location'];
    if (!redirects.includes(status) || typeof location !== 'string' || hop === mostRedirects) {
      return { status, body: text, outcome: status >= 200 && status < 300 ? 'delivered' : 'try again' };
    }
    url = new URL(location, url);
  }
};

const findRefusal = (error: unknown): TargetRefused | undefined => {
  if (error instanceof TargetRefused) return error;
  return error instanceof Error && error.cause !== undefined ? findRefusal(error.cause) : undefined;
};

const failedAttempt = (error: unknown, timedOut: boolean, { timeoutMilliseconds }: SenderOptions): AttemptResult => {
  const refusal = findRefusal(error);
  if (refusal) return { status: 0, body: refusal.message, outcome: 'give up' };
  if (timedOut) return { status: 0, body: `No answer within ${timeoutMilliseconds / 1000} seconds.`, code: tooLate, outcome: 'try again' };
  const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : errorMessage(error);
  const code = (error as { code?: unknown }).code;
  return { status: 0, body: `No answer: ${reason}`, ...(typeof code === 'string' && { code }), outcome: 'try again' };
};

/** The secret texts of a request, which a receiver may echo but the records must not contain. */
const sensitiveTexts = ({ secret, userinfo }: DeliveryRequest): string[] =>
  [secret, ...(userinfo === undefined ? [] : [base64(userinfo), userinfo, userinfo.slice(userinfo.indexOf(':') + 1)])].filter((text) => text !== undefined && text !== '') as string[];

/** Masks the request's secrets in a result, because a receiver may echo them. */
const withoutSecrets = (result: AttemptResult, request: DeliveryRequest): AttemptResult =>
  ({ ...result, body: sensitiveTexts(request).reduce((body, secret) => body.replaceAll(secret, '********'), result.body) });

/**
 * Makes one attempt. Failures are results, not errors.
 * @param stopping aborts the attempt
 * @throws the signal's reason if the attempt was aborted
 */
export async function sendDelivery(sender: SenderOptions, request: DeliveryRequest, stopping: AbortSignal): Promise<AttemptResult> {
  const timeout = AbortSignal.timeout(sender.timeoutMilliseconds);
  try {
    return withoutSecrets(await post(sender, request, AbortSignal.any([stopping, timeout])), request);
  } catch (error) {
    stopping.throwIfAborted();
    return withoutSecrets(failedAttempt(error, timeout.aborted, sender), request);
  }
}
