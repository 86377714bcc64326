import { isJsonContentType } from '@modelcontextprotocol/server';
import { firstPart } from '../../contract/index.ts';
import type { Trace } from '../../client/index.ts';
import {
  rpcErrorCodes,
  rpcError,
  interruptedMessage,
  errorResponse,
  shuttingDown,
  retryLater,
  type RequestId,
} from './error-response.ts';
import { withNamedTypes } from './accepted-types.ts';
import { readJson, opensStream, requestsIn, type RpcRequest } from './request-body.ts';
import { sameRights, type HttpCall, type HttpCaller } from './caller.ts';
import type { LiveStreams } from './live-streams.ts';
import type { VersionRouter } from './version-router.ts';
import type { HttpExchange, HttpHandler, HttpReply } from './exchange.ts';
import type { ConcurrencyLimiter, ReleaseSlots } from './concurrency-limiter.ts';
import { platformTokenRefused } from './platform-token.ts';
import { eventOf, holdUntilFirstEvent, inWholeCharacters, mostUnread, relayEventStream } from './event-streams.ts';
import type { HttpRequest } from './http-request.ts';

export interface EndpointDependencies {
  /** The response to a request whose Host header names another host; undefined if the name is accepted. */
  readonly rejectUnknownHost: (request: HttpRequest) => Response | undefined;
  /** The response to a request from a page that may not send any; undefined for all others. */
  readonly rejectOrigin: (request: HttpRequest) => Response | undefined;
  /** Identifies the caller, or returns the response that rejects the request. */
  readonly identify: (request: HttpRequest) => Promise<HttpCaller | Response>;
  /** The response to a caller whose permission level is too low; undefined if it suffices. */
  readonly challenge: (caller: HttpCaller, requests: readonly RpcRequest[]) => Response | undefined;
  /** Slots for calls. */
  readonly calls: ConcurrencyLimiter;
  /** Slots for long-lived event streams. */
  readonly streams: ConcurrencyLimiter;
  /** The open event streams. */
  readonly liveStreams: LiveStreams;
  readonly versionRouter: VersionRouter;
  /** Maximum body size in bytes. */
  readonly largestBody: number;
  /** Maximum number of requests in one batch. */
  readonly largestBatch: number;
}

/** A message that passed every check. */
interface AcceptedMessage {
  readonly exchange: HttpExchange;
  readonly caller: HttpCaller;
  readonly body: unknown;
  readonly requests: readonly RpcRequest[];
  /** Whether the response is a stream that stays open. */
  readonly isLongLived: boolean;
  /** The round of checks in which the caller was identified. */
  readonly round: number;
}

const methods = ['GET', 'POST', 'DELETE'];

const wrongMethod = ({ method }: HttpRequest): Response | undefined =>
  methods.includes(method)
    ? undefined
    : errorResponse({
        status: 405,
        message: `Method ${method} is not allowed here.`,
        headers: { Allow: methods.join(', ') },
      });

const wrongType = ({ headers }: HttpRequest): Response | undefined =>
  isJsonContentType(headers.get('content-type'))
    ? undefined
    : errorResponse({ status: 415, message: 'Unsupported Media Type: Content-Type must be application/json.' });

const tooManyCalls = (id: RequestId): Response =>
  retryLater(2, 'Too many calls of yours, or from your address, are running or waiting. Try again in a moment.', id);

const tooManyStreams = (id: RequestId): Response =>
  retryLater(
    30,
    'Too many event streams of yours, or from your address, are open. Close one that is no longer needed, or try again later.',
    id,
  );

const batchTooLarge = (count: number, most: number): Response =>
  errorResponse({
    status: 400,
    code: rpcErrorCodes.invalidRequest,
    message: `The batch holds ${count} requests, and at most ${most} may come together. None of them was carried out: send them in smaller batches.`,
  });

const interrupted = (id: RequestId): Response => retryLater(5, interruptedMessage, id);

/** The trace that a request is part of, by its headers. */
const traceIn = ({ headers }: HttpRequest): Trace | undefined => {
  const traceparent = headers.get('traceparent');
  const tracestate = headers.get('tracestate');
  return traceparent === null ? undefined : { traceparent, ...(tracestate !== null && { tracestate }) };
};

