import { setTimeout as pause } from 'node:timers/promises';
import { ProxyError } from '../../../outgoing/index.ts';
import type { ServerLogger } from '../../context/index.ts';

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

/** The result of one attempt: delivered, or the reason why not. */
export type Attempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly why: string; readonly mayRepeat: boolean };

/** The attempt that was answered with a status that isn't one of success. */
export const statusAttempt = (status: number): Attempt => {
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

/** The attempt that ended with this error of the network. */
export const failedAs = (error: unknown): Attempt => ({ kind: 'failed', why: reasonOf(error), mayRepeat: true });

/** A notice about a waiting call. */
export interface Delivery {
  readonly code: string;
  /** When it is of no use any more, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Sends it once. */
  readonly attempt: (signal: AbortSignal) => Promise<Attempt>;
}

/** Delivers notices, and repeats attempts that fail. */
export interface Deliveries {
  /** Resolves with whether it was delivered, once it was or is given up. Never rejects. */
  readonly deliver: (delivery: Delivery) => Promise<boolean>;
  /** Drops notices that wait for a retry, and gives those being sent a moment. */
  readonly close: () => Promise<void>;
}

export interface DeliveriesConfig {
  /** What their sender is called in the log. */
  readonly name: string;
  /** Host and port to which they go, for the log. */
  readonly host: string;
  readonly log: ServerLogger;
  readonly times?: WebhookTimes | undefined;
}

/** Creates the deliveries of one sender. */
export function createDeliveries({
  name,
  host,
  log,
  times: { pauses, timeout, grace } = defaultTimes,
}: DeliveriesConfig): Deliveries {
  // Closing ends the pauses at once, and requests in progress after a grace period.
  const [closing, stopping] = [new AbortController(), new AbortController()];
  const active = new Set<Promise<boolean>>();

  const givenUp = (code: string): false => {
    log.warn({ code, host }, `${name}: given up, because the server stops`);
    return false;
  };

  const run = async ({ code, expiresAt, attempt: tryOnce }: Delivery): Promise<boolean> => {
    for (let attempt = 0; ; attempt += 1) {
      const result = await tryOnce(AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]));
      if (result.kind === 'delivered') {
        log.info({ code, host }, `${name}: delivered`);
        return true;
      }
      const { why, mayRepeat } = result;
      const wait = pauses[attempt];
      if (closing.signal.aborted) return givenUp(code);
      if (!mayRepeat || wait === undefined || Date.now() + wait >= expiresAt) {
        log.error({ code, host, why }, `${name}: not delivered`);
        return false;
      }
      log.warn({ code, host, why }, `${name}: not delivered yet, trying again`);
      await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return givenUp(code);
    }
  };

  return {
    deliver: async (delivery) => {
      const { code } = delivery;
      if (active.size >= maximumNotices) {
        log.error({ code, host }, `${name}: not delivered, because too many notices wait to be sent`);
        return false;
      }
      const running: Promise<boolean> = run(delivery)
        .catch((error: unknown) => {
          log.error({ code, host, why: reasonOf(error) }, `${name}: not delivered`);
          return false;
        })
        .finally(() => active.delete(running));
      active.add(running);
      return running;
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
