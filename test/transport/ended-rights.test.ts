import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { createWatches, type Watches } from '../../src/server/browse/index.ts';
import { watchFor } from '../../src/server/browse/resources/watch-resource.ts';
import { buildServer, createDependencies } from '../../src/server/protocol/index.ts';
import {
  createApiKey,
  loadApiKeys,
  type ApiKeys,
  bearerAuthentication,
  callOf,
  type AuthenticateCaller,
  restrictedDependencies,
} from '../../src/transport/index.ts';
import { startHttpServer, type HttpServer } from '../../src/transport/http/http-server.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, connectModern } from '../support/mcp-clients.ts';
import { rawHttp, type RawClientOptions } from '../support/raw-clients.ts';
import { failureIn } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { legacyResourceClient, modernResourceClient, type ResourceClient } from '../support/resource-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { audience, oauthOf, startAuthorizationServer, type AuthorizationServer } from './authorization-server.ts';

const status = `infra://service/application/${seedId('service/shop/staging/checkout-api')}/status`;

let platform: TestPlatform;
let proxy: RecordingProxy;
/** What requests to the platform wait for. */
let beforeRequest: () => Promise<void>;
let client: Client;
let authority: AuthorizationServer;
let directory: string;
let keys: ApiKeys;
let server: HttpServer;
let watches: Watches;
/** Milliseconds by which the server's clock is ahead. */
let ahead: number;
let policyVersion: string;
let open: { close(): Promise<unknown> }[];

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, { beforeRequest: () => beforeRequest() });
  client = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
  authority = await startAuthorizationServer();
  directory = await mkdtemp(join(tmpdir(), 'infra-mcp-rights-'));
});

beforeEach(async () => {
  [open, ahead, policyVersion, keys, beforeRequest] = [[], 0, 'first', new Map(), async () => undefined];
  proxy.requests.length = 0;
  const clock = { now: () => Date.now() + ahead };
  const log = memoryLog();
  watches = createWatches({ clock, pollInterval: () => 10 });
  const partsFor = restrictedDependencies(
    createDependencies({
      tools,
      policy: { readOnly: false },
      connect: async () => ({ client }),
      secrets: () => [],
      version: '0',
      log,
      clock,
      watches,
    }),
    tools,
  );
  const oauth = oauthOf(authority, { clock });
  const authenticate: AuthenticateCaller = (request) => bearerAuthentication({ keys, oauth })(request);
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    publicUrl: new URL(audience),
    authenticate,
    holdsToken: true,
    askPlatform: async () => undefined,
    policyVersion: () => policyVersion,
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
  await Promise.all(open.map((one) => one.close().catch(() => undefined)));
  await server.close();
});

afterAll(async () => {
  await client.close();
  await authority.close();
  await proxy.close();
  await platform.close();
  await rm(directory, { recursive: true });
});

/** Takes keys as the file would have them after a reload. */
async function setKeys(...entries: readonly string[]): Promise<void> {
  const path = join(directory, 'keys.yaml');
  await writeFile(path, ['keys:', ...entries.map((entry) => `  - ${entry}`)].join('\n'));
  keys = await loadApiKeys(path, tools);
}

const connect = {
  modern: async (bearer: () => string): Promise<ResourceClient> => {
    const { client: modern } = await connectModern(
      new ModernTransport(new URL(server.url), { fetch: withBearer(bearer) }),
    );
    open.push(modern);
    return modernResourceClient(modern);
  },
  legacy: async (bearer: () => string): Promise<ResourceClient> => {
    const { client: legacy } = await connectLegacy(
      new LegacyTransport(new URL(server.url), {
        fetch: withBearer(bearer),
        reconnectionOptions: {
          maxRetries: 0,
          initialReconnectionDelay: 1,
          maxReconnectionDelay: 1,
          reconnectionDelayGrowFactor: 1,
        },
      }),
    );
    open.push(legacy);
    return legacyResourceClient(legacy);
  },
};

