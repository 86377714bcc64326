import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type McpServer } from '@modelcontextprotocol/server';
import type { Clock, ServerLogger } from '../../server/context/call-context.ts';
import { createInFlightRequests, type InFlightRequests } from './in-flight-requests.ts';
import { rpcErrorCodes, errorResponse, retryLater } from './error-response.ts';
import type { HttpCaller } from './caller.ts';
import type { Limits } from './limits.ts';

/** A message of a 2025-era client, its sender known. */
export interface SessionMessage {
  readonly request: Request;
  /** The parsed body; undefined for GET and DELETE. */
  readonly body?: unknown;
  readonly caller: HttpCaller;
  readonly authInfo: AuthInfo;
  /** Where it comes from. */
  readonly address: string;
}

/** An answer that may still be on its way. */
export interface TrackedResponse {
  readonly response: Response;
  /** To be called when nothing more comes: until then the session counts as used. */
  readonly release: () => void;
}

/** Sessions of 2025-era clients. Each is open to the principal that opened it, held to what it was then. */
export interface Sessions {
  /** Answers a message in its session, or opens one. */
  answer(message: SessionMessage): Promise<TrackedResponse>;
  /** Ends every session. */
  close(): Promise<void>;
}

/** How many there may be, and how long one may go unused. */
export interface SessionLimits extends Pick<Limits, 'sessions' | 'sessionsPerPrincipal' | 'sessionsPerAddress' | 'idleSessionTime'> {
  readonly sessionsPerIdentity: number;
}

