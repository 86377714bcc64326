import type { Policy } from '../../src/server/guard/index.ts';
import type { Tool } from '../../src/server/tool/index.ts';
import { policyFrom, type GuardFixture } from './guard-fixture.ts';
import type { User } from './mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from './recording-proxy.ts';
import { connectTampering, dependenciesFor } from './tampering-client.ts';
import type { TestPlatform } from './test-platform.ts';

export interface GuardedServerOptions extends RecordingProxyOptions {
  /** The policy, or the text of a policy file. */
  readonly policy?: Policy | string;
  /** The user of the first client; without one it can't ask. */
  readonly user?: User;
  readonly guard?: GuardFixture;
  /** Tools beside those that infra-mcp ships. */
  readonly extraTools?: readonly Tool[];
}

/**
 * Starts an MCP server that reaches a platform through a recording proxy, and connects a client to it.
 * `connect` connects more clients to servers of the same process.
 */
export async function startGuardedServer(
  platform: TestPlatform,
  { policy, user, guard, extraTools, ...proxyOptions }: GuardedServerOptions = {},
) {
  const proxy = await startRecordingProxy(platform.url, proxyOptions);
  const {
    parts: dependencies,
    client: platformClient,
    log,
  } = dependenciesFor({
    url: proxy.url,
    token: platform.token,
    guard: guard?.parts,
    policy: typeof policy === 'string' ? await policyFrom(policy) : policy,
    extraTools,
  });
  const clients: { close: () => Promise<void> }[] = [];
  const connect = async (options: Omit<Parameters<typeof connectTampering>[0], 'parts'> = {}) => {
    const client = await connectTampering({ parts: dependencies, ...options });
    clients.push(client);
    return client;
  };
  const { call, read, client } = await connect({ user });
  return {
    proxy,
    dependencies,
    log,
    call,
    read,
    client,
    connect,
    /** The names of the tools that the server lists. */
    listed: dependencies.registry.listed().map(({ name }) => name),
    close: async (): Promise<void> => {
      for (const one of clients.toReversed()) await one.close();
      await platformClient.close();
      await proxy.close();
    },
  };
}
