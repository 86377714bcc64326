import { isJsonContentType, originValidationResponse } from '@modelcontextprotocol/server';
import { errorCodes, errorMessage, interruption, refuse, stopping, tryAgain, type RequestId } from './answers.ts';
import { readJson } from './body.ts';
import type { HttpCall, HttpCaller } from './caller.ts';
import type { Eras } from './eras.ts';
import type { Exchange, Handler } from './exchange.ts';
import type { Lanes, Release } from './lanes.ts';
import { opensStream, requestsIn, type RpcRequest } from './messages.ts';
import { platformTokenRefused } from './platform-token.ts';
import { eventOf, supervise, untilFirstEvent } from './streams.ts';

/** What the MCP endpoint works with. */
export interface EndpointParts {
  /** The answer to a request under a name that isn't this host's, or undefined. */
  readonly underForeignName: (request: Request) => Response | undefined;
  /** Host names of the pages that may call from a browser. */
  readonly origins: readonly string[];
  /** Who sent a request, or the answer that turns it away. */
  readonly identify: (request: Request) => Promise<HttpCaller | Response>;
  /** The answer to a caller whose rights don't reach that far, or undefined. */
  readonly challenge: (caller: HttpCaller, requests: readonly RpcRequest[]) => Response | undefined;
  /** Turns for calls. */
  readonly calls: Lanes;
  /** Room for streams that stay open. */
  readonly streams: Lanes;
  readonly eras: Eras;
  /** Largest body in bytes. */
  readonly largestBody: number;
  /** Most requests of one batch. */
  readonly largestBatch: number;
}

/** A message that may be served. */
interface Admitted {
  readonly exchange: Exchange;
  readonly caller: HttpCaller;
  readonly body: unknown;
  readonly requests: readonly RpcRequest[];
  /** Whether the answer is a stream that stays open, not work that ends. */
  readonly stays: boolean;
}

const methods = ['GET', 'POST', 'DELETE'];

const wrongMethod = ({ method }: Request): Response | undefined =>
  methods.includes(method) ? undefined : refuse({ status: 405, message: `Method ${method} is not allowed here.`, headers: { Allow: methods.join(', ') } });

const wrongType = ({ headers }: Request): Response | undefined =>
  isJsonContentType(headers.get('content-type')) ? undefined : refuse({ status: 415, message: 'Unsupported Media Type: Content-Type must be application/json.' });

const busy = (id: RequestId): Response => tryAgain(2, 'Too many calls of yours, or from your address, are running or waiting. Try again in a moment.', id);

const tooManyStreams = (id: RequestId): Response => tryAgain(30, 'Too many event streams of yours, or from your address, are open. Close one that is no longer needed, or try again later.', id);

const batchTooLarge = (count: number, most: number): Response =>
  refuse({ status: 400, code: errorCodes.invalidRequest, message: `The batch holds ${count} requests, and at most ${most} may come together. None of them was carried out: send them in smaller batches.` });

const interrupted = (id: RequestId): Response => tryAgain(5, interruption, id);

/** Settles when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Answers MCP messages over HTTP: who calls, with what right, in which turn, in which era. */
export function mcpEndpoint({ underForeignName, origins, identify, challenge, calls, streams, eras, largestBody, largestBatch }: EndpointParts): Handler {
  const turnAway = ({ request, draining }: Exchange): Response | undefined =>
    underForeignName(request) ??
    originValidationResponse(request, [...origins]) ??
    wrongMethod(request) ??
    (draining.aborted ? stopping() : undefined);

  const admit = async (exchange: Exchange): Promise<Admitted | Response> => {
    const { request, incoming } = exchange;
    const caller = await identify(request);
    if (caller instanceof Response) return caller;
    exchange.note({ principal: caller.principal });
    if (request.method !== 'POST') return { exchange, caller, body: undefined, requests: [], stays: request.method === 'GET' };
    const json = wrongType(request) ?? (await readJson(incoming, largestBody));
    if (json instanceof Response) return json;
    const requests = requestsIn(json.value);
    if (requests.length > largestBatch) return batchTooLarge(requests.length, largestBatch);
    exchange.note({ calls: requests.slice(0, 10).map(({ method, name }) => (name ?? method).slice(0, 64)) });
    return challenge(caller, requests) ?? { exchange, caller, body: json.value, requests, stays: opensStream(json.value) };
  };

  const enter = async ({ exchange, caller, requests, stays }: Admitted): Promise<Release | undefined> => {
    // Answers, notifications and goodbyes need no place: running calls wait for them.
    if (!stays && requests.length === 0) return () => undefined;
    const patience = AbortSignal.any([exchange.request.signal, exchange.draining]);
    const holder = { principal: caller.principal, identity: caller.identity, address: exchange.address };
    return stays ? streams.enter(holder, 1, patience) : calls.enter(holder, requests.length, patience);
  };

  const serve = async ({ exchange, caller, body, requests: [first], stays }: Admitted, ended: Release): Promise<Response> => {
    const { request, requestId, cutOff, draining } = exchange;
    let refused = false;
    const call: HttpCall = { caller, call: { principal: caller.principal, identity: caller.identity, credential: caller.credential, connection: 'http', requestId, credentialRefused: () => void (refused = true) } };
    const { response, left, outlivesClient } = await eras.answer(request, body, call, exchange.address);
    const answer = supervise(response, {
      cutOff: stays ? draining : cutOff,
      lastWords: stays || !first ? undefined : eventOf(errorMessage({ message: interruption, id: first.id })),
      finish: outlivesClient && !stays,
      ended: () => {
        left();
        ended();
      },
    });
    if (stays) return answer;
    const begun = await untilFirstEvent(answer);
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
    if (!ended) return exchange.draining.aborted ? stopping() : (admitted.stays ? tooManyStreams : busy)(id);
    const served = serve(admitted, ended).catch((error: unknown) => {
      ended();
      throw error;
    });
    return Promise.race([served, aborted(exchange.cutOff).then(() => interrupted(id))]);
  };
}
