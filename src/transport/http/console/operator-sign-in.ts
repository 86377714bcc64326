import type { Clock } from '../../../server/context/index.ts';
import { monotonicClock, type ApprovalQueue, type UnlockedQueue } from '../../../server/guard/index.ts';
import {
  createOperatorSessions,
  type OperatorSession,
  sharedOperatorSessions,
  type SharedOperators,
} from './operator-sessions.ts';

export interface SignInDependencies {
  readonly queue: ApprovalQueue;
  /** Set if a sign-in is valid at every server. Default: only at this one. */
  readonly operators?: SharedOperators | undefined;
  /** The path below which browsers send the cookie. */
  readonly cookiePath: string;
  /** Whether browsers come with https, and send the cookie with nothing else. */
  readonly isSecure: boolean;
  readonly clock: Clock;
}

/** Signs operators in and out, by their secrets and a cookie. */
export interface OperatorSignIn {
  /** Finds the session of a request and marks it as used. @returns undefined if there is none. */
  readonly find: (request: Request) => Promise<OperatorSession | undefined>;
  /** Finds the session of a request without marking it as used. */
  readonly peek: (request: Request) => Promise<OperatorSession | undefined>;
  /**
   * Tries a secret.
   * @param address where it was typed: too many wrong secrets lock it.
   * @returns the cookie to set, or why there is none.
   */
  readonly signIn: (
    form: URLSearchParams,
    address: string,
  ) => Promise<{ readonly kind: 'unlocked'; readonly cookie: string } | Exclude<UnlockedQueue, { kind: 'unlocked' }>>;
  /** Ends a session. @returns the cookie that removes it. */
  readonly signOut: (operator: OperatorSession) => Promise<string>;
}

const cookieName = 'infra_operator';

const operatorCookieIn = ({ headers }: Request): string =>
  headers
    .get('cookie')
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1] ?? '';

/** Nothing but a secret in a form of this server signs anybody in: no link, and no other header. */
export function createOperatorSignIn({
  queue,
  operators: shared,
  cookiePath,
  isSecure,
  clock,
}: SignInDependencies): OperatorSignIn {
  // An idle session stays expired even if the clock steps back.
  const sessions = shared ? sharedOperatorSessions(shared, clock) : createOperatorSessions(monotonicClock(clock));
  const cookieOf = (value: string, seconds?: number): string =>
    [
      `${cookieName}=${value}`,
      `Path=${cookiePath}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure ? ['Secure'] : []),
      ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    ].join('; ');
  return {
    find: (request) => sessions.find(operatorCookieIn(request)),
    peek: (request) => sessions.peek(operatorCookieIn(request)),
    signIn: async (form, address) => {
      const name = form.get('name') ?? undefined;
      const unlocked = await queue.unlock(form.get('secret') ?? '', address, clock.now(), name);
      if (unlocked.kind !== 'unlocked') return unlocked;
      return { kind: 'unlocked', cookie: cookieOf((await sessions.start(unlocked)).cookie) };
    },
    signOut: async ({ cookie }) => {
      await sessions.end(cookie);
      return cookieOf('', 0);
    },
  };
}
