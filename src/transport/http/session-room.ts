import type { HttpCaller } from './caller.ts';
import type { Limits } from './limits.ts';

/** Maximum number of sessions, and their idle timeout. */
export interface SessionLimits extends Pick<
  Limits,
  'sessions' | 'sessionsPerPrincipal' | 'sessionsPerAddress' | 'idleSessionTime'
> {
  readonly sessionsPerIdentity: number;
}

/** The parts of a session on which room for others depends. */
interface HeldSession {
  readonly caller: HttpCaller;
  /** Address of the client that opened it. */
  readonly address: string;
  /** Number of open requests and streams. */
  readonly inUse: number;
  /** In milliseconds since 1970. */
  readonly lastUsed: number;
}

type SessionEntry = readonly [id: string, session: HeldSession];

const leastRecentlyUsed = (among: readonly SessionEntry[]): SessionEntry | undefined =>
  among.filter(([, { inUse }]) => inUse === 0).toSorted(([, a], [, b]) => a.lastUsed - b.lastUsed)[0];

/** The sessions of the identity with the most sessions; empty unless they are more than `own` plus one. */
function largestHolderSessions(
  sessions: ReadonlyMap<string, HeldSession>,
  own: readonly SessionEntry[],
): readonly SessionEntry[] {
  const [largest = []] = [...Map.groupBy(sessions, ([, { caller }]) => caller.identity).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  return largest.length > own.length + 1 ? largest : [];
}

/**
 * Whether there is room for one more session. A client that reconnects without ending its session loses the old, idle
 * one. If the host is full, the identity with the most sessions loses an idle one, so that callers with few sessions
 * can always connect.
 * @returns true, the id of the session that has to end for it, or undefined if there is no room.
 */
export function roomFor(
  sessions: ReadonlyMap<string, HeldSession>,
  limits: SessionLimits,
  { principal, identity }: HttpCaller,
  address: string,
): true | string | undefined {
  const sessionsWhere = (is: (session: HeldSession) => boolean): readonly SessionEntry[] =>
    [...sessions].filter(([, session]) => is(session));
  const own = sessionsWhere(({ caller }) => caller.principal === principal);
  const sameIdentity = sessionsWhere(({ caller }) => caller.identity === identity);
  const sameAddress = sessionsWhere((session) => session.address === address);
  const toEvict = (): SessionEntry | undefined => {
    if (sameAddress.length >= limits.sessionsPerAddress)
      return leastRecentlyUsed(sameIdentity.filter((entry) => sameAddress.includes(entry)));
    if (own.length >= limits.sessionsPerPrincipal) return leastRecentlyUsed(own);
    return (
      leastRecentlyUsed(sameIdentity) ??
      (sameIdentity.length >= limits.sessionsPerIdentity
        ? undefined
        : leastRecentlyUsed(largestHolderSessions(sessions, sameIdentity)))
    );
  };
  const isFree =
    sessions.size < limits.sessions &&
    own.length < limits.sessionsPerPrincipal &&
    sameIdentity.length < limits.sessionsPerIdentity &&
    sameAddress.length < limits.sessionsPerAddress;
  return isFree || toEvict()?.[0];
}
