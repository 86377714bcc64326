import { includesPermission, type PermissionLevel } from '../../contract/index.ts';
import type { Clock, ServerLogger } from '../../server/context/index.ts';
import type { ApprovalsSource } from './approvals/approvals-tab.ts';
import { chatEndpoint, chatPath, type ReceiveFromChat } from './approvals/chat-endpoint.ts';
import { approvalsPath, consolePath } from './console/page-frame.ts';
import { operatorRoutes, type ConsoleSource } from './console/routes.ts';
import { acceptedOrigins, rejectOrigin } from './cross-origin.ts';
import { assertSafeAddress, acceptedHosts, hostCheck, hostForUrl, type ListenAddress } from './listen-address.ts';
import { mcpEndpoint } from './endpoint.ts';
import {
  createVersionRouter,
  type BuildServer,
  type VersionRouterDependencies,
  type LegacyMode,
} from './version-router.ts';
import { livez, readyz } from './health.ts';
import type { HttpHandler } from './exchange.ts';
import { startHost } from './host.ts';
import { createIdentify, localAuthentication, type AuthenticateCaller } from './identity.ts';
import { createLiveStreams } from './live-streams.ts';
import { defaultLimits, identityLimits, unlimitedAddresses, type Limits } from './limits.ts';
import { mcpPath, mountOf } from './mount.ts';
import { createSlots } from './slots.ts';
import type { HttpCaller } from './caller.ts';
import { createFindPerson } from './person.ts';
import type { RpcRequest } from './request-body.ts';
import type { OfferedToolsets } from './toolset-choice.ts';

/**
 * The response to a caller whose level is too low but who can get a higher one; undefined for all others.
 * @param levelOf the level that a tool needs; undefined for an unknown tool.
 */
function challengeTo(
  { level, stepUp, restriction: { choice } }: HttpCaller,
  requests: readonly RpcRequest[],
  levelOf: (tool: string) => PermissionLevel | undefined,
): Response | undefined {
  for (const { method, name } of requests) {
    // A higher level would not help with a tool that the request itself leaves out.
    const isCall = method === 'tools/call' && name !== undefined && (!choice || choice.tools.has(name));
    const needed = isCall ? levelOf(name) : undefined;
    if (needed && stepUp && !includesPermission(level, needed)) return stepUp(needed, name!);
  }
  return undefined;
}

