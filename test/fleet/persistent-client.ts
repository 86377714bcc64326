import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { setTimeout } from 'node:timers/promises';
import { connectLegacy, connectModern, type TestClient, type User } from '../support/mcp-clients.ts';

export type CallResult = Awaited<ReturnType<TestClient['call']>>;

/** A client whose server may go away: it connects again when it has to. */
export interface PersistentClient {
  /** Repeats a call that only reads until it is answered. */
  readonly read: (tool: string, args?: Record<string, unknown>) => Promise<CallResult>;
  /** Calls once. @returns undefined if no answer came, so that nobody knows what was done */
  readonly change: (tool: string, args: Record<string, unknown>) => Promise<CallResult | undefined>;
  readonly close: () => Promise<void>;
  /** How often it lost its connection or session. */
  readonly losses: () => number;
}

const mostAttempts = 40;

/** Connects a client at its first call. @param key with which it authenticates */
export function persistentClient(
  era: TestClient['protocolVersion'],
  mcp: URL,
  key: string,
  user?: User,
): PersistentClient {
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  let client: TestClient | undefined;
  let lost = 0;

  const connect = async (): Promise<TestClient> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // One attempt after the other.
        return await (era === 'modern'
          ? connectModern(new StreamableHTTPClientTransport(mcp, { requestInit }), user)
          : connectLegacy(new LegacyTransport(mcp, { requestInit }), user));
      } catch (error) {
        if (attempt === mostAttempts) throw error;
        await setTimeout(100);
      }
    }
  };
  const drop = async (): Promise<void> => {
    lost += 1;
    const dropped = client;
    client = undefined;
    await dropped?.close().catch(() => undefined);
  };
  const once = async (tool: string, args: Record<string, unknown>): Promise<CallResult | undefined> => {
    client ??= await connect();
    try {
      return await client.call(tool, args);
    } catch {
      await drop();
      return undefined;
    }
  };

  return {
    change: once,
    read: async (tool, args = {}) => {
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const result = await once(tool, args);
        if (result) return result;
        await setTimeout(50);
      }
      throw new Error(`${tool} was not answered in ${mostAttempts} attempts.`);
    },
    close: async () => client?.close().catch(() => undefined),
    losses: () => lost,
  };
}
