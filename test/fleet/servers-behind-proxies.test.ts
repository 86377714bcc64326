import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  agree,
  connectLegacy,
  connectModern,
  textOf,
  userAnswering,
  type TestClient,
  type User,
} from '../support/mcp-clients.ts';
import { isLanding } from '../suites.ts';
import { callReplica, yesTo } from '../transport/replica-calls.ts';
import { startProxy, type Proxy, type ProxyName } from './proxies.ts';
import { openServerFleet, stopReplica, type Replica, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
let replicas: Replica[] = [];
let proxy: Proxy | undefined;
let name = 0;
beforeAll(async () => {
  fleet = await openServerFleet();
});
afterAll(() => fleet.close());

const startReplica = (): Promise<Replica> =>
  fleet.start(`server-${(name += 1)}`, { INFRA_LOG_LEVEL: 'info', INFRA_HTTP_DRAIN_DELAY: '6' });

const kill = async ({ child, ended }: Replica): Promise<void> => {
  child.kill('SIGKILL');
  await ended;
};

const clients: TestClient[] = [];
const keep = <Client extends TestClient>(client: Client): Client => {
  clients.push(client);
  return client;
};
const modern = async (): Promise<TestClient> =>
  keep(await connectModern(new StreamableHTTPClientTransport(proxy!.mcp), userAnswering(agree)));
const legacy = async (user?: User): Promise<TestClient> =>
  keep(await connectLegacy(new LegacyTransport(proxy!.mcp), user));

async function closeAll(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close().catch(() => undefined)));
  await proxy?.close();
  proxy = undefined;
  await Promise.all(replicas.splice(0).map(kill));
}
afterEach(closeAll);

/** How many calls a server has answered, by its log. */
const callsAt = ({ output }: Replica): number => output.stderr.split('"calls":["list_projects"]').length - 1;

const calls = (): number[] => replicas.map(callsAt);

const status = async (path: string): Promise<number> => (await fetch(new URL(path, proxy!.mcp))).status;

describe.each<ProxyName>(isLanding ? ['haproxy'] : ['haproxy', 'caddy'])('behind %s', (proxyName) => {
  beforeEach(async () => {
    replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
    proxy = await startProxy(
      proxyName,
      replicas.map(({ mcp }) => mcp.host),
    );
  });

  test('requests of a 2026 client reach all servers, and a question is answered at any', async () => {
    const client = await modern();
    // Caddy chooses servers at random.
    await eventually(async () => {
      expect((await client.call('list_projects')).isError).toBeFalsy();
      expect(calls().filter((count) => count > 0)).toHaveLength(3);
    });
    const asked = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        callReplica(proxy!.mcp, 'create_webhook', fleet.webhookCall(`${proxyName}-${index}`)),
      ),
    );
    const answered = await Promise.all(
      asked.map((question, index) =>
        callReplica(proxy!.mcp, 'create_webhook', fleet.webhookCall(`${proxyName}-${index}`), yesTo(question)),
      ),
    );
    expect(answered.map(({ isError }) => isError ?? false)).toEqual(Array.from({ length: 6 }, () => false));
    for (let index = 0; index < 6; index += 1) expect(await fleet.webhooksTo(`${proxyName}-${index}`)).toBe(1);
  });

  test('a session of a 2025 client stays with one server; when that is gone the client begins a new one', async () => {
    const client = await legacy();
    for (let index = 0; index < 9; index += 1) expect((await client.call('list_projects')).isError).toBeFalsy();
    await eventually(() => expect(calls().toSorted((a, b) => a - b)).toEqual([0, 0, 9]));
    await kill(replicas.find((one) => callsAt(one) > 0)!);
    await expect(client.call('list_projects')).rejects.toThrow(
      proxyName === 'caddy' ? /Session not found|Error POSTing/ : /Session not found/,
    );
    const next = await eventually(() => legacy());
    for (let index = 0; index < 3; index += 1) expect((await next.call('list_projects')).isError).toBeFalsy();
  });

  test(`no request of a 2026 client fails ${proxyName === 'caddy' ? 'once it is noticed that' : 'when'} a server is gone`, async () => {
    const client = await modern();
    await kill(replicas[0]!);
    if (proxyName === 'caddy')
      await eventually(async () =>
        expect(await Promise.all(Array.from({ length: 6 }, () => client.call('list_projects')))).toBeDefined(),
      );
    const results = await Promise.all(Array.from({ length: 20 }, () => client.call('list_projects')));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
  });

  test('a question passes to the user of a session while its call runs', async () => {
    const client = await legacy(userAnswering(agree));
    const made = await client.call('create_webhook', fleet.webhookCall(`${proxyName}-asked`));
    expect(made.isError, textOf(made)).toBeFalsy();
    expect(await fleet.webhooksTo(`${proxyName}-asked`)).toBe(1);
  });

  test('the approvals page is there, and nothing else', async () => {
    expect([
      await status('/approvals'),
      await status('/approvals/style.css'),
      await status('/readyz'),
      await status('/livez'),
      await status('/'),
    ]).toEqual([200, 200, 404, 404, 404]);
  });

  test('while a server drains, nothing of a 2026 client fails', async () => {
    const client = await modern();
    const { child } = replicas[0]!;
    child.kill('SIGTERM');
    const failed: string[] = [];
    while (child.exitCode === null) {
      const result = await client.call('list_projects').catch(String);
      if (typeof result === 'string' || result.isError)
        failed.push(typeof result === 'string' ? result : textOf(result));
      await setTimeout(20);
    }
    expect(failed).toEqual([]);
  });
});

describe('behind haproxy, whose sessions follow their id', () => {
  test('sessions stay with their servers when it is reloaded', async () => {
    replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
    proxy = await startProxy(
      'haproxy',
      replicas.map(({ mcp }) => mcp.host),
    );
    const sessions = await Promise.all(Array.from({ length: 6 }, () => legacy()));
    // One that has just started hands no table on: for five seconds it waits for one itself.
    await setTimeout(6000);
    await proxy.reload();
    for (const client of sessions) expect((await client.call('list_projects')).isError).toBeFalsy();
  });

  test('a question in a session is answered although its server stops meanwhile, and new sessions go elsewhere', async () => {
    replicas = await Promise.all([startReplica(), startReplica()]);
    proxy = await startProxy(
      'haproxy',
      replicas.map(({ mcp }) => mcp.host),
    );
    let stopped: Promise<void> | undefined;
    const asking = await legacy(
      userAnswering(async (question) => {
        // Its log has told of the call before.
        const server = replicas.find((one) => callsAt(one) > 0)!;
        stopped = stopReplica(server);
        // Until the proxy has noticed.
        await setTimeout(2500);
        const others = await Promise.all(Array.from({ length: 4 }, () => legacy()));
        const before = callsAt(server);
        for (const other of others) expect((await other.call('list_projects')).isError).toBeFalsy();
        expect(callsAt(server)).toBe(before);
        return agree(question);
      }),
    );
    await asking.call('list_projects');
    await eventually(() => expect(calls().toSorted((a, b) => a - b)).toEqual([0, 1]));
    const made = await asking.call('create_webhook', fleet.webhookCall('in-a-session'));
    expect(made.isError, textOf(made)).toBeFalsy();
    expect(await fleet.webhooksTo('in-a-session')).toBe(1);
    await stopped;
  });
});