/** A client's requests, each with the token that it has by then. */
const withBearer =
  (bearer: () => string) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${bearer()}`);
    return fetch(url, { ...init, headers });
  };

/** A line of the keys file. */
const entry = (name: string, { sha256 }: { sha256: string }, level: string): string =>
  `{ name: ${name}, sha256: ${sha256}, level: ${level} }`;

const sessionsOf = { modern: 0, legacy: 1 } as const;

/** What stays open on the server for its clients. */
const held = () => ({ watched: watches.size(), streams: server.load().streams, sessions: server.load().sessions });

const until = (expected: Partial<ReturnType<typeof held>>) => eventually(() => expect(held()).toMatchObject(expected));

describe.each(['modern', 'legacy'] as const)('with the %s protocol version,', (era) => {
  const ann = createApiKey();
  const bob = createApiKey();

  const whole = { watched: 1, streams: 1, sessions: sessionsOf[era] };

  async function watching(): Promise<ResourceClient> {
    await setKeys(entry('ann', ann, 'write'), entry('bob', bob, 'write'));
    const watcher = await connect[era](() => ann.key);
    expect((await watcher.watch([status])).agreed).toEqual([status]);
    await until(whole);
    return watcher;
  }

  test('a reload that changes nothing for a caller ends nothing', async () => {
    await watching();
    await setKeys(entry('ann', ann, 'write'));
    await server.recheck();
    expect(held()).toEqual(whole);
  });

  test.each([
    ['its key was removed', async () => setKeys(entry('bob', bob, 'write'))],
    ['its key was replaced', async () => setKeys(entry('ann', createApiKey(), 'write'))],
    ['its level was lowered', async () => setKeys(entry('ann', ann, 'read'))],
    ['the policy changed', async () => void (policyVersion = 'second')],
    [
      'its own policy changed',
      async () => {
        await writeFile(join(directory, 'ann.yaml'), 'deny: [{ tool: lock_cluster }]');
        await setKeys(`{ name: ann, sha256: ${ann.sha256}, level: write, policy: ann.yaml }`);
      },
    ],
  ])('streams and subscriptions of a caller end at the reload after %s', async (_, change) => {
    await watching();
    await change();
    await server.recheck();
    await until({ watched: 0, streams: 0, sessions: 0 });
  });

  test('those of others stay', async () => {
    const watcher = await watching();
    const other = await connect[era](() => bob.key);
    await other.watch([status]);
    await until({ watched: 2, streams: 2 });
    await setKeys(entry('bob', bob, 'write'));
    await server.recheck();
    await until(whole);
    await expect(watcher.text(status)).rejects.toThrow();
    expect(await other.text(status)).toContain('state');
  });

  test('an access token that expires ends its streams and subscriptions, and a newer one may subscribe again', async () => {
    let present = '';
    /** Subscribes with a token that the server accepts for so many seconds more; undefined if it expired meanwhile. */
    const subscribe = async (seconds: number): Promise<ResourceClient | undefined> => {
      present = await authority.token({ claims: { exp: Math.floor(Date.now() / 1000) + 60 } });
      ahead = (65 - seconds) * 1000;
      try {
        const one = await connect[era](() => present);
        return (await one.watch([status])).agreed.length === 1 ? one : undefined;
      } catch {
        return undefined;
      }
    };
    const watcher = (await subscribe(2)) ?? (await subscribe(8)) ?? (await subscribe(20));
    if (!watcher) throw new Error('the machine is too slow to subscribe within 20 seconds');
    await until({ watched: 0, streams: 0 });
    await expect(watcher.text(status)).rejects.toThrow();
    present = await authority.token({ claims: { exp: Math.floor(Date.now() / 1000) + 3600 } });
    expect((await watcher.watch([status])).agreed).toEqual([status]);
    expect(watches.size()).toBe(1);
  });
});

const restart = () => ['restart_services', toolCallsOn(platform)['restart_services']!()] as const;

describe('a call that asks its user', () => {
  const ann = createApiKey();
  const calling = async (reply: RawClientOptions['reply']) => {
    await setKeys(entry('ann', ann, 'write'));
    const caller = await rawHttp.legacy(new URL(server.url), { reply }, { authorization: `Bearer ${ann.key}` });
    open.push(caller);
    return caller;
  };
  const reduceRights = async (): Promise<void> => {
    await setKeys(entry('ann', ann, 'read'));
    await server.recheck();
  };

  test("is refused at a reload that changes the caller's rights, because no answer can come any more", async () => {
    const asked = Promise.withResolvers<void>();
    const caller = await calling(() => {
      asked.resolve();
      return undefined;
    });
    const call = caller.call(...restart());
    await asked.promise;
    expect(server.load().sessions).toBe(1);
    await reduceRights();
    const refused = await call;
    expect(failureIn(refused)).toEqual({ kind: 'question_ended', outcome: 'refused' });
    expect(refused.content![0]!.text).toContain('Initialize a new session');
    expect(proxy.writes()).toEqual([]);
    await until({ sessions: 0 });
  });

  test('is refused without a question if the rights changed before it got to ask', async () => {
    const caller = await calling(() => ({ result: { action: 'accept', content: { approve: true } } }));
    const [arrived, reduced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeRequest = () => {
      arrived.resolve();
      return reduced.promise;
    };
    const call = caller.call(...restart());
    await arrived.promise;
    await reduceRights();
    reduced.resolve();
    expect((await call).isError).toBe(true);
    expect(caller.asked).toEqual([]);
    expect(proxy.writes()).toEqual([]);
  });

  test('is carried out where the answer came before', async () => {
    const caller = await calling(() => ({ result: { action: 'accept', content: { approve: true } } }));
    expect((await caller.call(...restart())).isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
  });
});
