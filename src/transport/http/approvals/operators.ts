import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../server/context/context.ts';

/** How long an operator may stay away before the secret is asked for again, in milliseconds. */
export const idleTime = 10 * 60_000;

/** Most operators at once; the one who was away longest is forgotten. */
const mostOperators = 32;

/** An operator who gave the secret. */
export interface Operator {
  readonly id: string;
  /** What their forms carry, so that no other page can send one. */
  readonly formToken: string;
  /** Signs decisions; kept in memory only, and no longer than the operator stays. */
  readonly sign: (text: string) => string;
}

/** The operators who are at the page. */
export interface Operators {
  enter(sign: (text: string) => string): Operator;
  /** Who has this id; undefined when nobody, or away for too long. Counts as being here. */
  find(id: string): Operator | undefined;
  leave(id: string): void;
}

const random = (): string => randomBytes(32).toString('base64url');

/** Nobody is there yet. */
export function createOperators(clock: Clock): Operators {
  // In the order of when they were last seen.
  const seen = new Map<string, { readonly operator: Operator; readonly at: number }>();
  const see = (operator: Operator): Operator => {
    seen.delete(operator.id);
    seen.set(operator.id, { operator, at: clock.now() });
    return operator;
  };
  const forgetAway = (): void => {
    const oldest = clock.now() - idleTime;
    for (const [id, { at }] of seen) if (at < oldest || seen.size > mostOperators) seen.delete(id);
  };
  return {
    enter(sign) {
      const operator = see({ id: random(), formToken: random(), sign });
      forgetAway();
      return operator;
    },
    find(id) {
      forgetAway();
      const found = seen.get(id);
      return found && see(found.operator);
    },
    leave: (id) => void seen.delete(id),
  };
}

/** Whether a form carries the operator's token. */
export function isOwnForm({ formToken }: Operator, given: string): boolean {
  const [one, other] = [Buffer.from(formToken), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
