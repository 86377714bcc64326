import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { createDependencies, buildServer } from '../../src/server/protocol/index.ts';
import { callOf, restrictedDependencies } from '../../src/transport/index.ts';
import { createApiKey, identityForKey, loadApiKeys } from '../../src/transport/http/api-keys.ts';
import { tools } from '../../tools/index.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { openGuardFixture, type GuardFixture } from '../support/guard-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { closeTestServers, modernCall, modernHeaders, startTestServer, type TestServer } from './test-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let guard: GuardFixture;
let proxy: RecordingProxy;
let server: TestServer;
let client: ReturnType<typeof createClient>;

/** One key under the server's policy alone, one whose own policy leaves disruptive calls to the operator. */
const [plain, held] = [createApiKey(), createApiKey()];

beforeEach(async () => {
  [platform, guard] = await Promise.all([startTestPlatform(), openGuardFixture({ operator: true })]);
  proxy = await startRecordingProxy(platform.url);
  await writeFile(join(guard.dataDir, 'held.yaml'), 'operator_only: [disruptive]\n');
  await writeFile(
    join(guard.dataDir, 'keys.yaml'),
    `keys:\n  - { name: plain, sha256: ${plain.sha256}, level: admin }\n  - { name: held, sha256: ${held.sha256}, level: admin, policy: held.yaml }\n`,
  );
  const keys = await loadApiKeys(join(guard.dataDir, 'keys.yaml'), tools);
  client = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
  const parts = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [platform.token],
    version: '0',
    log: memoryLog(),
    clock: { now: Date.now },
    guard: guard.parts,
  });
  const partsFor = restrictedDependencies(parts, tools);
  server = await startTestServer({
    authenticate: async ({ headers }) => ({
      ...identityForKey(keys, headers.get('authorization')!.replace('Bearer ', ''))!,
      stepUp: () => new Response(null, { status: 403 }),
    }),
    build: (era, { restriction }) =>
      buildServer(partsFor(restriction), { era, callerOf: ({ http }) => callOf(http?.authInfo).call }),
  });
});

afterEach(async () => {
  await closeTestServers();
  await client.close();
  await proxy.close();
  await guard.close();
  await platform.close();
});

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly requestState?: string;
}

/** Calls without any client: says that it supports elicitation, and brings whatever answer it wants. */
async function raw(key: string, more: object = {}): Promise<Result> {
  const call = modernCall('restart_services', toolCallsOn(platform)['restart_services']!());
  const capable = { ...call.params._meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const answer = await server.post(
    { ...call, params: { ...call.params, _meta: capable, ...more } },
    { ...modernHeaders('restart_services'), authorization: `Bearer ${key}` },
  );
  const said = await answer.text();
  return (JSON.parse(said.startsWith('event:') ? /^data: (.*)$/m.exec(said)![1]! : said) as { result: Result }).result;
}

const yes = { confirm: { action: 'accept', content: { approve: true } } };

test('a caller over HTTP that answers its own question changes something, but not where the policy of its key leaves that to the operator', async () => {
  const asked = await raw(plain.key);
  expect(asked.requestState).toEqual(expect.any(String));
  expect((await raw(plain.key, { requestState: asked.requestState, inputResponses: yes })).isError).toBeFalsy();
  expect(proxy.writes()).toHaveLength(1);

  const waiting = await raw(held.key);
  expect(waiting).toMatchObject({ isError: true });
  expect(waiting.requestState).toBeUndefined();
  for (const requestState of [undefined, (await raw(plain.key)).requestState]) {
    expect(await raw(held.key, { requestState, inputResponses: yes })).toMatchObject({ isError: true });
  }
  expect(proxy.writes()).toHaveLength(1);

  await guard.decide(/under code (\S{9})/.exec(waiting.content![0]!.text)![1]!);
  expect((await raw(held.key)).isError).toBeFalsy();
  expect(proxy.writes()).toHaveLength(2);
});
