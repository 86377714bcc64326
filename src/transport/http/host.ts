import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ServerLogger } from '../../server/context/index.ts';
import { errorResponse } from './error-response.ts';
import { discardBody } from './request-body.ts';
import { requestIdOf, sendResponse, requestTarget, type HttpExchange, type HttpHandler } from './exchange.ts';
import { answerPreflight, permitReading, type CrossOrigin } from './cross-origin.ts';
import type { Limits } from './limits.ts';
import { requestOf } from './http-request.ts';
import { mountOf, pathInMount, type Mount } from './mount.ts';

/** The /64 network of an IPv6 address. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // "::" replaces as many zero groups as are missing.
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/**
 * The client address that limits are counted by. Forwarding headers are ignored, because the client can set them. IPv6
 * clients are counted by their /64 network, because one machine can use every address in it.
 * @param remote the socket's remote address; undefined after the client disconnected.
 */
export function clientAddress(remote: string | undefined): string {
  if (remote === undefined) return 'left';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ''] = remote.split('%', 1);
  return isIPv6(address) && address !== '::1' && !address.includes('.') ? networkOf(address) : address;
}

/** Options of an HTTP host. */
interface HostOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly limits: Limits;
  readonly log: ServerLogger;
  /** Handlers by path. */
  readonly routes: Readonly<Record<string, HttpHandler>>;
  /** Where proxies find these paths. Default: at the root. */
  readonly mount?: Mount;
  /** Which pages of other origins may read responses. Default: none. */
  readonly crossOrigin?: CrossOrigin;
}

/** A listening HTTP host. */
interface Host {
  readonly port: number;
  /**
   * Reports that it isn't ready, continues for the drain delay, then stops accepting requests and waits for running
   * ones, which are closed after the drain time.
   */
  drain(): Promise<void>;
}

interface OpenRequest {
  readonly draining: AbortController;
  readonly forceClose: AbortController;
}

const listen = (server: Server, port: number, host: string): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });

/** The reason of every abort: an error of its own for each of them would have a stack that nobody reads. */
const exchangeOver = new DOMException('The exchange is over.', 'AbortError');

/** How long clients have to read the final events of closed calls, in milliseconds. */
const finalEventTime = 2000;

const connections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** Closes new connections from addresses that have reached their limit. */
function limitConnectionsPerAddress(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = clientAddress(socket.remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const remaining = open.get(address)! - 1;
      if (remaining === 0) open.delete(address);
      else open.set(address, remaining);
    });
  });
}

/** How often Node checks for stalled requests, in milliseconds. */
const checkingInterval = (limits: Limits): number => Math.min(5000, Math.ceil(limits.headersTime / 2));

/**
 * Starts an HTTP host with routing, request ids, limits, a log entry for every request and graceful shutdown.
 * @throws Error when the address can't be bound.
 */
export async function startHost({
  host,
  port,
  limits,
  log,
  routes,
  mount = mountOf(undefined),
  crossOrigin,
}: HostOptions): Promise<Host> {
  const open = new Set<OpenRequest>();
  let stopping = false;
  let draining = false;
  let closing = false;
  /** Number of requests that have arrived. */
  let arrived = 0;

  const isRoute = (path: string): boolean => Object.hasOwn(routes, path);
  const pathOf = (target: string): string => pathInMount(target, mount, isRoute);

  const answer = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    entry: OpenRequest,
    addLogFields: HttpExchange['addLogFields'],
  ) => {
    const { path: target, url } = requestTarget(incoming);
    const path = pathOf(target);
    const preflight = crossOrigin && answerPreflight(incoming, path, crossOrigin);
    if (preflight) return preflight;
    const route = isRoute(path) ? routes[path] : undefined;
    if (!route)
      return errorResponse({
        status: 404,
        message: `Nothing is served here. There is: ${Object.keys(routes)
          .map((each) => (each.startsWith('/.well-known/') ? each : mount.base + each))
          .join(', ')}.`,
      });
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort(exchangeOver));
    const request = requestOf(incoming, url, disconnected.signal);
    return route({
      request,
      url,
      incoming,
      address: clientAddress(incoming.socket.remoteAddress),
      requestId,
      addLogFields,
      isStopping: stopping,
      draining: entry.draining.signal,
      forceClose: entry.forceClose.signal,
    });
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse, entry: OpenRequest): Promise<void> => {
    const startedAt = performance.now();
    const requestId = requestIdOf(incoming);
    let logFields: object = {};
    const addLogFields = (fields: object): void => void (logFields = { ...logFields, ...fields });
    response.setHeader('X-Request-Id', requestId);
    const reply = await answer(incoming, response, requestId, entry, addLogFields).catch((error: unknown) => {
      if (!incoming.destroyed || incoming.complete)
        log.error({ err: error, requestId }, 'request failed with an internal error');
      return errorResponse({
        status: 500,
        message: `Something failed inside this server. Its log tells more under request id ${requestId}.`,
      });
    });
    if (crossOrigin) permitReading(incoming, pathOf(requestTarget(incoming).path), crossOrigin, reply);
    if (draining) {
      await discardBody(incoming, limits.body);
      response.setHeader('Connection', 'close');
    }
    await sendResponse(reply, response);
    const { method, url } = incoming;
    const path = url?.split('?', 1)[0];
    log.info(
      {
        requestId,
        method,
        path,
        ...logFields,
        status: reply.status,
        duration: Math.round(performance.now() - startedAt),
      },
      'request answered',
    );
  };

  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const entry: OpenRequest = { draining: new AbortController(), forceClose: new AbortController() };
    open.add(entry);
    arrived += 1;
    if (draining) entry.draining.abort();
    void serve(incoming, response, entry).finally(() => {
      open.delete(entry);
      // A response that started before the drain promised to keep its connection alive.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  };

  const server = createServer(
    {
      maxHeaderSize: limits.headers,
      headersTimeout: limits.headersTime,
      requestTimeout: limits.requestTime,
      keepAliveTimeout: limits.idleConnectionTime,
      connectionsCheckingInterval: checkingInterval(limits),
    },
    handle,
  );
  server.maxConnections = limits.connections;
  limitConnectionsPerAddress(server, limits.connectionsPerAddress);
  const address = await listen(server, port, host);

  /**
   * Waits until no request has arrived for the shutdown delay, for the drain time at most: a connection with a request
   * just arriving would close without a response.
   */
  const untilQuiet = async (): Promise<void> => {
    const latest = performance.now() + limits.drainTime;
    let seen: number;
    do {
      seen = arrived;
      await pause(limits.shutdownDelay);
      // A process that was busy accepts new connections in one turn of the event loop, and reads from them in the next.
      await nextTurn();
      await nextTurn();
    } while (seen !== arrived && performance.now() < latest);
  };

  return {
    port: address.port,
    async drain() {
      if (stopping) return;
      stopping = true;
      if (limits.drainDelay > 0) await pause(limits.drainDelay);
      draining = true;
      for (const request of open) request.draining.abort();
      const forceCloseTimer = setTimeout(() => open.forEach((request) => request.forceClose.abort()), limits.drainTime);
      const closeConnectionsTimer = setTimeout(() => server.closeAllConnections(), limits.drainTime + finalEventTime);
      if ((await connections(server)) > 0) await untilQuiet();
      closing = true;
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(forceCloseTimer);
      clearTimeout(closeConnectionsTimer);
    },
  };
}
