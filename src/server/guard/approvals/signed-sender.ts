import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isLoopbackHost, ProxyError, sendRequest } from '../../../outgoing/index.ts';
import type { ServerLogger } from '../../context/index.ts';

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

/** The times of sending notices, in milliseconds. */
export interface WebhookTimes {
  /** Pauses before the second and later attempts. */
  readonly pauses: readonly number[];
  readonly timeout: number;
  /** How long closing waits for notices that are being sent. */
  readonly grace: number;
}

const defaultTimes: WebhookTimes = { pauses: [1_000, 5_000, 25_000, 125_000], timeout: 10_000, grace: 3_000 };

/** Maximum number of notices that are being sent or wait for a retry. */
export const maximumNotices = 100;

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

/** The result of one attempt: delivered, or the reason why not. */
type Attempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly why: string; readonly mayRepeat: boolean };

const failureOf = (status: number): Attempt => {
  if (status >= 300 && status < 400)
    return { kind: 'failed', why: `status ${status}: redirects are not followed`, mayRepeat: false };
  return { kind: 'failed', why: `status ${status}`, mayRepeat: status >= 500 || status === 408 || status === 429 };
};

// The message of an error may contain the URL.
const reasonOf = (error: unknown): string => {
  if (error instanceof ProxyError) return error.message;
  const { name, code } = error as NodeJS.ErrnoException;
  return name === 'TimeoutError' ? 'no response in time' : (code ?? name);
};

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
    return ok ? { kind: 'delivered' } : failureOf(status);
  } catch (error) {
    return { kind: 'failed', why: reasonOf(error), mayRepeat: true };
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

export interface SignedSenderConfig {
  readonly target: WebhookTarget;
  /** Signs requests. */
  readonly key: Uint8Array;
  /** What it is called in the log. */
  readonly name: string;
  readonly log: ServerLogger;
  readonly times?: WebhookTimes | undefined;
}

/** Creates a sender of signed requests. */
export function createSignedSender({
  target,
  key,
  name,
  log,
  times: { pauses, timeout, grace } = defaultTimes,
}: SignedSenderConfig): SignedSender {
  // Closing ends the pauses at once, and requests in progress after a grace period.
  const [closing, stopping] = [new AbortController(), new AbortController()];
  const active = new Set<Promise<void>>();
  const { host } = target;

  const deliver = async ({ id, code, body: createBody, expiresAt }: SignedRequest): Promise<void> => {
    const body = JSON.stringify(createBody());
    for (let attempt = 0; ; attempt += 1) {
      const result = await send(
        target,
        signedHeaders(id, body, key),
        body,
        AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]),
      );
      if (result.kind === 'delivered') return log.info({ code, host }, `${name}: delivered`);
      const { why, mayRepeat } = result;
      const wait = pauses[attempt];
      if (closing.signal.aborted) return log.warn({ code, host }, `${name}: given up, because the server stops`);
      if (!mayRepeat || wait === undefined || Date.now() + wait >= expiresAt)
        return log.error({ code, host, why }, `${name}: not delivered`);
      log.warn({ code, host, why }, `${name}: not delivered yet, trying again`);
      await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return log.warn({ code, host }, `${name}: given up, because the server stops`);
    }
  };

  return {
    send: (request) => {
      const { code } = request;
      if (active.size >= maximumNotices)
        return log.error({ code, host }, `${name}: not delivered, because too many notices wait to be sent`);
      const delivery: Promise<void> = deliver(request)
        .catch((error: unknown) => log.error({ code, host, why: reasonOf(error) }, `${name}: not delivered`))
        .finally(() => active.delete(delivery));
      active.add(delivery);
    },
    close: async () => {
      closing.abort();
      // It keeps the process alive: the rest of its shutdown comes after this.
      const moment = setTimeout(() => stopping.abort(), grace);
      await Promise.allSettled(active);
      clearTimeout(moment);
      stopping.abort();
    },
  };
}
