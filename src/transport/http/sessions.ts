import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type McpServer } from '@modelcontextprotocol/server';
import type { Clock, ServerLogger } from '../../server/context/index.ts';
import { createInFlightRequests, type InFlightRequests } from './in-flight-requests.ts';
import { rpcErrorCodes, errorResponse, retryLater } from './error-response.ts';
import { callOf, sameRights, type HttpCaller } from './caller.ts';
import { runAt } from './live-streams.ts';
import { endSubscriptions } from '../../server/browse/index.ts';
import { endQuestions } from '../../server/protocol/index.ts';
import { roomFor, type SessionLimits } from './session-room.ts';
import { asWebRequest, type HttpRequest } from './http-request.ts';

/** A message of a client that uses a 2025 revision, with its authenticated caller. */
export interface SessionMessage {
  readonly request: HttpRequest;
  /** The parsed body; undefined for GET and DELETE. */
  readonly body?: unknown;
  readonly caller: HttpCaller;
  readonly authInfo: AuthInfo;
  /** The client's address. */
  readonly address: string;
}

/** A response whose body may still be streaming. */
export interface TrackedResponse {
  readonly response: Response;
  /** Must be called when the response has ended. Until then the session counts as in use. */
  readonly release: () => void;
}

export interface SessionDependencies {
  readonly build: (caller: HttpCaller) => McpServer;
  readonly limits: SessionLimits;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

interface Session {
  readonly caller: HttpCaller;
  /** Address of the client that opened it. */
  readonly address: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly inFlight: InFlightRequests;
  /** Number of open requests and streams. */
  inUse: number;
  /** In milliseconds since 1970. */
  lastUsed: number;
  /** Number of open streams for notifications, and when the last one was open, or the session started. */
  streams: number;
  lastStream: number;
  /** The latest message. */
  latest: AuthInfo;
  /** Cancels the timer for the expiry of the latest message's access token. */
  keepOn?: () => void;
  /** Whether it has ended for its client, and only finishes its running calls. */
  isOver: boolean;
}

/** The header with the id of a session. */
export const sessionHeader = 'mcp-session-id';

// Other callers get the same response as for an unknown session. Clients react to it by opening a new one.
const unknownSession = (): Response =>
  errorResponse({
    status: 404,
    code: rpcErrorCodes.unknownSession,
    message: 'Session not found. It ended, is not yours, or was opened under other restrictions: initialize again.',
  });

const repeatedId = (): Response =>
  errorResponse({
    status: 400,
    code: rpcErrorCodes.invalidRequest,
    message:
      'A request of this session with the same id is still being answered. Nothing was carried out: give each request an id of its own.',
  });

const isInitialize = (body: unknown): boolean =>
  (body as { method?: unknown } | null | undefined)?.method === 'initialize';

const untracked = (response: Response): TrackedResponse => ({ response, release: () => undefined });

/**
 * Sessions of clients that use a 2025 revision. Only the principal that opened a session may use it, under the same
 * restriction. Idle sessions end by themselves.
 */
export class Sessions {
  readonly #build: SessionDependencies['build'];
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #log: ServerLogger;
  /** In the order in which they were opened. */
  readonly #sessions = new Map<string, Session>();
  /** Those that have ended for their clients, and only finish their running calls. */
  readonly #finishing = new Set<Session>();
  readonly #timer: NodeJS.Timeout;

  constructor({ build, limits, clock, log }: SessionDependencies) {
    this.#build = build;
    this.#limits = limits;
    this.#clock = clock;
    this.#log = log;
    this.#timer = setInterval(() => this.#endIdle(), Math.ceil(limits.idleSessionTime / 10)).unref();
  }

  /** Answers a message in its session, or opens a session for it. */
  async answer(message: SessionMessage): Promise<TrackedResponse> {
    const id = message.request.headers.get(sessionHeader);
    if (id === null) return this.#answerNew(message);
    const session = this.#sessions.get(id);
    return session && sameRights(session.caller, message.caller)
      ? this.#answerIn(session, message)
      : untracked(unknownSession());
  }

  /** The number of open sessions. */
  count(): number {
    return this.#sessions.size;
  }

