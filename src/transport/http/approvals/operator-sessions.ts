import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../server/context/call-context.ts';

/** How long an operator may stay away before the secret is asked for again, in milliseconds. */
export const idleTime = 10 * 60_000;

/** Most operators at once; the one who was away longest is forgotten. */
const maxOperators = 32;

/** An operator who gave the secret. */
export interface OperatorSession {
  readonly id: string;
  /** What their forms carry, so that no other page can send one. */
  readonly formToken: string;
  /** Signs decisions; kept in memory only, and no longer than the operator stays. */
  readonly sign: (text: string) => string;
}

/** The operators who are at the page. */
export interface OperatorSessions {
  start(sign: (text: string) => string): OperatorSession;
  /** Who has this id; undefined when nobody, or away for too long. Counts as being here. */
  find(id: string): OperatorSession | undefined;
  end(id: string): void;
}

const random = (): string => randomBytes(32).toString('base64url');

/** Nobody is there yet. */
export function createOperatorSessions(clock: Clock): OperatorSessions {
  // In the order of when they were last seen.
  const seen = new Map<string, { readonly operator: OperatorSession; readonly at: number }>();
  const see = (operator: OperatorSession): OperatorSession => {
    seen.delete(operator.id);
    seen.set(operator.id, { operator, at: clock.now() });
    return operator;
  };
  const forgetAway = (): void => {
    const oldest = clock.now() - idleTime;
    for (const [id, { at }] of seen) if (at < oldest || seen.size > maxOperators) seen.delete(id);
  };
  return {
    start(sign) {
      const operator = see({ id: random(), formToken: random(), sign });
      forgetAway();
      return operator;
    },
    find(id) {
      forgetAway();
      const found = seen.get(id);
      return found && see(found.operator);
    },
    end: (id) => void seen.delete(id),
  };
}

/** Whether a form carries the operator's token. */
export function hasValidFormToken({ formToken }: OperatorSession, given: string): boolean {
  const [one, other] = [Buffer.from(formToken), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
