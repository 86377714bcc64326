import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  legacyStatelessFallback,
  type AuthInfo,
  type McpRequestContext,
  type McpServer,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Clock, ServerLogger } from '../../server/context/index.ts';
import { authInfoOf, callOf, type HttpCall, type HttpCaller } from './caller.ts';
import { Sessions, sessionHeader, type TrackedResponse } from './sessions.ts';
import type { SessionLimits } from './session-room.ts';
import { standInFor } from '../message-line.ts';
import { isListenRequest, type WatchUri, withResources, subscribe } from '../subscriptions.ts';
import { asWebRequest, type HttpRequest } from './http-request.ts';

/** Streams that notify clients of the 2026 revision of changes. */
export interface SubscriptionStreams {
  /** Opens a stream for the resources that a message requests and that can be watched. */
  open(request: Request, message: unknown, authInfo: AuthInfo, watch: WatchUri): Promise<Response>;
  /** Ends every stream. */
  close(): Promise<void>;
}

/** Creates an empty set of streams. Each has its own handler, so that no notification can reach another caller. */
function createSubscriptionStreams(factory: McpServerFactory, onerror: (error: Error) => void): SubscriptionStreams {
  const handlers = new Set<{ close(): Promise<void> }>();
  return {
    async open(request, message, authInfo, watch) {
      const subscription = await subscribe(message, watch);
      let isOpen = false;
      const end = (): void => {
        subscription.stop();
        handlers.delete(handler);
      };
      const bus: ServerEventBus = {
        publish: () => undefined,
        subscribe: (listener) => {
          isOpen = true;
          subscription.onChange((uri) => listener({ kind: 'resource_updated', uri }));
          return end;
        },
      };
      const handler = createMcpHandler(factory, { legacy: 'reject', onerror, bus });
      handlers.add(handler);
      try {
        return await handler.fetch(request, { authInfo, parsedBody: withResources(message, subscription.uris) });
      } finally {
        // The request was refused or has nothing to watch: no stream stays open.
        if (!isOpen) end();
      }
    },
    async close() {
      await Promise.all([...handlers].map((handler) => handler.close()));
    },
  };
}

/**
 * The ways of serving clients that use a 2025 revision: with sessions, or statelessly for deployments without sticky
 * routing.
 */
export const legacyModes = ['sessions', 'stateless'] as const;
export type LegacyMode = (typeof legacyModes)[number];

/**
 * Builds a server for one caller: for one request in the 2026 revision, for one session in earlier ones.
 * @param request if the server is for that request only: its method, and what gets the message that answers it.
 */
export type BuildServer = (
  era: 'legacy' | 'modern',
  caller: HttpCaller,
  request?: { readonly method: string | undefined; readonly answered: (message: object) => void },
) => McpServer;

export interface VersionRouterDependencies {
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it, clients of the 2026 revision get no change notifications. */
  readonly watch?: (call: HttpCall) => WatchUri;
  readonly legacy: LegacyMode;
  readonly limits: SessionLimits;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** A response of the MCP library, and whether the call continues after the client disconnected. */
export interface VersionedResponse extends TrackedResponse {
  readonly outlivesClient: boolean;
  /** The message that is the body of the response, if that is known without reading it. */
  readonly message?: object | undefined;
}

/** Serves all protocol versions at one URL. */
export interface VersionRouter {
  /**
   * @param body the parsed body; undefined for GET and DELETE.
   * @param address the client's address.
   */
  answer(request: HttpRequest, body: unknown, call: HttpCall, address: string): Promise<VersionedResponse>;
  /** The number of open sessions of clients that use a 2025 revision. */
  sessions(): number;
  /** Ends the sessions of callers whose rights have changed. */
  recheck(): Promise<void>;
  close(): Promise<void>;
}

const isJson = ({ headers }: Response): boolean => isJsonContentType(headers.get('content-type'));

const statelessResponse = (response: Response, message?: object): VersionedResponse => ({
  response,
  // A stream has more messages than the one that ends it.
  message: message && isJson(response) ? message : undefined,
  release: () => undefined,
  outlivesClient: false,
});

/**
 * The body of a session's message, with stand-ins for responses that the library doesn't accept, so that these still
 * end their requests.
 */
const withStandIns = (body: unknown): unknown =>
  Array.isArray(body) ? body.map((message: unknown) => standInFor(message) ?? message) : (standInFor(body) ?? body);

/** Creates a router that serves the 2026 revision statelessly, and the 2025 revisions in the configured mode. */
export function createVersionRouter({
  build,
  watch = () => async () => undefined,
  legacy,
  limits,
  clock,
  log,
}: VersionRouterDependencies): VersionRouter {
  const protocolError = (error: Error): void => log.debug({ err: error }, 'protocol error');
  /** The messages that answered requests of the 2026 revision. */
  const answers = new WeakMap<HttpCall, object>();
  const factory = ({ era, authInfo, requestInfo }: McpRequestContext): McpServer => {
    const call = callOf(authInfo);
    if (era !== 'modern') return build(era, call.caller);
    // The library has checked that the header matches the message.
    const method = requestInfo?.headers.get('mcp-method') ?? undefined;
    return build(era, call.caller, { method, answered: (message) => void answers.set(call, message) });
  };
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror: protocolError });
  const subscriptions = createSubscriptionStreams(factory, protocolError);
  const stateless = legacyStatelessFallback(factory, protocolError);
  const sessions = new Sessions({ build: (caller) => build('legacy', caller), limits, clock, log });

  return {
    async answer(received, given, call, address) {
      const request = asWebRequest(received);
      const body = request.headers.has(sessionHeader) ? withStandIns(given) : given;
      const authInfo = authInfoOf(call);
      const options = { authInfo, parsedBody: body };
      if (!(await isLegacyRequest(request, body))) {
        const response = await (isListenRequest(body)
          ? subscriptions.open(request, body, authInfo, watch(call))
          : modern.fetch(request, options));
        return statelessResponse(response, answers.get(call));
      }
      if (legacy === 'stateless') return statelessResponse(await stateless(request, options));
      // In the 2025 revisions a lost connection does not cancel the request.
      return {
        ...(await sessions.answer({ request: received, body, authInfo, caller: call.caller, address })),
        outlivesClient: true,
      };
    },
    sessions: () => sessions.count(),
    recheck: () => sessions.recheck(),
    async close() {
      await Promise.all([modern.close(), subscriptions.close(), sessions.close()]);
    },
  };
}
