import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { shippedTexts } from '../../src/cli/wiring/shipped-texts.ts';
import { createNameResolver } from '../../src/server/resolve/index.ts';
import { createDependencies, buildServer } from '../../src/server/protocol/index.ts';
import { watchFor } from '../../src/server/browse/resources/watch-resource.ts';
import { permissionOf } from '../../src/server/tool/index.ts';
import { callOf } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { openGuardFixture } from '../support/guard-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

/**
 * Starts the server with all its tools, prompts and resources over HTTP, its own platform, and an operator with a
 * secret.
 * @param now the time of the server
 */
export async function startFullServer(
  options: Parameters<typeof startTestServer>[0] = {},
  now: () => number = Date.now,
): Promise<{ readonly server: TestServer; readonly platform: TestPlatform; readonly close: () => Promise<void> }> {
  const [platform, guard] = await Promise.all([startTestPlatform(), openGuardFixture({ operator: true })]);
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
  const log = memoryLog();
  const clock = { now };
  const dependencies = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [platform.token],
    version: '0',
    log,
    clock,
    guard: guard.parts,
    resolver: createNameResolver(),
    texts: shippedTexts(),
  });
  const server = await startTestServer({
    build: (era, _, request) =>
      buildServer(dependencies, { era, ...request, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    watch: ({ call }) => watchFor(() => dependencies, call),
    levelOf: (name) => {
      const tool = tools.find((one) => one.name === name);
      return tool && permissionOf(tool);
    },
    log,
    ...options,
  });
  return {
    server: { ...server, log },
    platform,
    /** Call it after `closeTestServers`. */
    close: async () => {
      await client.close();
      await guard.close();
      await platform.close();
    },
  };
}
