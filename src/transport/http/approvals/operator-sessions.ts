import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../server/context/index.ts';
import { maximumOperatorSessions, operatorIdleTime, type OperatorKey } from '../../../server/guard/index.ts';

/** The session of an operator who entered the secret. */
export interface OperatorSession {
  /** What the browser's cookie holds. */
  readonly cookie: string;
  /** CSRF token: every form of the session must carry it. */
  readonly formToken: string;
  /** Signs decisions. */
  readonly sign: (text: string) => string;
}

/** The open operator sessions. */
export interface OperatorSessions {
  start(key: OperatorKey): Promise<OperatorSession>;
  /** Finds a session and marks it as used. @returns undefined if there is none, or it was idle for too long. */
  find(cookie: string): Promise<OperatorSession | undefined>;
  /** Finds a session without marking it as used. */
  peek(cookie: string): Promise<OperatorSession | undefined>;
  end(cookie: string): Promise<void>;
}

/** A random id of a session. */
export const newSessionId = (): string => randomBytes(32).toString('base64url');

/** The CSRF token of a session. Nobody can tell it without the id, which only the cookie holds. */
export const formTokenOf = (id: string): string => createHmac('sha256', id).update('form token').digest('base64url');

/** Sessions of this process; what signs is in its memory only. @param clock must be monotonic, or a clock change could revive expired sessions. */
export function createOperatorSessions(clock: Clock): OperatorSessions {
  // Ordered by last use, oldest first.
  const sessions = new Map<string, { readonly operator: OperatorSession; readonly lastUsed: number }>();
  const markUsed = (operator: OperatorSession): OperatorSession => {
    sessions.delete(operator.cookie);
    sessions.set(operator.cookie, { operator, lastUsed: clock.now() });
    return operator;
  };
  const removeExpired = (): void => {
    const oldest = clock.now() - operatorIdleTime;
    for (const [id, { lastUsed }] of sessions) if (lastUsed < oldest || sessions.size > maximumOperatorSessions) sessions.delete(id);
  };
  return {
    async start({ sign }) {
      const id = newSessionId();
      const operator = markUsed({ cookie: id, formToken: formTokenOf(id), sign });
      removeExpired();
      return operator;
    },
    async find(id) {
      removeExpired();
      const found = sessions.get(id);
      return found && markUsed(found.operator);
    },
    async peek(id) {
      removeExpired();
      return sessions.get(id)?.operator;
    },
    end: async (id) => void sessions.delete(id),
  };
}

/** Whether a form carries the session's CSRF token. Compares in constant time. */
export function hasValidFormToken({ formToken }: OperatorSession, submitted: string): boolean {
  const [expected, actual] = [Buffer.from(formToken), Buffer.from(submitted)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
