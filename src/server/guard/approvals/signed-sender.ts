import { createHmac } from 'node:crypto';
import { isLoopbackHost, sendRequest } from '../../../outgoing/index.ts';
import { type Attempt, createDeliveries, type DeliveriesConfig, failedAs, statusAttempt } from './deliveries.ts';

/** The destination of notices. */
export interface WebhookTarget {
  /** Without user name and password. */
  readonly url: string;
  /** Host and port, for the log. The rest of the URL may be secret. */
  readonly host: string;
  /** The Authorization header, if the URL has a user name or password. */
  readonly authorization?: string;
}

/** A part of a URL, percent-decoded; unchanged if it isn't encoded properly. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const urlForm = 'Give it like https://hooks.example.com/approvals.';

/**
 * Parses the URL of the webhook: https, or plain http to this machine.
 * @throws Error that doesn't repeat the URL, parts of which may be secret.
 */
export function parseWebhookUrl(text: string, what = 'approvals webhook'): WebhookTarget {
  const url = URL.parse(text.trim());
  if (!url) throw new Error(`The ${what}'s URL is not a URL. ${urlForm}`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!isSafe)
    throw new Error(
      `The ${what}'s URL must begin with https://, except for this machine: others could read on the way who wants to change what. ${urlForm}`,
    );
  const userinfo =
    url.username === '' && url.password === '' ? undefined : `${decoded(url.username)}:${decoded(url.password)}`;
  [url.username, url.password, url.hash] = ['', '', ''];
  return {
    url: url.href,
    host: url.host,
    ...(userinfo !== undefined && { authorization: `Basic ${Buffer.from(userinfo).toString('base64')}` }),
  };
}

/**
 * Parses the secret of the webhook, in the form of Standard Webhooks.
 * @throws Error without the secret.
 */
export function parseWebhookKey(secret: string, what = 'approvals webhook'): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret.trim())?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  if (key.length < 24 || key.length > 64)
    throw new Error(
      `The ${what}'s secret must be whsec_ followed by 24 to 64 random bytes in base64. To make one: echo "whsec_$(openssl rand -base64 32)"`,
    );
  return key;
}

/** The signature of a request, in the form of Standard Webhooks. */
export const signatureOf = (id: string, timestamp: string, body: string, key: Uint8Array): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

/** Headers of Standard Webhooks. The signature covers id, time of the attempt, and body. */
function signedHeaders(id: string, body: string, key: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(id, timestamp, body, key),
  };
}

async function send(
  { url, authorization }: WebhookTarget,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const { ok, status } = await sendRequest(url, {
      method: 'POST',
      body,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'infra-mcp',
        ...(authorization !== undefined && { authorization }),
        ...headers,
      },
    });
    return ok ? { kind: 'delivered' } : statusAttempt(status);
  } catch (error) {
    return failedAs(error);
  }
}

/** A request to send, which is about a waiting call. */
export interface SignedRequest {
  /** The same for all attempts. */
  readonly id: string;
  readonly code: string;
  /** Creates the body, before the first attempt. */
  readonly body: () => object;
  /** When it is of no use any more, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Sends signed requests over HTTP, and repeats those that fail. */
export interface SignedSender {
  /** Returns at once and never throws: a call doesn't depend on whether the request arrives. */
  readonly send: (request: SignedRequest) => void;
  /** Drops requests that wait for a retry, and gives those being sent a moment. */
  readonly close: () => Promise<void>;
}

export interface SignedSenderConfig extends Omit<DeliveriesConfig, 'host'> {
  readonly target: WebhookTarget;
  /** Signs requests. */
  readonly key: Uint8Array;
}

/** Creates a sender of signed requests. */
export function createSignedSender({ target, key, ...config }: SignedSenderConfig): SignedSender {
  const deliveries = createDeliveries({ ...config, host: target.host });
  return {
    send: ({ id, code, body, expiresAt }) => {
      let text: string | undefined;
      void deliveries.deliver({
        code,
        expiresAt,
        attempt: (signal) => {
          text ??= JSON.stringify(body());
          return send(target, signedHeaders(id, text, key), text, signal);
        },
      });
    },
    close: deliveries.close,
  };
}