/** Options of an HTTP server for MCP. */
export interface HttpServerOptions extends ListenAddress {
  /** 0 picks a free port. */
  readonly port: number;
  readonly build: BuildServer;
  /** Watches resources for one caller. Without it, clients of the 2026 revision get no change notifications. */
  readonly watch?: VersionRouterDependencies['watch'];
  /** The level that a tool needs; undefined for an unknown tool. */
  readonly levelOf: (tool: string) => PermissionLevel | undefined;
  /** The toolsets that requests can choose. Default: none. */
  readonly toolsets?: OfferedToolsets;
  /** Authenticates callers. Without it, the server may only listen on a loopback address. */
  readonly authenticate?: AuthenticateCaller;
  /** Data of the approvals page. Without it, there is no such page. */
  readonly approvals?: ApprovalsSource;
  /** Data of the console, of which the approvals are a tab. Without it, there is none. */
  readonly console?: ConsoleSource | undefined;
  /** Takes decisions about waiting calls from a chat. Without it, there is no such endpoint. */
  readonly approvalsChat?: ReceiveFromChat | undefined;
  /** Additional handlers by path. */
  readonly routes?: Readonly<Record<string, HttpHandler>>;
  /** Whether the server has its own token for the platform. */
  readonly holdsToken: boolean;
  /** Changes with the operator's policy. Sessions that were opened under another version are no longer accepted. */
  readonly policyVersion?: () => string;
  /** Sends one request to the platform. Rejects if the platform can't be used. */
  readonly askPlatform: () => Promise<unknown>;
  readonly legacy?: LegacyMode;
  readonly limits?: Partial<Limits>;
  /**
   * Whether limits per address apply. Default: only without a public URL, because behind a proxy all clients share its
   * address.
   */
  readonly limitAddresses?: boolean;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** The current load of an HTTP server. */
export interface HttpLoad {
  /** Requests that are being handled. */
  readonly running: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Open event streams. */
  readonly streams: number;
  /** Open sessions of clients that use a 2025 revision. */
  readonly sessions: number;
}

/** A listening HTTP server. */
export interface HttpServer {
  readonly port: number;
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly load: () => HttpLoad;
  /**
   * To be called after keys or policy changed: ends the sessions, event streams and subscriptions of callers that no
   * longer have the rights with which they opened them. Running calls may finish.
   */
  readonly recheck: () => Promise<void>;
  /**
   * Shuts down: rejects new calls and waits for running ones; those that exceed the drain time get an error that says
   * how to continue.
   */
  readonly close: () => Promise<void>;
}

/**
 * Serves MCP over HTTP in every supported protocol version, with health checks.
 * @throws Error if the server would be reachable without authentication, or the address can't be bound.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const {
    host,
    port,
    build,
    watch,
    levelOf,
    toolsets = {},
    authenticate,
    holdsToken,
    policyVersion = () => '',
    askPlatform,
    legacy = 'sessions',
    clock,
    log,
  } = options;
  assertSafeAddress(options, authenticate !== undefined);
  const limits: Limits = {
    ...defaultLimits,
    ...((options.limitAddresses ?? options.publicUrl === undefined) ? {} : unlimitedAddresses),
    ...options.limits,
  };
  const perIdentity = identityLimits(limits, authenticate !== undefined);
  const versionRouter = createVersionRouter({
    build,
    watch,
    legacy,
    limits: { ...limits, sessionsPerIdentity: perIdentity.sessions },
    clock,
    log,
  });
  const rejectUnknownHost = hostCheck(
    acceptedHosts(options),
    'add it to INFRA_HTTP_ALLOWED_HOSTS (--allowed-hosts), or set INFRA_HTTP_PUBLIC_URL (--public-url)',
    log,
  );
  const accepts = acceptedOrigins(options);
  const mount = mountOf(options.publicUrl);
  const slots = createSlots(limits, perIdentity);
  const { calls, streams } = slots;
  const liveStreams = createLiveStreams(clock);
  const endpoint = mcpEndpoint({
    rejectUnknownHost,
    rejectOrigin: (request) => rejectOrigin(request, accepts),
    identify: createIdentify(authenticate ?? localAuthentication, {
      holdsToken,
      policyVersion,
      toolsets,
      findPerson: createFindPerson(clock, log),
    }),
    challenge: (caller, requests) => challengeTo(caller, requests, levelOf),
    calls,
    streams,
    liveStreams,
    versionRouter,
    largestBody: limits.body,
    largestBatch: Math.min(limits.calls, limits.callsPerPrincipal),
  });
  const httpHost = await startHost({
    host,
    port,
    limits,
    log,
    mount,
    crossOrigin: { accepts, ownPages: [approvalsPath, consolePath] },
    routes: {
      ...options.routes,
      ...(options.approvals &&
        operatorRoutes({
          approvals: options.approvals,
          console: options.console,
          rejectUnknownHost,
          publicUrl: options.publicUrl,
          base: mount.base,
          slots,
          clock,
          log,
        })),
      ...(options.approvalsChat && { [chatPath]: chatEndpoint(options.approvalsChat, rejectUnknownHost) }),
      [mcpPath]: endpoint,
      '/livez': livez,
      '/readyz': readyz({ askPlatform, clock, log }),
    },
  });
  return {
    port: httpHost.port,
    url: `http://${hostForUrl(host)}:${httpHost.port}${mcpPath}`,
    load: () => ({ ...calls.usage(), streams: streams.usage().running, sessions: versionRouter.sessions() }),
    async recheck() {
      await Promise.all([liveStreams.recheck(), versionRouter.recheck()]);
    },
    async close() {
      await httpHost.drain();
      await versionRouter.close();
    },
  };
}
