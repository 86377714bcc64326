import { createMcpHandler, isLegacyRequest, legacyStatelessFallback, type AuthInfo, type McpRequestContext, type McpServer, type McpServerFactory, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Clock, ServerLogger } from '../../server/context/call-context.ts';
import { authInfoOf, callOf, type HttpCall, type HttpCaller } from './caller.ts';
import { createSessions, type TrackedResponse, type SessionLimits } from './sessions.ts';
import { isListenRequest, type WatchResource, withResources, subscribe } from '../subscriptions.ts';

/** Streams on which clients of the 2026 revision are told of changes. */
export interface SubscriptionStreams {
  /** Opens a stream for what the message asks, as far as it can be watched. */
  open(request: Request, message: unknown, authInfo: AuthInfo, watch: WatchResource): Promise<Response>;
  /** Ends every stream. */
  close(): Promise<void>;
}

/** No streams yet. Each has a handler of its own, so that nothing one caller listens for can reach another. */
function createSubscriptionStreams(factory: McpServerFactory, onerror: (error: Error) => void): SubscriptionStreams {
  const handlers = new Set<{ close(): Promise<void> }>();
  return {
    async open(request, message, authInfo, watch) {
      const listening = await subscribe(message, watch);
      let isOpen = false;
      const ended = (): void => {
        listening.stop();
        handlers.delete(handler);
      };
      const bus: ServerEventBus = {
        publish: () => undefined,
        subscribe: (listener) => {
          isOpen = true;
          listening.onChange((uri) => listener({ kind: 'resource_updated', uri }));
          return ended;
        },
      };
      const handler = createMcpHandler(factory, { legacy: 'reject', onerror, bus });
      handlers.add(handler);
      try {
        return await handler.fetch(request, { authInfo, parsedBody: withResources(message, listening.uris) });
      } finally {
        // Refused, or nothing to be told: no stream stays open.
        if (!isOpen) ended();
      }
    },
    async close() {
      await Promise.all([...handlers].map((handler) => handler.close()));
    },
  };
}

/** How 2025-era clients are served: with sessions, or each request by itself for fleets without sticky routing. */
export const legacyModes = ['sessions', 'stateless'] as const;
export type LegacyMode = (typeof legacyModes)[number];

/**
 * A server for one caller: for one request of the 2026 revision, for one session of the earlier ones.
 * @param method what the request asks for, where it is known to be all that is asked.
 */
export type BuildServer = (era: 'legacy' | 'modern', caller: HttpCaller, method?: string) => McpServer;

/** What both eras work with. */
export interface VersionRouterDependencies {
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it clients of the 2026 revision are told of no changes. */
  readonly watch?: (call: HttpCall) => WatchResource;
  readonly legacy: LegacyMode;
  readonly limits: SessionLimits;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** An answer of the MCP library, and whether its work goes on when the client leaves. */
export interface VersionedResponse extends TrackedResponse {
  readonly outlivesClient: boolean;
}

/** Both protocol eras behind one address. */
export interface VersionRouter {
  /**
   * @param body the parsed body; undefined for GET and DELETE.
   * @param address where it comes from.
   */
  answer(request: Request, body: unknown, call: HttpCall, address: string): Promise<VersionedResponse>;
  close(): Promise<void>;
}

const statelessResponse = (response: Response): VersionedResponse => ({ response, release: () => undefined, outlivesClient: false });

/** Serves the 2026 revision without state, and the 2025 ones as the operator chose. */
export function createVersionRouter({ build, watch = () => async () => undefined, legacy, limits, clock, log }: VersionRouterDependencies): VersionRouter {
  const protocolError = (error: Error): void => log.debug({ err: error }, 'protocol error');
  const factory = ({ era, authInfo, requestInfo }: McpRequestContext): McpServer =>
    // Of the 2026 revision the library has held the header against the message.
    build(era, callOf(authInfo).caller, era === 'modern' ? (requestInfo?.headers.get('mcp-method') ?? undefined) : undefined);
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror: protocolError });
  const subscriptions = createSubscriptionStreams(factory, protocolError);
  const stateless = legacyStatelessFallback(factory, protocolError);
  const sessions = createSessions({ build: (caller) => build('legacy', caller), limits, clock, log });

  return {
    async answer(request, body, call, address) {
      const authInfo = authInfoOf(call);
      const options = { authInfo, parsedBody: body };
      if (!(await isLegacyRequest(request, body))) {
        return statelessResponse(await (isListenRequest(body) ? subscriptions.open(request, body, authInfo, watch(call)) : modern.fetch(request, options)));
      }
      if (legacy === 'stateless') return statelessResponse(await stateless(request, options));
      // By the 2025 revisions a lost connection cancels nothing.
      return { ...(await sessions.answer({ request, body, authInfo, caller: call.caller, address })), outlivesClient: true };
    },
    async close() {
      await Promise.all([modern.close(), subscriptions.close(), sessions.close()]);
    },
  };
}
