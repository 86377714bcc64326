import { isRecord } from '../../server/json/index.ts';

/** The members of a JSON-RPC request that the host reads. */
export interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  /** The tool name of a tool call. */
  readonly name?: string;
}

const requestIn = (message: unknown): RpcRequest | undefined => {
  if (!isRecord(message)) return undefined;
  const { id, method, params } = message;
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const name = isRecord(params) ? params['name'] : undefined;
  return { id, method, name: typeof name === 'string' ? name : undefined };
};

/** The requests in a body: one message, or a batch from the oldest clients. Responses and notifications don't count. */
export const requestsIn = (body: unknown): readonly RpcRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => requestIn(message) ?? []);

/** Whether a body opens a long-lived stream. A batch never does: its other requests would run without a slot. */
export const opensStream = (body: unknown): boolean => requestIn(body)?.method === 'subscriptions/listen';
