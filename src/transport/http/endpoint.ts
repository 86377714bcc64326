import { isJsonContentType, originValidationResponse } from '@modelcontextprotocol/server';
import { rpcErrorCodes, rpcError, interruptedMessage, errorResponse, shuttingDown, retryLater, type RequestId } from './error-response.ts';
import { readJson } from './request-body.ts';
import type { HttpCall, HttpCaller } from './caller.ts';
import type { VersionRouter } from './version-router.ts';
import type { HttpExchange, HttpHandler } from './exchange.ts';
import type { ConcurrencyLimiter, ReleaseSlots } from './concurrency-limiter.ts';
import { opensStream, requestsIn, type RpcRequest } from './rpc-requests.ts';
import { platformTokenRefused } from './platform-token.ts';
import { eventOf, relayEventStream, holdUntilFirstEvent } from './event-streams.ts';

/** What the MCP endpoint works with. */
export interface EndpointDependencies {
  /** The answer to a request under a name that isn't this host's, or undefined. */
  readonly rejectUnknownHost: (request: Request) => Response | undefined;
  /** Host names of the pages that may call from a browser. */
  readonly origins: readonly string[];
  /** Who sent a request, or the answer that turns it away. */
  readonly identify: (request: Request) => Promise<HttpCaller | Response>;
  /** The answer to a caller whose rights don't reach that far, or undefined. */
  readonly challenge: (caller: HttpCaller, requests: readonly RpcRequest[]) => Response | undefined;
  /** Turns for calls. */
  readonly calls: ConcurrencyLimiter;
  /** Room for streams that stay open. */
  readonly streams: ConcurrencyLimiter;
  readonly versionRouter: VersionRouter;
  /** Largest body in bytes. */
  readonly largestBody: number;
  /** Most requests of one batch. */
  readonly largestBatch: number;
}

/** A message that may be served. */
interface AcceptedMessage {
  readonly exchange: HttpExchange;
  readonly caller: HttpCaller;
  readonly body: unknown;
  readonly requests: readonly RpcRequest[];
  /** Whether the answer is a stream that stays open, not work that ends. */
  readonly isLongLived: boolean;
}

const methods = ['GET', 'POST', 'DELETE'];

const wrongMethod = ({ method }: Request): Response | undefined =>
  methods.includes(method) ? undefined : errorResponse({ status: 405, message: `Method ${method} is not allowed here.`, headers: { Allow: methods.join(', ') } });

const wrongType = ({ headers }: Request): Response | undefined =>
  isJsonContentType(headers.get('content-type')) ? undefined : errorResponse({ status: 415, message: 'Unsupported Media Type: Content-Type must be application/json.' });

const tooManyCalls = (id: RequestId): Response => retryLater(2, 'Too many calls of yours, or from your address, are running or waiting. Try again in a moment.', id);

const tooManyStreams = (id: RequestId): Response => retryLater(30, 'Too many event streams of yours, or from your address, are open. Close one that is no longer needed, or try again later.', id);

const batchTooLarge = (count: number, most: number): Response =>
  errorResponse({ status: 400, code: rpcErrorCodes.invalidRequest, message: `The batch holds ${count} requests, and at most ${most} may come together. None of them was carried out: send them in smaller batches.` });

const interrupted = (id: RequestId): Response => retryLater(5, interruptedMessage, id);

/** Settles when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Answers MCP messages over HTTP: who calls, with what right, in which turn, in which era. */
export function mcpEndpoint({ rejectUnknownHost: underForeignName, origins, identify, challenge, calls, streams, versionRouter: eras, largestBody, largestBatch }: EndpointDependencies): HttpHandler {
  const turnAway = ({ request, draining }: HttpExchange): Response | undefined =>
    underForeignName(request) ??
    originValidationResponse(request, [...origins]) ??
    wrongMethod(request) ??
    (draining.aborted ? shuttingDown() : undefined);

  const admit = async (exchange: HttpExchange): Promise<AcceptedMessage | Response> => {
    const { request, incoming } = exchange;
    const caller = await identify(request);
    if (caller instanceof Response) return caller;
    exchange.addLogFields({ principal: caller.principal });
    if (request.method !== 'POST') return { exchange, caller, body: undefined, requests: [], isLongLived: request.method === 'GET' };
    const json = wrongType(request) ?? (await readJson(incoming, largestBody));
    if (json instanceof Response) return json;
    const requests = requestsIn(json.value);
    if (requests.length > largestBatch) return batchTooLarge(requests.length, largestBatch);
    exchange.addLogFields({ calls: requests.slice(0, 10).map(({ method, name }) => (name ?? method).slice(0, 64)) });
    return challenge(caller, requests) ?? { exchange, caller, body: json.value, requests, isLongLived: opensStream(json.value) };
  };

  const enter = async ({ exchange, caller, requests, isLongLived: stays }: AcceptedMessage): Promise<ReleaseSlots | undefined> => {
    // Answers, notifications and goodbyes need no place: running calls wait for them.
    if (!stays && requests.length === 0) return () => undefined;
    const patience = AbortSignal.any([exchange.request.signal, exchange.draining]);
    const holder = { principal: caller.principal, identity: caller.identity, address: exchange.address };
    return stays ? streams.acquire(holder, 1, patience) : calls.acquire(holder, requests.length, patience);
  };

  const serve = async ({ exchange, caller, body, requests: [first], isLongLived: stays }: AcceptedMessage, ended: ReleaseSlots): Promise<Response> => {
    const { request, requestId, forceClose: cutOff, draining } = exchange;
    let refused = false;
    const call: HttpCall = { caller, call: { principal: caller.principal, identity: caller.identity, credential: caller.credential, connection: 'http', requestId, credentialRefused: () => void (refused = true) } };
    const { response, release: left, outlivesClient } = await eras.answer(request, body, call, exchange.address);
    const answer = relayEventStream(response, {
      closeSignal: stays ? draining : cutOff,
      finalEvent: stays || !first ? undefined : eventOf(rpcError({ message: interruptedMessage, id: first.id })),
      drainAfterDisconnect: outlivesClient && !stays,
      onEnd: () => {
        left();
        ended();
      },
    });
    if (stays) return answer;
    const begun = await holdUntilFirstEvent(answer);
    // Where the token is this server's own, the caller can't mend it: the call's result says so.
    if (!refused || !caller.credential) return begun;
    await begun.body?.cancel();
    return platformTokenRefused(first?.id);
  };

  return async (exchange) => {
    const admitted = turnAway(exchange) ?? (await admit(exchange));
    if (admitted instanceof Response) return admitted;
    const id = admitted.requests[0]?.id;
    const ended = await enter(admitted);
    if (!ended) return exchange.draining.aborted ? shuttingDown() : (admitted.isLongLived ? tooManyStreams : tooManyCalls)(id);
    const served = serve(admitted, ended).catch((error: unknown) => {
      ended();
      throw error;
    });
    return Promise.race([served, aborted(exchange.forceClose).then(() => interrupted(id))]);
  };
}
