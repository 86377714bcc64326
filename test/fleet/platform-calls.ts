import { request } from 'undici';
import { toWire, type OperationName, operations } from '../../src/contract/index.ts';
import { fleetToken } from './platform-fleet.ts';
import { seenAtLast } from '../support/eventually.ts';

export type Json = Record<string, unknown>;

/**
 * What became of a request: made, refused with nothing changed, or nobody can say, because the answer was lost or says
 * so.
 */
export type CallOutcome =
  | { readonly outcome: 'acknowledged'; readonly body: Json }
  | { readonly outcome: 'refused'; readonly status: number; readonly body: Json }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** Calls an operation of a platform by HTTP. */
export async function callPlatform(
  url: string,
  name: OperationName,
  input: Json = {},
  token = fleetToken,
): Promise<CallOutcome> {
  const { method, target, body } = toWire(operations[name], input);
  try {
    const response = await request(`${url}${target}`, {
      method,
      headers: { authorization: `Token ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      headersTimeout: 60_000,
    });
    const text = await response.body.text();
    const answer = (text === '' ? {} : JSON.parse(text)) as Json;
    if (response.statusCode < 300) return { outcome: 'acknowledged', body: answer };
    const isRefused = response.statusCode < 500 || String(answer['message']).includes('Nothing was changed.');
    return isRefused
      ? { outcome: 'refused', status: response.statusCode, body: answer }
      : { outcome: 'unknown', reason: `${response.statusCode} ${text}` };
  } catch (error) {
    return { outcome: 'unknown', reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The same for what has to be made. On a busy machine a platform may lose its database for a moment, and says so.
 * @throws Error if it isn't made
 */
export async function mustCall(url: string, name: OperationName, input?: Json): Promise<Json> {
  const result = await seenAtLast(
    () => callPlatform(url, name, input),
    (answer) => !(answer.outcome === 'refused' && answer.status === 503),
  );
  if (result.outcome !== 'acknowledged') throw new Error(`${name}: ${JSON.stringify(result)}`);
  return result.body;
}
