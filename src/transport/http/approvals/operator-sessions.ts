import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../server/context/index.ts';

/** Idle time after which an operator must enter the secret again, in milliseconds. */
export const idleTime = 10 * 60_000;

/** Maximum number of sessions. Beyond it the session that was idle longest is dropped. */
const maxOperators = 32;

/** The session of an operator who entered the secret. */
export interface OperatorSession {
  readonly id: string;
  /** CSRF token: every form of the session must carry it. */
  readonly formToken: string;
  /** Signs decisions. Held in memory only, for the lifetime of the session. */
  readonly sign: (text: string) => string;
}

/** The open operator sessions. */
export interface OperatorSessions {
  start(sign: (text: string) => string): OperatorSession;
  /** Finds a session and marks it as used. @returns undefined if the id is unknown or the session was idle for too long. */
  find(id: string): OperatorSession | undefined;
  /** Finds a session without marking it as used. */
  peek(id: string): OperatorSession | undefined;
  end(id: string): void;
}

const random = (): string => randomBytes(32).toString('base64url');

/** Creates an empty set of sessions. @param clock must be monotonic, or a clock change could revive expired sessions. */
export function createOperatorSessions(clock: Clock): OperatorSessions {
  // Ordered by last use, oldest first.
  const sessions = new Map<string, { readonly operator: OperatorSession; readonly lastUsed: number }>();
  const markUsed = (operator: OperatorSession): OperatorSession => {
    sessions.delete(operator.id);
    sessions.set(operator.id, { operator, lastUsed: clock.now() });
    return operator;
  };
  const removeExpired = (): void => {
    const oldest = clock.now() - idleTime;
    for (const [id, { lastUsed }] of sessions) if (lastUsed < oldest || sessions.size > maxOperators) sessions.delete(id);
  };
  return {
    start(sign) {
      const operator = markUsed({ id: random(), formToken: random(), sign });
      removeExpired();
      return operator;
    },
    find(id) {
      removeExpired();
      const found = sessions.get(id);
      return found && markUsed(found.operator);
    },
    peek(id) {
      removeExpired();
      return sessions.get(id)?.operator;
    },
    end: (id) => void sessions.delete(id),
  };
}

/** Whether a form carries the session's CSRF token. Compares in constant time. */
export function hasValidFormToken({ formToken }: OperatorSession, submitted: string): boolean {
  const [expected, actual] = [Buffer.from(formToken), Buffer.from(submitted)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
