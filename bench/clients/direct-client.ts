import { Agent } from 'undici';
import { toWire } from '../../src/contract/operation.ts';
import { type OperationName, operations } from '../../src/contract/operations.ts';

/** The platform as whoever calls it without MCP sees it. */
export interface DirectClient {
  /** Makes a call and reads its answer. @throws Error when it is refused. */
  readonly call: (operation: OperationName, input?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

/** @param connections most connections, each with one request at a time. */
export function connectDirect(url: string, token: string, connections = 1): DirectClient {
  const agent = new Agent({ connections, pipelining: 1 });
  return {
    call: async (name, input = {}) => {
      const { method, target, body: sent } = toWire(operations[name], input);
      const { statusCode, body } = await agent.request({
        origin: url, path: target, method,
        headers: { authorization: `Token ${token}`, ...(sent && { 'content-type': 'application/json' }) },
        ...(sent && { body: JSON.stringify(sent) }),
      });
      const text = await body.text();
      if (statusCode >= 300) throw new Error(`${name} was answered ${statusCode}: ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    },
    close: () => agent.close(),
  };
}
