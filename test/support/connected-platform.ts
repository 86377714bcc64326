import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Clock } from '../../src/server/context/index.ts';
import { connectorsTo, type Connectors } from './connectors.ts';
import { hurriedClock } from './hurried-clock.ts';
import { agree, userAnswering, type TestClient, type User } from './mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy, type RecordingProxyOptions } from './recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

/** A platform and connectors to it. */
interface ConnectedPlatform {
  readonly platform: TestPlatform;
  readonly connectors: Connectors;
}

/** The same with a proxy between them, and a client whose user agrees to everything. */
interface ProxiedPlatform extends ConnectedPlatform {
  readonly proxy: RecordingProxy;
  readonly user: User;
  readonly client: TestClient;
}

/**
 * Starts a platform before all tests of a file, with connectors to it as its administrator, and closes both after them.
 * @param take receives them, and again after a restart.
 * @returns how to restart the platform.
 */
export function connectedForAll(take: (connected: ConnectedPlatform) => void): {
  readonly restart: () => Promise<void>;
} {
  let current: ConnectedPlatform;
  const use = (platform: TestPlatform): void => {
    current = { platform, connectors: connectorsTo(platform.url, platform.tokens.admin) };
    take(current);
  };
  beforeAll(async () => use(await startTestPlatform()));
  afterAll(async () => {
    await current.connectors.close();
    await current.platform.close();
  });
  return {
    restart: async () => {
      await current.connectors.close();
      use(await current.platform.restart());
    },
  };
}

/**
 * Starts a platform with a recording proxy before each test of a file, and a client behind the proxy, and closes them
 * after it.
 * @param options of the proxy. Their functions can refer to variables that tests set.
 * @param take receives them, and again after a restart.
 * @returns how to restart the platform, with other options. The user stays, and so do the questions to it.
 */
export function proxiedForEach(
  options: RecordingProxyOptions,
  take: (proxied: ProxiedPlatform) => void,
): { readonly restart: (changes?: Parameters<TestPlatform['restart']>[0]) => Promise<void> } {
  let current: ProxiedPlatform;
  const use = async (platform: TestPlatform, user: User, clock?: Clock): Promise<void> => {
    const proxy = await startRecordingProxy(platform.url, options);
    const connectors = connectorsTo(proxy.url, platform.token, { clock });
    current = { platform, proxy, connectors, user, client: await connectors.modern(user) };
    take(current);
  };
  const disconnect = async (): Promise<void> => {
    await current.connectors.close();
    await current.proxy.close();
  };
  // Its deployments end at once, so that nothing has to be waited for in earnest.
  beforeEach(async () => use(await startTestPlatform(), userAnswering(agree), hurriedClock()));
  afterEach(async () => {
    await disconnect();
    await current.platform.close();
  });
  return {
    restart: async (changes) => {
      await disconnect();
      await use(await current.platform.restart(changes), current.user);
    },
  };
}
