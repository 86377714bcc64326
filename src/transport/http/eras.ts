import { createMcpHandler, isLegacyRequest, legacyStatelessFallback, type McpRequestContext, type McpServer } from '@modelcontextprotocol/server';
import type { Clock, Log } from '../../server/context/context.ts';
import { authInfoOf, callOf, type HttpCall, type HttpCaller } from './caller.ts';
import { createSessions, type Answered, type SessionLimits } from './sessions.ts';
import { isListen, type Watch } from '../subscriptions.ts';
import { createSubscriptionStreams } from './subscriptions.ts';

/** How 2025-era clients are served: with sessions, or each request by itself for fleets without sticky routing. */
export const legacyModes = ['sessions', 'stateless'] as const;
export type LegacyMode = (typeof legacyModes)[number];

/**
 * A server for one caller: for one request of the 2026 revision, for one session of the earlier ones.
 * @param method what the request asks for, where it is known to be all that is asked.
 */
export type BuildServer = (era: 'legacy' | 'modern', caller: HttpCaller, method?: string) => McpServer;

/** What both eras work with. */
export interface EraParts {
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it clients of the 2026 revision are told of no changes. */
  readonly watch?: (call: HttpCall) => Watch;
  readonly legacy: LegacyMode;
  readonly limits: SessionLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer of the MCP library, and whether its work goes on when the client leaves. */
export interface EraAnswer extends Answered {
  readonly outlivesClient: boolean;
}

/** Both protocol eras behind one address. */
export interface Eras {
  /**
   * @param body the parsed body; undefined for GET and DELETE.
   * @param address where it comes from.
   */
  answer(request: Request, body: unknown, call: HttpCall, address: string): Promise<EraAnswer>;
  close(): Promise<void>;
}

const withoutState = (response: Response): EraAnswer => ({ response, left: () => undefined, outlivesClient: false });

/** Serves the 2026 revision without state, and the 2025 ones as the operator chose. */
export function createEras({ build, watch = () => async () => undefined, legacy, limits, clock, log }: EraParts): Eras {
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
        return withoutState(await (isListen(body) ? subscriptions.open(request, body, authInfo, watch(call)) : modern.fetch(request, options)));
      }
      if (legacy === 'stateless') return withoutState(await stateless(request, options));
      // By the 2025 revisions a lost connection cancels nothing.
      return { ...(await sessions.answer({ request, body, authInfo, caller: call.caller, address })), outlivesClient: true };
    },
    async close() {
      await Promise.all([modern.close(), subscriptions.close(), sessions.close()]);
    },
  };
}
