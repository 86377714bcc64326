import { Agent } from 'undici';
import { type OperationName, operations, toWire } from '../../src/contract/index.ts';

/** A client that calls the platform's API directly, without MCP. */
export interface DirectClient {
  /** Makes a call and parses the response. @throws Error for an error response. */
  readonly call: (
    operation: OperationName,
    input?: Readonly<Record<string, unknown>>,
  ) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

/** Creates a direct client. @param connections maximum number of connections, each with one request at a time. */
export function connectDirect(url: string, token: string, connections = 1): DirectClient {
  const agent = new Agent({ connections, pipelining: 1 });
  return {
    call: async (name, input = {}) => {
      const { method, target, body: requestBody } = toWire(operations[name], input);
      const { statusCode, body } = await agent.request({
        origin: url,
        path: target,
        method,
        headers: { authorization: `Token ${token}`, ...(requestBody && { 'content-type': 'application/json' }) },
        ...(requestBody && { body: JSON.stringify(requestBody) }),
      });
      const text = await body.text();
      if (statusCode >= 300) throw new Error(`${name} was answered ${statusCode}: ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    },
    close: () => agent.close(),
  };
}
