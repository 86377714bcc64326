import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isLoopbackHost, ProxyError, sendRequest } from '../../../outgoing/index.ts';
import type { ServerLogger } from '../../context/index.ts';
import { type Pending, waitingCallAddress, waitingTarget } from './pending-calls.ts';
import { shortened } from '../../../contract/index.ts';
import { clean, createRedaction } from '../../redaction/index.ts';
import { mostCriticalMode } from '../risk/risk.ts';

/**
 * The notification to operators about a waiting call. It has no arguments and no plan: those are shown only after the
 * operator's secret.
 */
interface WaitingNotice {
  readonly type: 'approval.waiting';
  /** When the call was made. Times are in ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    readonly code: string;
    readonly caller: string;
    readonly tool: string;
    readonly kind: string;
    readonly target: string;
    readonly risk: string;
    readonly mode: string;
    readonly expires_at: string;
    /**
     * The address of this call alone on the approvals page, shown after the secret. Absent if this process serves no
     * such page.
     */
    readonly url?: string;
  };
}

/** Maximum length of a text, in characters. */
const maxLength = 300;

/** A name on one line, without invisible characters. */
const oneLine = (text: string): string => shortened(clean(text).replaceAll(/\s+/g, ' ').trim(), maxLength);

const iso = (at: number): string => new Date(at).toISOString();

/**
 * The notice of a waiting call. Names that look like secrets are masked.
 * @param page address of the approvals page, if it is served.
 */
export function waitingNotice(pending: Pending, page?: string): WaitingNotice {
  const {
    code,
    principal,
    plan: { tool, tier, target },
    askedAt,
    expiresAt,
  } = pending;
  const { text } = createRedaction();
  // Masked before it is cut: part of a secret may not look like one.
  const name = (value: string): string => oneLine(text(value));
  return {
    type: 'approval.waiting',
    timestamp: iso(askedAt),
    data: {
      code,
      caller: name(principal),
      tool,
      kind: target.kind,
      target: name(waitingTarget(pending)),
      risk: tier,
      mode: mostCriticalMode(target),
      expires_at: iso(expiresAt),
      ...(page !== undefined && { url: waitingCallAddress(page, code) }),
    },
  };
}

/** The destination of notices. */
interface WebhookTarget {
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
export function parseWebhookUrl(text: string): WebhookTarget {
  const url = URL.parse(text.trim());
  if (!url) throw new Error(`The approvals webhook's URL is not a URL. ${urlForm}`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!isSafe)
    throw new Error(
      `The approvals webhook's URL must begin with https://, except for this machine: others could read on the way who wants to change what. ${urlForm}`,
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
export function parseWebhookKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret.trim())?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  if (key.length < 24 || key.length > 64)
    throw new Error(
      'The approvals webhook\'s secret must be whsec_ followed by 24 to 64 random bytes in base64. To make one: echo "whsec_$(openssl rand -base64 32)"',
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

/** Notifies operators of waiting calls over HTTP. */
export interface WaitingWebhook {
  /** Returns at once and never throws: a call doesn't depend on whether the notice arrives. */
  readonly announce: (pending: Pending) => void;
  /** Drops notices that wait for a retry, and gives those being sent a moment. */
  readonly close: () => Promise<void>;
}

export interface WaitingWebhookConfig {
  readonly target: WebhookTarget;
  /** Signs notices. */
  readonly key: Uint8Array;
  /** Address of the approvals page, if this process serves it. */
  readonly page?: () => string | undefined;
  readonly log: ServerLogger;
  readonly times?: WebhookTimes;
}

/** Headers of Standard Webhooks. The signature covers id, time of the attempt, and body. */
function signedHeaders(id: string, body: string, key: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
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

/** Creates the webhook of a process. */
export function createWaitingWebhook({
  target,
  key,
  page,
  log,
  times: { pauses, timeout, grace } = defaultTimes,
}: WaitingWebhookConfig): WaitingWebhook {
  // Closing ends the pauses at once, and requests in progress after a grace period.
  const [closing, stopping] = [new AbortController(), new AbortController()];
  const active = new Set<Promise<void>>();
  const { host } = target;

  const deliver = async (pending: Pending): Promise<void> => {
    const { code, askedAt, expiresAt } = pending;
    const body = JSON.stringify(waitingNotice(pending, page?.()));
    const id = `approval_${code}_${askedAt}`;
    for (let attempt = 0; ; attempt += 1) {
      const result = await send(
        target,
        signedHeaders(id, body, key),
        body,
        AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]),
      );
      if (result.kind === 'delivered') return log.info({ code, host }, 'approvals webhook: delivered');
      const { why, mayRepeat } = result;
      const wait = pauses[attempt];
      if (closing.signal.aborted)
        return log.warn({ code, host }, 'approvals webhook: given up, because the server stops');
      if (!mayRepeat || wait === undefined || Date.now() + wait >= expiresAt)
        return log.error({ code, host, why }, 'approvals webhook: not delivered');
      log.warn({ code, host, why }, 'approvals webhook: not delivered yet, trying again');
      await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted)
        return log.warn({ code, host }, 'approvals webhook: given up, because the server stops');
    }
  };

  return {
    announce: (pending) => {
      if (active.size >= maximumNotices)
        return log.error(
          { code: pending.code, host },
          'approvals webhook: not delivered, because too many notices wait to be sent',
        );
      const delivery: Promise<void> = deliver(pending)
        .catch((error: unknown) =>
          log.error({ code: pending.code, host, why: reasonOf(error) }, 'approvals webhook: not delivered'),
        )
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
