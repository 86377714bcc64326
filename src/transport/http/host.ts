import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerLogger } from '../../server/context/call-context.ts';
import { errorResponse } from './error-response.ts';
import { discardBody } from './request-body.ts';
import { toWebRequest, requestIdOf, sendResponse, requestTarget, type HttpExchange, type HttpHandler } from './exchange.ts';
import { clientAddress } from './client-address.ts';
import type { Limits } from './limits.ts';

/** What an HTTP host serves, and where. */
export interface HostOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly limits: Limits;
  readonly log: ServerLogger;
  /** What answers under which path. */
  readonly routes: Readonly<Record<string, HttpHandler>>;
}

/** An HTTP host that listens. */
export interface Host {
  readonly port: number;
  /** Takes no new requests; those that run finish, or are cut off when the time for it is up. */
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

/** How long clients get to read the last words of calls that were cut off, in milliseconds. */
const finalEventTime = 2000;

const connections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** Ends connections at once from addresses that have as many as they may have. */
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
      const left = open.get(address)! - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/** How often stalled requests are looked for, in milliseconds. */
const checkingInterval = (limits: Limits): number => Math.min(5000, Math.ceil(limits.headersTime / 2));

/**
 * Starts an HTTP host: paths, request ids, limits, a line in the log for every request, and a stop that loses nothing.
 * @throws Error when the address can't be bound.
 */
export async function startHost({ host, port, limits, log, routes }: HostOptions): Promise<Host> {
  const open = new Set<OpenRequest>();
  let draining = false;
  let closing = false;

  const answer = async (incoming: IncomingMessage, response: ServerResponse, requestId: string, { draining: drain, forceClose: cutOff }: OpenRequest, note: HttpExchange['addLogFields']) => {
    const { path, url } = requestTarget(incoming);
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (!route) return errorResponse({ status: 404, message: `Nothing is served here. There is: ${Object.keys(routes).join(', ')}.` });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const request = toWebRequest(incoming, url, gone.signal);
    return route({ request, url, incoming, address: clientAddress(incoming.socket.remoteAddress), requestId, addLogFields: note, draining: drain.signal, forceClose: cutOff.signal });
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse, entry: OpenRequest): Promise<void> => {
    const began = performance.now();
    const requestId = requestIdOf(incoming);
    let noted: object = {};
    const note = (fields: object): void => void (noted = { ...noted, ...fields });
    response.setHeader('X-Request-Id', requestId);
    const reply = await answer(incoming, response, requestId, entry, note).catch((error: unknown) => {
      if (!incoming.destroyed || incoming.complete) log.error({ err: error, requestId }, 'request failed inside the server');
      return errorResponse({ status: 500, message: `Something failed inside this server. Its log tells more under request id ${requestId}.` });
    });
    if (draining) {
      await discardBody(incoming, limits.body);
      response.setHeader('Connection', 'close');
    }
    await sendResponse(reply, response);
    const { method, url } = incoming;
    const path = url?.split('?', 1)[0];
    log.info({ requestId, method, path, ...noted, status: reply.status, duration: Math.round(performance.now() - began) }, 'request answered');
  };

  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const entry: OpenRequest = { draining: new AbortController(), forceClose: new AbortController() };
    open.add(entry);
    if (draining) entry.draining.abort();
    void serve(incoming, response, entry).finally(() => {
      open.delete(entry);
      // A stream that began before the drain promised to keep its connection.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  };

  const server = createServer({
    maxHeaderSize: limits.headers,
    headersTimeout: limits.headersTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.idleConnectionTime,
    connectionsCheckingInterval: checkingInterval(limits),
  }, handle);
  server.maxConnections = limits.connections;
  limitConnectionsPerAddress(server, limits.connectionsPerAddress);
  const address = await listen(server, port, host);

  return {
    port: address.port,
    async drain() {
      if (draining) return;
      draining = true;
      for (const { draining: begun } of open) begun.abort();
      // Closed at once, a connection on which a request is just arriving would break off without an answer.
      if ((await connections(server)) > 0) await pause(limits.shutdownDelay);
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const cutAll = setTimeout(() => open.forEach(({ forceClose: cutOff }) => cutOff.abort()), limits.drainTime);
      const closeAll = setTimeout(() => server.closeAllConnections(), limits.drainTime + finalEventTime);
      await closed;
      clearTimeout(cutAll);
      clearTimeout(closeAll);
    },
  };
}

