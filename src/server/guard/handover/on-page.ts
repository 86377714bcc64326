import type { Clock } from '../../context/index.ts';
import { approvalLifetime } from '../approvals/approvals.ts';
import { isCode, newCode, normalCode } from '../approvals/pending-calls.ts';
import type { Handover } from './handover.ts';

/** A secret that waits for the operator, without its value. */
export interface WaitingSecret {
  readonly code: string;
  /** What it is, such as `API token ci`. */
  readonly about: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly expiresAt: number;
}

/** The secrets that wait for the operator, in the memory of this process. Times are milliseconds since 1970. */
export interface WaitingSecrets {
  /** Oldest first. */
  waiting(now: number): readonly WaitingSecret[];
  /** Returns a secret's value once, and forgets it; undefined if it expired, was taken, or never was. */
  take(code: string, now: number): { readonly about: string; readonly value: string } | undefined;
}

/** How many secrets can wait at once. */
const mostWaiting = 20;

interface Held extends WaitingSecret {
  /** Undefined while the place is only reserved. */
  readonly value?: string;
}

/**
 * Hands secrets over on the approvals page, each once and within 15 minutes. They are in memory only: nothing is left
 * on a disk, and a restart loses them.
 * @param page its address; undefined until it is served
 * @param hasSecret whether the operator has set the secret with which they sign in
 */
export function createPageHandover(
  clock: Clock,
  page: () => string | undefined,
  hasSecret: () => Promise<boolean>,
): { readonly handover: Handover; readonly secrets: WaitingSecrets } {
  const held = new Map<string, Held>();
  const dropExpired = (now: number): void => {
    for (const [code, { expiresAt }] of held) if (expiresAt <= now) held.delete(code);
  };

  const whyUnavailable: Handover['whyUnavailable'] = async () => {
    dropExpired(clock.now());
    if (page() === undefined || !(await hasSecret()))
      return {
        why: 'nobody can sign in to the approvals page: no operator has set a secret',
        next: 'Tell the user: whoever runs this server sets one with the command approve --set-secret.',
      };
    if (held.size < mostWaiting) return undefined;
    return {
      why: `${mostWaiting} secrets wait on the approvals page already`,
      next: 'Tell the user: the operator has to look at them first. Each expires after 15 minutes.',
    };
  };

  return {
    handover: {
      whyUnavailable,
      reserve: async (about) => {
        const none = await whyUnavailable();
        if (none) throw new Error(none.why);
        const now = clock.now();
        const place = { code: newCode(), about, since: now, expiresAt: now + approvalLifetime };
        held.set(place.code, place);
        return {
          where: `on the page of the operator, ${page()}, for 15 minutes and once, under the code ${place.code}`,
          put: async (value) => {
            const at = clock.now();
            held.set(place.code, { ...place, since: at, expiresAt: at + approvalLifetime, value });
          },
          release: async () => {
            if (held.get(place.code)?.value === undefined) held.delete(place.code);
          },
        };
      },
    },
    secrets: {
      waiting: (now) => {
        dropExpired(now);
        return [...held.values()].flatMap(({ value, ...shown }) => (value === undefined ? [] : [shown]));
      },
      take: (typed, now) => {
        dropExpired(now);
        const code = normalCode(typed);
        const found = isCode(code) ? held.get(code) : undefined;
        if (found?.value === undefined) return undefined;
        held.delete(code);
        return { about: found.about, value: found.value };
      },
    },
  };
}
