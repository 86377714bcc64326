import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import { includesPermission, type PermissionLevel } from '../../contract/operation.ts';
import type { Clock, ServerLogger } from '../../server/context/call-context.ts';
import { approvalsPage, type ApprovalsSource } from './approvals/approvals-page.ts';
import { assertSafeAddress, acceptedHosts, hostForUrl, acceptedOrigins, type ListenAddress } from './listen-address.ts';
import { mcpEndpoint } from './endpoint.ts';
import { createVersionRouter, type BuildServer, type VersionRouterDependencies, type LegacyMode } from './version-router.ts';
import { livez, readyz } from './health.ts';
import type { HttpHandler } from './exchange.ts';
import { startHost } from './host.ts';
import { createIdentify, localAuthentication, type AuthenticateCaller } from './identity.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';
import { defaultLimits, identityLimits, unlimitedAddresses, type Limits } from './limits.ts';
import type { HttpCaller } from './caller.ts';
import type { RpcRequest } from './rpc-requests.ts';

/**
 * The answer to a caller whose level doesn't reach far enough and who can bring more, or undefined.
 * @param levelOf what a tool needs; undefined where there is no such tool.
 */
function challengeTo(
  { level, stepUp }: HttpCaller,
  requests: readonly RpcRequest[],
  levelOf: (tool: string) => PermissionLevel | undefined,
): Response | undefined {
  for (const { method, name } of requests) {
    const needed = method === 'tools/call' && name !== undefined ? levelOf(name) : undefined;
    if (needed && stepUp && !includesPermission(level, needed)) return stepUp(needed, name!);
  }
  return undefined;
}

/** Where MCP is served. */
export const mcpPath = '/mcp';

/** What an HTTP server for MCP is made of. */
export interface HttpServerOptions extends ListenAddress {
  /** 0 takes a free one. */
  readonly port: number;
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it clients of the 2026 revision are told of no changes. */
  readonly watch?: VersionRouterDependencies['watch'];
  /** What a tool needs; undefined where there is no such tool. */
  readonly levelOf: (tool: string) => PermissionLevel | undefined;
  /** Who may call. Without it only this machine is served. */
  readonly authenticate?: AuthenticateCaller;
  /** What the operator's page of approvals shows; without it there is no such page. */
  readonly approvals?: ApprovalsSource;
  /** What else is served, by path. */
  readonly routes?: Readonly<Record<string, HttpHandler>>;
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
  readonly log: ServerLogger;
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
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, build, watch, levelOf, authenticate, holdsToken, policyVersion = () => '', askPlatform, legacy = 'sessions', clock, log } = options;
  assertSafeAddress(options, authenticate !== undefined);
  const limits: Limits = { ...defaultLimits, ...((options.limitAddresses ?? options.publicUrl === undefined) ? {} : unlimitedAddresses), ...options.limits };
  const perIdentity = identityLimits(limits, authenticate !== undefined);
  const eras = createVersionRouter({ build, watch, legacy, limits: { ...limits, sessionsPerIdentity: perIdentity.sessions }, clock, log });
  const hosts = acceptedHosts(options);
  const underForeignName = (request: Request): Response | undefined => hostHeaderValidationResponse(request, hosts);
  const endpoint = mcpEndpoint({
    rejectUnknownHost: underForeignName,
    origins: acceptedOrigins(options),
    identify: createIdentify(authenticate ?? localAuthentication, { holdsToken, policyVersion }),
    challenge: (caller, requests) => challengeTo(caller, requests, levelOf),
    // Calls that run take turns, and need no bound by address.
    calls: createConcurrencyLimiter({ ...limits, callsPerIdentity: perIdentity.calls, callsPerAddress: Number.POSITIVE_INFINITY, waitingPerIdentity: perIdentity.waiting }),
    streams: createConcurrencyLimiter({
      calls: limits.connections, callsPerPrincipal: limits.streamsPerPrincipal, callsPerIdentity: perIdentity.streams, callsPerAddress: limits.streamsPerAddress,
      waitingPerPrincipal: 0, waitingPerIdentity: 0, waitingPerAddress: 0, waitingTime: 0,
    }),
    versionRouter: eras,
    largestBody: limits.body,
    largestBatch: Math.min(limits.calls, limits.callsPerPrincipal),
  });
  const running = await startHost({
    host,
    port,
    limits,
    log,
    routes: {
      ...options.routes,
      ...(options.approvals && approvalsPage({ ...options.approvals, rejectUnknownHost: underForeignName, publicUrl: options.publicUrl, clock, log })),
      [mcpPath]: endpoint,
      '/livez': livez,
      '/readyz': readyz({ askPlatform, clock, log }),
    },
  });
  return {
    port: running.port,
    url: `http://${hostForUrl(host)}:${running.port}${mcpPath}`,
    async close() {
      await running.drain();
      await eras.close();
    },
  };
}