/** Resolves when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Handles MCP messages over HTTP: host and origin, authentication, permission level, concurrency, protocol version. */
export function mcpEndpoint({
  rejectUnknownHost,
  rejectOrigin,
  identify,
  challenge,
  calls,
  streams,
  liveStreams,
  versionRouter,
  largestBody,
  largestBatch,
}: EndpointDependencies): HttpHandler {
  const reject = ({ request, draining }: HttpExchange): Response | undefined =>
    rejectUnknownHost(request) ??
    rejectOrigin(request) ??
    wrongMethod(request) ??
    (draining.aborted ? shuttingDown() : undefined);

  const accept = async (given: HttpExchange): Promise<AcceptedMessage | Response> => {
    const exchange = { ...given, request: withNamedTypes(given.request) };
    const { request, incoming } = exchange;
    const round = liveStreams.round();
    const caller = await identify(request);
    if (caller instanceof Response) return caller;
    exchange.addLogFields({ principal: caller.principal });
    if (request.method !== 'POST')
      return { exchange, caller, body: undefined, requests: [], isLongLived: request.method === 'GET', round };
    const json = wrongType(request) ?? (await readJson(incoming, largestBody));
    if (json instanceof Response) return json;
    const requests = requestsIn(json.value);
    if (requests.length > largestBatch) return batchTooLarge(requests.length, largestBatch);
    exchange.addLogFields({ calls: requests.slice(0, 10).map(({ method, name }) => firstPart(name ?? method, 64)) });
    return (
      challenge(caller, requests) ?? {
        exchange,
        caller,
        body: json.value,
        requests,
        isLongLived: opensStream(json.value),
        round,
      }
    );
  };

  const acquireSlots = async ({
    exchange,
    caller,
    requests,
    isLongLived,
  }: AcceptedMessage): Promise<ReleaseSlots | undefined> => {
    // Responses, notifications and DELETE need no slot: running calls may be waiting for them.
    if (!isLongLived && requests.length === 0) return () => undefined;
    const signals = [exchange.request.signal, exchange.draining];
    const key = { principal: caller.principal, identity: caller.identity, address: exchange.address };
    return isLongLived ? streams.acquire(key, 1, ...signals) : calls.acquire(key, requests.length, ...signals);
  };

  const answer = async (
    { exchange, caller, body, requests: [first], isLongLived, round }: AcceptedMessage,
    releaseSlots: ReleaseSlots,
  ): Promise<HttpReply> => {
    const { request, requestId, forceClose, draining } = exchange;
    let refused = false;
    const hasSameRights = async (): Promise<boolean> => {
      const now = await identify(request);
      return now instanceof Response ? now.status >= 500 : sameRights(now, caller);
    };
    const call: HttpCall = {
      caller,
      hasSameRights,
      call: {
        principal: caller.principal,
        identity: caller.identity,
        conversation: caller.conversation,
        credential: caller.credential,
        connection: 'http',
        requestId,
        trace: traceIn(request),
        credentialRefused: () => void (refused = true),
      },
    };
    const { response, message, release, outlivesClient } = await versionRouter.answer(
      request,
      body,
      call,
      exchange.address,
    );
    if (message && !refused) {
      release();
      releaseSlots();
      return { status: response.status, headers: response.headers, json: JSON.stringify(message) };
    }
    const live = isLongLived ? liveStreams.open(call, round) : undefined;
    const relayed = relayEventStream(await inWholeCharacters(response), {
      closeSignal: live ? AbortSignal.any([draining, live.ended]) : forceClose,
      finalEvent: isLongLived || !first ? undefined : eventOf(rpcError({ message: interruptedMessage, id: first.id })),
      drainAfterDisconnect: outlivesClient && !isLongLived,
      mostUnread: isLongLived ? mostUnread : undefined,
      onEnd: () => {
        live?.release();
        release();
        releaseSlots();
      },
    });
    if (isLongLived) return relayed;
    const started = await holdUntilFirstEvent(relayed);
    // The caller can't replace a token of this server; in that case the call's result reports the refusal.
    if (!refused || !caller.credential) return started;
    await started.body?.cancel();
    return platformTokenRefused(first?.id);
  };

  return async (exchange) => {
    const accepted = reject(exchange) ?? (await accept(exchange));
    if (accepted instanceof Response) return accepted;
    const id = accepted.requests[0]?.id;
    const releaseSlots = await acquireSlots(accepted);
    if (!releaseSlots)
      return exchange.draining.aborted ? shuttingDown() : (accepted.isLongLived ? tooManyStreams : tooManyCalls)(id);
    const answered = answer(accepted, releaseSlots).catch((error: unknown) => {
      releaseSlots();
      throw error;
    });
    return Promise.race([answered, aborted(exchange.forceClose).then(() => interrupted(id))]);
  };
}