/** What sessions work with. */
export interface SessionDependencies {
  readonly build: (caller: HttpCaller) => McpServer;
  readonly limits: SessionLimits;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

interface Session {
  readonly caller: HttpCaller;
  /** Where it was opened from. */
  readonly address: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly inFlight: InFlightRequests;
  /** Requests and streams that are open. */
  inUse: number;
  /** In milliseconds since 1970. */
  lastUsed: number;
}

const sessionHeader = 'mcp-session-id';

// To whom it isn't open it might as well not exist. A client answers this by opening a new one.
const unknownSession = (): Response =>
  errorResponse({ status: 404, code: rpcErrorCodes.unknownSession, message: 'Session not found. It ended, is not yours, or was opened under other restrictions: initialize again.' });

const repeatedId = (): Response =>
  errorResponse({ status: 400, code: rpcErrorCodes.invalidRequest, message: 'A request of this session with the same id is still being answered. Nothing was carried out: give each request an id of its own.' });

const sameCaller = (one: HttpCaller, other: HttpCaller): boolean =>
  one.principal === other.principal && one.restriction.name === other.restriction.name;

const isInitialize = (body: unknown): boolean => (body as { method?: unknown } | null | undefined)?.method === 'initialize';

const untracked = (response: Response): TrackedResponse => ({ response, release: () => undefined });

type SessionEntry = readonly [id: string, session: Session];

const leastRecentlyUsed = (among: readonly SessionEntry[]): SessionEntry | undefined =>
  among.filter(([, { inUse }]) => inUse === 0).toSorted(([, a], [, b]) => a.lastUsed - b.lastUsed)[0];

/** Sessions of one host, none yet. Those unused for too long end by themselves. */
export function createSessions({ build, limits, clock, log }: SessionDependencies): Sessions {
  // In the order of their opening.
  const sessions = new Map<string, Session>();

  const end = async (id: string, why: string): Promise<void> => {
    const session = sessions.get(id);
    if (!session) return;
    sessions.delete(id);
    log.debug({ principal: session.caller.principal, why }, 'session ended');
    await session.server.close();
  };

  const endIdle = (): void => {
    const oldest = clock.now() - limits.idleSessionTime;
    for (const [id, { inUse, lastUsed }] of sessions) if (inUse === 0 && lastUsed < oldest) void end(id, 'unused for too long');
  };
  const timer = setInterval(endIdle, Math.ceil(limits.idleSessionTime / 10)).unref();

  const sessionsWhere = (is: (session: Session) => boolean): readonly SessionEntry[] => [...sessions].filter(([, session]) => is(session));

  /** The sessions of whoever has most of them; none where that is not more than somebody would have with one more than these. */
  const largestBeside = (own: readonly SessionEntry[]): readonly SessionEntry[] => {
    const [largest = []] = [...Map.groupBy(sessions, ([, { caller }]) => caller.identity).values()].toSorted((a, b) => b.length - a.length);
    return largest.length > own.length + 1 ? largest : [];
  };

  /**
   * Whether one more fits. Clients that come again without saying goodbye lose the session they left; when there are too many in all,
   * whoever has most loses one that is left, so that those who have few always get in.
   */
  const hasRoomFor = ({ principal, identity }: HttpCaller, address: string): boolean => {
    const own = sessionsWhere(({ caller }) => caller.principal === principal);
    const alike = sessionsWhere(({ caller }) => caller.identity === identity);
    const near = sessionsWhere((session) => session.address === address);
    const leaving = (): SessionEntry | undefined => {
      if (near.length >= limits.sessionsPerAddress) return leastRecentlyUsed(alike.filter((entry) => near.includes(entry)));
      if (own.length >= limits.sessionsPerPrincipal) return leastRecentlyUsed(own);
      return leastRecentlyUsed(alike) ?? (alike.length >= limits.sessionsPerIdentity ? undefined : leastRecentlyUsed(largestBeside(alike)));
    };
    if (sessions.size < limits.sessions && own.length < limits.sessionsPerPrincipal && alike.length < limits.sessionsPerIdentity && near.length < limits.sessionsPerAddress) return true;
    const left = leaving();
    if (left) void end(left[0], 'made room for another one');
    return left !== undefined;
  };

  const open = async ({ caller, address }: SessionMessage): Promise<[string, Session]> => {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const server = build(caller);
    const session: Session = { caller, address, server, transport, inFlight: createInFlightRequests(transport), inUse: 0, lastUsed: clock.now() };
    // Known from now on, so that a flood of openings can't get past the limits.
    sessions.set(id, session);
    const { onclose } = server.server;
    Object.assign(server.server, {
      onclose: () => {
        sessions.delete(id);
        onclose?.();
      },
      onerror: (error: Error) => log.debug({ err: error, principal: caller.principal }, 'protocol error'),
    });
    await server.connect(transport);
    return [id, session];
  };

  const using = async (session: Session, { request, body, authInfo }: SessionMessage): Promise<TrackedResponse> => {
    const answered = session.inFlight.begin(body);
    if (!answered) return untracked(repeatedId());
    session.inUse += 1;
    session.lastUsed = clock.now();
    let held = true;
    const left = (): void => {
      answered();
      if (held) session.inUse -= 1;
      held = false;
      session.lastUsed = clock.now();
    };
    try {
      const response = await session.transport.handleRequest(request, { parsedBody: body, authInfo });
      session.inFlight.cancel(body);
      return { response, release: left };
    } catch (error) {
      left();
      throw error;
    }
  };

  const answerNew = async (message: SessionMessage): Promise<TrackedResponse> => {
    if (!isInitialize(message.body)) {
      return untracked(errorResponse({ status: 400, message: 'Bad Request: Mcp-Session-Id header is required. Initialize first to get a session.' }));
    }
    if (!hasRoomFor(message.caller, message.address)) {
      return untracked(retryLater(30, 'Too many sessions are open. End one that is no longer needed with DELETE, or try again later.'));
    }
    const [id, session] = await open(message);
    const answered = await using(session, message);
    if (session.transport.sessionId === undefined) await end(id, 'initialized wrongly');
    return answered;
  };

  return {
    async answer(message) {
      const id = message.request.headers.get(sessionHeader);
      if (id === null) return answerNew(message);
      const session = sessions.get(id);
      return session && sameCaller(session.caller, message.caller) ? using(session, message) : untracked(unknownSession());
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.keys()].map((id) => end(id, 'the server stops')));
    },
  };
}