  /**
   * Ends the sessions of callers whose rights have changed since their last message. Calls that wait for an answer from
   * the user are refused; other running calls may finish.
   */
  async recheck(): Promise<void> {
    const checked = [...this.#sessions].map(async ([id, session]) =>
      (await callOf(session.latest).hasSameRights()) ? undefined : this.#retire(id, session),
    );
    await Promise.all(checked);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([
      ...[...this.#sessions.keys()].map((id) => this.#end(id, 'the server stops')),
      ...[...this.#finishing].map((session) => this.#closeServer(session)),
    ]);
  }

  async #answerNew(message: SessionMessage): Promise<TrackedResponse> {
    if (!isInitialize(message.body)) {
      return untracked(
        errorResponse({
          status: 400,
          message: 'Bad Request: Mcp-Session-Id header is required. Initialize first to get a session.',
        }),
      );
    }
    if (!this.#makeRoomFor(message.caller, message.address)) {
      return untracked(
        retryLater(30, 'Too many sessions are open. End one that is no longer needed with DELETE, or try again later.'),
      );
    }
    const [id, session] = await this.#open(message);
    const response = await this.#answerIn(session, message);
    if (session.transport.sessionId === undefined) await this.#end(id, 'initialized wrongly');
    return response;
  }

  async #answerIn(session: Session, { request, body, caller, authInfo }: SessionMessage): Promise<TrackedResponse> {
    const finish = session.inFlight.begin(body);
    if (!finish) return untracked(repeatedId());
    session.inUse += 1;
    session.lastUsed = this.#clock.now();
    const streams = request.method === 'GET' ? 1 : 0;
    session.streams += streams;
    session.latest = authInfo;
    this.#keepUntilExpiry(session, caller);
    let released = false;
    const release = (): void => {
      finish();
      if (!released) {
        session.inUse -= 1;
        session.streams -= streams;
        if (streams > 0) session.lastStream = this.#clock.now();
      }
      released = true;
      session.lastUsed = this.#clock.now();
      if (session.isOver && session.inUse === 0) void this.#closeServer(session);
    };
    try {
      const response = await session.transport.handleRequest(asWebRequest(request), { parsedBody: body, authInfo });
      session.inFlight.cancel(body);
      return { response, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #open({ caller, address, authInfo }: SessionMessage): Promise<[string, Session]> {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const server = this.#build(caller);
    const now = this.#clock.now();
    const session: Session = {
      caller,
      address,
      server,
      transport,
      inFlight: createInFlightRequests(transport),
      inUse: 0,
      lastUsed: now,
      streams: 0,
      lastStream: now,
      latest: authInfo,
      isOver: false,
    };
    this.#rejectUnheard(session);
    // Registered before the first await, so that concurrent requests can't exceed the limits.
    this.#sessions.set(id, session);
    const { onclose } = server.server;
    Object.assign(server.server, {
      onclose: () => {
        this.#sessions.delete(id);
        session.keepOn?.();
        onclose?.();
      },
      onerror: (error: Error) => this.#log.debug({ err: error, principal: caller.principal }, 'protocol error'),
    });
    await server.connect(transport);
    return [id, session];
  }

  /** Makes room for one more session, if possible. @returns whether there is room. */
  #makeRoomFor(caller: HttpCaller, address: string): boolean {
    const room = roomFor(this.#sessions, this.#limits, caller, address);
    if (typeof room === 'string') void this.#end(room, 'made room for another one');
    return room !== undefined;
  }

  /**
   * Rejects notifications that no client receives, so that the subscribed resources are no longer polled. A client may
   * lose its stream and open another one; it has as much time for that as a session may be idle.
   */
  #rejectUnheard(session: Session): void {
    const { transport } = session;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const isUnheard =
        options?.relatedRequestId === undefined &&
        'method' in message &&
        session.streams === 0 &&
        this.#clock.now() - session.lastStream >= this.#limits.idleSessionTime;
      return isUnheard
        ? Promise.reject(new Error('the client has no stream for notifications'))
        : send(message, options);
    };
  }

  /** Stops notifications when the access token expires. Another message with a newer token may follow. */
  #keepUntilExpiry(session: Session, { validUntil }: HttpCaller): void {
    session.keepOn?.();
    session.keepOn =
      validUntil === undefined ? undefined : runAt(validUntil, this.#clock, () => endSubscriptions(session.server));
  }

  #endIdle(): void {
    const oldest = this.#clock.now() - this.#limits.idleSessionTime;
    for (const [id, { inUse, lastUsed }] of this.#sessions)
      if (inUse === 0 && lastUsed < oldest) void this.#end(id, 'unused for too long');
  }

  async #end(id: string, why: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    this.#log.debug({ principal: session.caller.principal, why }, 'session ended');
    session.keepOn?.();
    await session.server.close();
  }

  /**
   * Ends a session for its client. Its running calls finish; those that wait for the user's answer are refused, because
   * none can arrive any more.
   */
  async #retire(id: string, session: Session): Promise<void> {
    this.#sessions.delete(id);
    this.#log.debug({ principal: session.caller.principal, why: 'its rights changed' }, 'session ended');
    session.isOver = true;
    this.#finishing.add(session);
    endSubscriptions(session.server);
    endQuestions(session.server);
    if (session.inUse === 0) await this.#closeServer(session);
  }

  async #closeServer(session: Session): Promise<void> {
    session.keepOn?.();
    this.#finishing.delete(session);
    await session.server.close();
  }
}
