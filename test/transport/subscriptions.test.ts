import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import type { Rules } from '../../src/server/guard/index.ts';
import { createDependencies, dependenciesUnder, buildServer } from '../../src/server/protocol/index.ts';
import { watchFor } from '../../src/server/browse/resources/watch-resource.ts';
import { createWatches, type Watches } from '../../src/server/browse/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { createToken } from '../../src/platform/api/index.ts';
import { callOf, type Restriction, type AuthenticateCaller } from '../../src/transport/index.ts';
import { restrictedDependencies, unrestricted } from '../../src/transport/http/restriction.ts';
import { startHttpServer, type HttpServer } from '../../src/transport/http/http-server.ts';
import { tools } from '../../tools/index.ts';
import { eventually } from '../support/eventually.ts';
import { legacyResourceClient, modernResourceClient, type ResourceClient } from '../support/resource-clients.ts';
import { memoryLog } from '../support/call-context.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { connectLegacy, connectModern } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';

const service = seedId('service/shop/staging/checkout-api');
const status = `infra://service/application/${service}/status`;

let platform: TestPlatform;
let tokens: Record<string, string>;
let proxy: RecordingProxy;
let client: Client;
let server: HttpServer;
let watches: Watches;
let looks: number;
/** Holds everybody to more from now on. */
let setRules: (rules: Rules) => void;
let open: { close(): Promise<unknown> }[];
/** The state of the service that the platform reports to each token. */
let stateByToken: Record<string, string>;

const authenticate: AuthenticateCaller = async ({ headers }) => ({
  principal: `key:${headers.get('authorization')}`,
  level: 'admin',
  restriction: unrestricted,
  stepUp: () => new Response(null, { status: 403 }),
});

beforeAll(async () => {
  platform = await startTestPlatform();
  tokens = {
    ann: await createToken(platform, { name: 'ann', permission: 'read' }),
    bob: await createToken(platform, { name: 'bob', permission: 'read' }),
  };
  proxy = await startRecordingProxy(platform.url, {
    alter: (_method, path, body, token) =>
      path.endsWith(`${service}/status`)
        ? { ...(body as object), state: stateByToken[`Token ${token}`] ?? 'RUNNING' }
        : body,
  });
  client = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
});

beforeEach(async () => {
  [looks, open, stateByToken] = [0, [], {}];
  const clock = { now: Date.now };
  watches = createWatches({ clock, pollInterval: () => ((looks += 1), 10) });
  const log = memoryLog();
  const base = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [],
    version: '0',
    log,
    clock,
    watches,
  });
  let current = restrictedDependencies(base, tools);
  const partsFor = (restriction: Restriction) => current(restriction);
  setRules = (rules) =>
    void (current = restrictedDependencies(dependenciesUnder(base, tools, { ...base.policy, rules: [rules] }), tools));
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    authenticate,
    holdsToken: true,
    askPlatform: async () => undefined,
    build: (era, { restriction }) =>
      buildServer(partsFor(restriction), { era, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    watch: ({ caller, call }) => watchFor(() => partsFor(caller.restriction), call),
    levelOf: () => 'read',
    clock,
    log,
    limits: { shutdownDelay: 0, drainTime: 0 },
  });
});

afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  await server.close();
});

afterAll(async () => {
  await client.close();
  await proxy.close();
  await platform.close();
});

const headersOf = (who: string, token: string) => ({ authorization: who, 'x-infra-api-token': tokens[token]! });

const connect = {
  modern: async (who: string, token = who): Promise<ResourceClient> => {
    const { client: modern } = await connectModern(
      new ModernTransport(new URL(server.url), { requestInit: { headers: headersOf(who, token) } }),
    );
    open.push(modern);
    return modernResourceClient(modern);
  },
  legacy: async (who: string, token = who): Promise<ResourceClient> => {
    const transport = new LegacyTransport(new URL(server.url), { requestInit: { headers: headersOf(who, token) } });
    const { client: legacy } = await connectLegacy(transport);
    open.push({ close: () => transport.terminateSession().then(() => legacy.close()) });
    return legacyResourceClient(legacy);
  },
};

/** Waits until everything that is watched has been looked at again. */
async function lookedAgain(): Promise<void> {
  const before = looks;
  await eventually(() => expect(looks).toBeGreaterThan(before + 3 * watches.size()));
}

const change = (who: string, state: string): void => void (stateByToken[`Token ${tokens[who]!}`] = state);

describe.each(['modern', 'legacy'] as const)('over HTTP, with the %s protocol version,', (era) => {
  test('a caller is notified of what changes for it, and another one of the same resource is not', async () => {
    const [ann, bob] = await Promise.all([connect[era]('ann'), connect[era]('bob')]);
    await Promise.all([ann.watch([status]), bob.watch([status])]);
    expect(watches.size()).toBe(2);
    await lookedAgain();
    change('ann', 'DEPLOYMENT_ERROR');
    await eventually(() => expect(ann.updatedUris).toEqual([status]));
    await lookedAgain();
    expect(bob.updatedUris).toEqual([]);
    change('bob', 'STOPPED');
    await eventually(() => expect(bob.updatedUris).toEqual([status]));
    expect(ann.updatedUris).toEqual([status]);
  });

  test('callers share no polling, even with the same token', async () => {
    const [ann, eve] = await Promise.all([connect[era]('ann'), connect[era]('eve', 'ann')]);
    await Promise.all([ann.watch([status]), eve.watch([status])]);
    expect(watches.size()).toBe(2);
  });

  test('two clients of one caller share one poll, until the last one leaves', async () => {
    const [one, other] = await Promise.all([connect[era]('ann'), connect[era]('ann')]);
    const [first, second] = await Promise.all([one.watch([status]), other.watch([status])]);
    expect(watches.size()).toBe(1);
    await lookedAgain();
    change('ann', 'RESTARTING');
    await eventually(() => expect([...one.updatedUris, ...other.updatedUris]).toEqual([status, status]));
    await first.stop();
    expect(watches.size()).toBe(1);
    await second.stop();
    await eventually(() => expect(watches.size()).toBe(0));
    const before = looks;
    await one.client.listResources();
    expect(looks).toBe(before);
  });

  test('a server that stops ends the polling', async () => {
    await (await connect[era]('ann')).watch([status]);
    expect(watches.size()).toBe(1);
    await server.close();
    expect(watches.size()).toBe(0);
    open = [];
  });
});

test('a stream gets one more notification when the operator denies its resource, and then none', async () => {
  const ann = await connect.modern('ann');
  await ann.watch([status]);
  await lookedAgain();
  setRules(await parsePolicy('policy.yaml', 'deny: [{ tool: get_application_status }]', tools));
  await eventually(() => expect(ann.updatedUris).toEqual([status]));
  await expect(ann.text(status)).rejects.toThrow('policy.yaml, deny[0]');
  change('ann', 'STOPPED');
  await lookedAgain();
  expect(ann.updatedUris).toEqual([status]);
});
