import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import type { PermissionLevel } from '../../contract/operation.ts';
import type { Clock, Log } from '../../server/context/context.ts';
import { approvalsPage, type ShownApprovals } from './approvals/approvals.ts';
import { checkAddress, hostsOf, inHeader, originsOf, type Address } from './bind.ts';
import { mcpEndpoint } from './endpoint.ts';
import { createEras, type BuildServer, type EraParts, type LegacyMode } from './eras.ts';
import { livez, readyz } from './health.ts';
import type { Handler } from './exchange.ts';
import { startHost } from './host.ts';
import { identifyWith, local, type Authenticate } from './identity.ts';
import { createLanes } from './lanes.ts';
import { challengeTo } from './levels.ts';
import { defaultLimits, identityLimits, unboundedAddresses, type Limits } from './limits.ts';

/** Where MCP is served. */
export const mcpPath = '/mcp';

/** What an HTTP server for MCP is made of. */
export interface HttpServerOptions extends Address {
  /** 0 takes a free one. */
  readonly port: number;
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it clients of the 2026 revision are told of no changes. */
  readonly watch?: EraParts['watch'];
  /** What a tool needs; undefined where there is no such tool. */
  readonly levelOf: (tool: string) => PermissionLevel | undefined;
  /** Who may call. Without it only this machine is served. */
  readonly authenticate?: Authenticate;
  /** What the operator's page of approvals shows; without it there is no such page. */
  readonly approvals?: ShownApprovals;
  /** What else is served, by path. */
  readonly routes?: Readonly<Record<string, Handler>>;
  /** Whether the server has a token of its own for the platform. */
  readonly holdsToken: boolean;
  /** Changes whenever the operator's policy does: sessions end that were opened under another one. */
  readonly policyVersion?: () => string;
  /** Asks the platform once whether it can be worked with; fails when not. */
  readonly askPlatform: () => Promise<unknown>;
  readonly legacy?: LegacyMode;
  readonly limits?: Partial<Limits>;
  /** Whether what one address takes up is bounded too. Default: only without a public URL, behind which a proxy has one address for all. */
  readonly limitAddresses?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** The MCP endpoint. */
  readonly url: string;
  /** Stops: takes no new calls, lets running ones finish or tells them how to go on. */
  readonly close: () => Promise<void>;
}

/**
 * Serves MCP over HTTP, in both protocol eras, with health checks beside it.
 * @throws Error when it would be open to everybody, or can't listen there.
 */
export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, build, watch, levelOf, authenticate, holdsToken, policyVersion = () => '', askPlatform, legacy = 'sessions', clock, log } = options;
  checkAddress(options, authenticate !== undefined);
  const limits: Limits = { ...defaultLimits, ...((options.limitAddresses ?? options.publicUrl === undefined) ? {} : unboundedAddresses), ...options.limits };
  const perIdentity = identityLimits(limits, authenticate !== undefined);
  const eras = createEras({ build, watch, legacy, limits: { ...limits, sessionsPerIdentity: perIdentity.sessions }, clock, log });
  const hosts = hostsOf(options);
  const underForeignName = (request: Request): Response | undefined => hostHeaderValidationResponse(request, hosts);
  const endpoint = mcpEndpoint({
    underForeignName,
    origins: originsOf(options),
    identify: identifyWith(authenticate ?? local, { holdsToken, policyVersion }),
    challenge: (caller, requests) => challengeTo(caller, requests, levelOf),
    // Calls that run take turns, and need no bound by address.
    calls: createLanes({ ...limits, callsPerIdentity: perIdentity.calls, callsPerAddress: Number.POSITIVE_INFINITY, waitingPerIdentity: perIdentity.waiting }),
    streams: createLanes({
      calls: limits.connections, callsEach: limits.streamsEach, callsPerIdentity: perIdentity.streams, callsPerAddress: limits.streamsPerAddress,
      waitingEach: 0, waitingPerIdentity: 0, waitingPerAddress: 0, waitingTime: 0,
    }),
    eras,
    largestBody: limits.body,
    largestBatch: Math.min(limits.calls, limits.callsEach),
  });
  const running = await startHost({
    host,
    port,
    limits,
    log,
    routes: {
      ...options.routes,
      ...(options.approvals && approvalsPage({ ...options.approvals, underForeignName, publicUrl: options.publicUrl, clock, log })),
      [mcpPath]: endpoint,
      '/livez': livez,
      '/readyz': readyz({ askPlatform, clock, log }),
    },
  });
  return {
    port: running.port,
    url: `http://${inHeader(host)}:${running.port}${mcpPath}`,
    async close() {
      await running.drain();
      await eras.close();
    },
  };
}
