import { isRecord } from '../../server/json/values.ts';

/** A JSON-RPC request, as far as the host looks into it. */
export interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  /** The tool's name, for a call. */
  readonly name?: string;
}

const requestIn = (message: unknown): RpcRequest | undefined => {
  if (!isRecord(message)) return undefined;
  const { id, method, params } = message;
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const name = isRecord(params) ? params['name'] : undefined;
  return { id, method, name: typeof name === 'string' ? name : undefined };
};

/** The requests in a body, which holds one message or, from the oldest clients, several. Answers and notifications are none. */
export const requestsIn = (body: unknown): readonly RpcRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => requestIn(message) ?? []);

/** Whether a body opens a stream that stays, not work that ends. A batch doesn't: whatever else is in it would run without a place. */
export const opensStream = (body: unknown): boolean => requestIn(body)?.method === 'subscriptions/listen';
