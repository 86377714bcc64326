import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isRecord } from '../../server/json/index.ts';
import { requestsIn, type RpcRequest } from './request-body.ts';

type RpcRequestId = RpcRequest['id'];

/** The requests of one session that have no response yet. */
export interface InFlightRequests {
  /**
   * Registers the requests of a body.
   * @returns a function that removes them; undefined if an id is already in flight or appears twice in the body: the
   *   MCP library would answer only one of the two, and the other would keep its slot forever.
   */
  begin(body: unknown): (() => void) | undefined;
  /**
   * Ends the responses to requests that a body cancels. The MCP library never does, and they would keep their slots
   * forever.
   */
  cancel(body: unknown): void;
}

/** The ids of the requests that a body cancels. */
const cancelledIdsIn = (body: unknown): readonly RpcRequestId[] =>
  [body].flat().flatMap((message) => {
    const id =
      isRecord(message) && message['method'] === 'notifications/cancelled' && isRecord(message['params'])
        ? message['params']['requestId']
        : undefined;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });

/** Creates an empty set of in-flight requests. */
export function createInFlightRequests(
  transport: Pick<WebStandardStreamableHTTPServerTransport, 'closeSSEStream' | 'send'>,
): InFlightRequests {
  // Number of requests in the same batch, by id. A batch is answered on one stream.
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
        const batchSize = open.get(id);
        // The protocol sends no response to a cancelled request. In a batch it gets one: otherwise the stream would
        // wait for it.
        if (batchSize === 1) transport.closeSSEStream(id);
        else if (batchSize !== undefined)
          void transport
            .send({ jsonrpc: '2.0', id, error: { code: -32800, message: 'The request was taken back.' } })
            .catch(() => undefined);
      }
    },
  };
}
