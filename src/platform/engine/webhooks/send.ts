import type { Dispatcher } from 'undici';
import { TargetRefused } from './target.ts';

/** What an attempt is made with. */
export interface SenderOptions {
  readonly dispatcher: Dispatcher;
  /** Longest that one attempt takes, redirects included. */
  readonly timeoutMilliseconds: number;
}

/** What is posted, and where. */
export interface DeliveryRequest {
  readonly url: string;
  readonly deliveryId: string;
  /** JSON. */
  readonly body: string;
  /** Sent along to the target's own origin only. */
  readonly secret?: string;
  /** User name and password with a colon between them: sent as Basic authorization, to the target's own origin only. */
  readonly userinfo?: string;
}

/** What came of one attempt. */
export interface AttemptResult {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The answer's body, cut short; where no answer came, why. */
  readonly body: string;
  readonly outcome: 'delivered' | 'try again' | 'give up';
}

/** Headers that a receiver knows a delivery by. */
export const webhookHeaders = { delivery: 'x-webhook-delivery', secret: 'x-webhook-secret' } as const;

const maximumRedirects = 3;
const maximumReplyBytes = 4096;

const redirects: readonly number[] = [301, 302, 307, 308];

/** The beginning of a body; the rest is not read. */
const readBeginning = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maximumReplyBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maximumReplyBytes).toString('utf8');
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const headersFor = (url: URL, origin: string, letter: DeliveryRequest): Record<string, string> => {
  const own = url.origin === origin;
  return {
    'content-type': 'application/json',
    [webhookHeaders.delivery]: letter.deliveryId,
    ...(own && letter.secret !== undefined && { [webhookHeaders.secret]: letter.secret }),
    ...(own && letter.userinfo !== undefined && { authorization: `Basic ${base64(letter.userinfo)}` }),
  };
};

/** Posts to the target and follows its redirects, each connection through the dispatcher and its checks. */
const post = async ({ dispatcher, timeoutMilliseconds }: SenderOptions, letter: DeliveryRequest, signal: AbortSignal): Promise<AttemptResult> => {
  let url = new URL(letter.url);
  const { origin } = url;
  for (let hop = 0; ; hop += 1) {
    const { statusCode: status, headers, body } = await dispatcher.request({
      origin: url.origin, path: url.pathname + url.search, method: 'POST', headers: headersFor(url, origin, letter), body: letter.body, signal,
      headersTimeout: timeoutMilliseconds, bodyTimeout: timeoutMilliseconds,
    });
    const text = await readBeginning(body);
    const location = headers['location'];
    if (!redirects.includes(status) || typeof location !== 'string' || hop === maximumRedirects) {
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
  if (timedOut) return { status: 0, body: `No answer within ${timeoutMilliseconds / 1000} seconds.`, outcome: 'try again' };
  const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : error instanceof Error ? error.message : String(error);
  return { status: 0, body: `No answer: ${reason}`, outcome: 'try again' };
};

/** What of a letter a receiver may echo and the records must not have. */
const sensitiveTexts = ({ secret, userinfo }: DeliveryRequest): string[] =>
  [secret, ...(userinfo === undefined ? [] : [base64(userinfo), userinfo, userinfo.slice(userinfo.indexOf(':') + 1)])].filter((text) => text !== undefined && text !== '') as string[];

/** A receiver may echo what it got; secrets are not for the records. */
const withoutSecrets = (reply: AttemptResult, letter: DeliveryRequest): AttemptResult =>
  ({ ...reply, body: sensitiveTexts(letter).reduce((body, secret) => body.replaceAll(secret, '********'), reply.body) });

/**
 * Makes one attempt. Failures are replies, not errors.
 * @param stopping ends the attempt early
 * @throws the signal's reason when it was ended early
 */
export async function sendDelivery(sender: SenderOptions, letter: DeliveryRequest, stopping: AbortSignal): Promise<AttemptResult> {
  const timeout = AbortSignal.timeout(sender.timeoutMilliseconds);
  try {
    return withoutSecrets(await post(sender, letter, AbortSignal.any([stopping, timeout])), letter);
  } catch (error) {
    stopping.throwIfAborted();
    return withoutSecrets(failedAttempt(error, timeout.aborted, sender), letter);
  }
}
