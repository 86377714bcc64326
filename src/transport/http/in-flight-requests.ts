import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isRecord } from '../../server/json/values.ts';
import { requestsIn, type RpcRequest } from './rpc-requests.ts';

type RpcRequestId = RpcRequest['id'];

/** The requests of one session that are being answered. */
export interface InFlightRequests {
  /**
   * Notes the requests in a body.
   * @returns what forgets them again; undefined when one has an id that is being answered already, or that another one beside it has:
   * the MCP library would answer only one of the two, and the other would hold its place for ever.
   */
  begin(body: unknown): (() => void) | undefined;
  /** Ends the answers to requests that a body takes back: the MCP library never does, and they would hold their places for ever. */
  cancel(body: unknown): void;
}

/** The ids of the requests that a body takes back. */
const cancelledIdsIn = (body: unknown): readonly RpcRequestId[] =>
  [body].flat().flatMap((message) => {
    const id = isRecord(message) && message['method'] === 'notifications/cancelled' && isRecord(message['params']) ? message['params']['requestId'] : undefined;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });

/** None yet. */
export function createInFlightRequests(transport: Pick<WebStandardStreamableHTTPServerTransport, 'closeSSEStream' | 'send'>): InFlightRequests {
  // By id, with how many came together and are answered on one stream.
  const open = new Map<RpcRequestId, number>();
  return {
    begin(body) {
      const ids = requestsIn(body).map(({ id }) => id);
      if (new Set(ids).size < ids.length || ids.some((id) => open.has(id))) return undefined;
      for (const id of ids) open.set(id, ids.length);
      return () => {
        for (const id of ids) open.delete(id);
      };
    },
    cancel(body) {
      for (const id of cancelledIdsIn(body)) {
        const together = open.get(id);
        // By the protocol what is taken back gets no answer. Among others it gets one: else their stream would wait for it.
        if (together === 1) transport.closeSSEStream(id);
        else if (together !== undefined) void transport.send({ jsonrpc: '2.0', id, error: { code: -32800, message: 'The request was taken back.' } }).catch(() => undefined);
      }
    },
  };
}
