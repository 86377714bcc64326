import type { Clock } from '../../../server/context/index.ts';
import { monotonicClock, type ApprovalQueue, type UnlockedQueue } from '../../../server/guard/index.ts';
import {
  createOperatorSessions,
  type OperatorSession,
  sharedOperatorSessions,
  type SharedOperators,
} from './operator-sessions.ts';
import type { HttpRequest } from '../http-request.ts';

export interface SignInDependencies {
  readonly queue: ApprovalQueue;
  /** Set if a sign-in is valid at every server. Default: only at this one. */
  readonly operators?: SharedOperators | undefined;
  /** The path below which browsers send the cookie. */
  readonly cookiePath: string;
  /** The URL under which browsers reach this server, if it differs from the bound address. With https, the cookie goes out with nothing else. */
  readonly publicUrl: URL | undefined;
  readonly clock: Clock;
}

/** Signs operators in and out, by their secrets and a cookie. */
export interface OperatorSignIn {
  /** Finds the session of a request and marks it as used. @returns undefined if there is none. */
  readonly find: (request: HttpRequest) => Promise<OperatorSession | undefined>;
  /** Finds the session of a request without marking it as used. */
  readonly peek: (request: HttpRequest) => Promise<OperatorSession | undefined>;
  /**
   * Tries a secret.
   * @param address where it was typed: too many wrong secrets lock it.
   * @returns the cookie to set, or why there is none.
   */
  readonly signIn: (
    request: HttpRequest,
    form: URLSearchParams,
    address: string,
  ) => Promise<{ readonly kind: 'unlocked'; readonly cookie: string } | Exclude<UnlockedQueue, { kind: 'unlocked' }>>;
  /** Ends a session. @returns the cookie that removes it. */
  readonly signOut: (request: HttpRequest, operator: OperatorSession) => Promise<string>;
}

/** The port that browsers see. */
function portSeenBy({ headers }: HttpRequest, publicUrl: URL | undefined): string {
  const seen = publicUrl ?? URL.parse(`http://${headers.get('host')}`);
  return seen?.port || (seen?.protocol === 'https:' ? '443' : '80');
}

/** What servers have in common that share their sign-ins, on whatever ports: a few bytes of a key for nothing else. */
const sharedIdOf = ({ keys }: SharedOperators): string => keys('operator cookie').toString('hex').slice(0, 12);

/** Browsers keep one set of cookies for all ports of a host: servers beside each other must not replace each other's. */
const cookieNameFor = (request: HttpRequest, { operators, publicUrl }: SignInDependencies): string =>
  `infra_operator_${operators ? sharedIdOf(operators) : portSeenBy(request, publicUrl)}`;

const cookieIn = ({ headers }: HttpRequest, cookieName: string): string =>
  headers
    .get('cookie')
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1] ?? '';

/** Nothing but a secret in a form of this server signs anybody in: no link, and no other header. */
export function createOperatorSignIn(dependencies: SignInDependencies): OperatorSignIn {
  const { queue, operators: shared, cookiePath, publicUrl, clock } = dependencies;
  // An idle session stays expired even if the clock steps back.
  const sessions = shared ? sharedOperatorSessions(shared, clock) : createOperatorSessions(monotonicClock(clock));
  const nameFor = (request: HttpRequest): string => cookieNameFor(request, dependencies);
  const valueIn = (request: HttpRequest): string => cookieIn(request, nameFor(request));
  const cookieOf = (request: HttpRequest, value: string, seconds?: number): string =>
    [
      `${nameFor(request)}=${value}`,
      `Path=${cookiePath}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(publicUrl?.protocol === 'https:' ? ['Secure'] : []),
      ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    ].join('; ');
  return {
    find: (request) => sessions.find(valueIn(request)),
    peek: (request) => sessions.peek(valueIn(request)),
    signIn: async (request, form, address) => {
      const name = form.get('name') ?? undefined;
      const unlocked = await queue.unlock(form.get('secret') ?? '', address, clock.now(), name);
      if (unlocked.kind !== 'unlocked') return unlocked;
      return { kind: 'unlocked', cookie: cookieOf(request, (await sessions.start(unlocked)).cookie) };
    },
    signOut: async (request, { cookie }) => {
      await sessions.end(cookie);
      return cookieOf(request, '', 0);
    },
  };
}
