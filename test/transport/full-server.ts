import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/credential.ts';
import { shippedTexts } from '../../src/cli/wiring/shipped-texts.ts';
import { createNameResolver } from '../../src/server/resolve/name-resolver.ts';
import { createDependencies } from '../../src/server/protocol/shared-dependencies.ts';
import { watchFor } from '../../src/server/browse/resources/watch-resource.ts';
import { buildServer } from '../../src/server/protocol/server.ts';
import { permissionOf } from '../../src/server/tool/tool.ts';
import { callOf } from '../../src/transport/http/caller.ts';
import { tools } from '../../tools/index.ts';
import { openGuardFixture } from '../support/guard-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

/** The server with all its tools, prompts and resources over HTTP, a platform of its own behind it, and an operator with a secret. */
export async function startFullServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<{ readonly lab: TestServer; readonly platform: TestPlatform; readonly close: () => Promise<void> }> {
  const [platform, guard] = await Promise.all([startTestPlatform(), openGuardFixture({ operator: true })]);
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
  const log = memoryLog();
  const clock = { now: Date.now };
  const parts = createDependencies({
    tools, policy: { readOnly: false }, connect: async () => ({ client }), secrets: () => [platform.token], version: '0', log, clock,
    guard: guard.parts, resolver: createNameResolver(), texts: shippedTexts(),
  });
  const lab = await startTestServer({
    build: (era, _, method) => buildServer(parts, { era, method, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    watch: ({ call }) => watchFor(() => parts, call),
    levelOf: (name) => {
      const tool = tools.find((one) => one.name === name);
      return tool && permissionOf(tool);
    },
    log,
    ...options,
  });
  return {
    lab: { ...lab, log },
    platform,
    /** To be called after `closeTestServers`. */
    close: async () => {
      await client.close();
      await guard.close();
      await platform.close();
    },
  };
}
