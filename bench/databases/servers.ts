import { startProxy } from '../../test/fleet/proxies.ts';
import { connectHttp } from '../clients/http-client.ts';
import type { McpPeer } from '../clients/protocol.ts';
import { commonRead, toolCall } from '../common-read.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load, type Load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import {
  startHttpProcess,
  startPlatformProcess,
  type PlatformProcess,
  type ServerProcess,
} from '../server-processes.ts';
import { median } from '../statistics.ts';
import { startBenchPostgres } from './postgres.ts';

const [reads, changes, rounds, concurrency] = [2000, 240, 4, 24];

const capable = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } };

interface Asked {
  readonly requestState?: string;
  readonly isError?: boolean;
}

/** A change that the user is asked about and agrees to: two requests, which any two servers answer. */
async function agreedChange(peer: McpPeer, { ids }: PlatformProcess, number: number): Promise<void> {
  const call = {
    name: 'create_webhook',
    arguments: {
      organization_id: ids['organization_id'],
      target_url: `https://hooks.example/${number}`,
      events: ['DEPLOYMENT_FAILED'],
    },
    ...capable,
  };
  const { requestState } = (await peer.request('tools/call', call)) as Asked;
  const made = (await peer.request('tools/call', {
    ...call,
    requestState,
    inputResponses: { confirm: { action: 'accept', content: { approve: true } } },
  })) as Asked;
  if (made.isError || requestState === undefined) throw new Error(`The change was not made: ${JSON.stringify(made)}`);
}

/** Servers behind a proxy, and clients that call them. */
async function openRoute(servers: readonly ServerProcess[]) {
  const proxy = await startProxy(
    'haproxy',
    servers.map(({ url }) => new URL(url).host),
  );
  const peers = await Promise.all(Array.from({ length: concurrency }, () => connectHttp(proxy.mcp.href, '2026')));
  return {
    peers,
    close: async () => {
      await Promise.all(peers.map((peer) => peer.close()));
      await proxy.close();
    },
  };
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const { program: build, repetitions: times } = bench;
  const [program, postgres] = [await build(), await startBenchPostgres(bench)];
  if (!postgres) return [];
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const options = {
    ...platform.options,
    INFRA_DATABASE_URL: await postgres.createDatabase(),
    INFRA_KEYS_DIR: await program.directory('keys'),
  };
  const servers = [
    await startHttpProcess(program, { ...platform, options }),
    await startHttpProcess(program, { ...platform, options }),
    await startHttpProcess(program, { ...platform, options }),
  ];
  const routes = [
    ['1 server', await openRoute(servers.slice(0, 1))],
    ['3 servers', await openRoute(servers)],
  ] as const;
  let number = 0;
  const loads = new Map<string, Load[]>();
  const put = (name: string, one: Load): void => void loads.set(name, [...(loads.get(name) ?? []), one]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { peers }] of routes) {
      put(
        `reads, ${name}`,
        await load(Math.ceil(times(reads) / rounds), concurrency, (worker) =>
          peers[worker]!.request('tools/call', toolCall(commonRead(platform.ids))),
        ),
      );
      put(
        `agreed changes, ${name}`,
        await load(Math.ceil(times(changes) / rounds), concurrency, (worker) =>
          agreedChange(peers[worker]!, platform, (number += 1)),
        ),
      );
    }
  }
  for (const [, route] of routes) await route.close();
  for (const server of servers) await server.close();
  await platform.close();
  await postgres.stop();
  const figure = (name: string): Figure => ({
    name,
    unit: 'per s',
    value: median(loads.get(name)!.map(({ perSecond }) => perSecond)),
  });
  return ['reads', 'agreed changes'].flatMap((what) => {
    const [one, three] = [figure(`${what}, 1 server`), figure(`${what}, 3 servers`)];
    return [one, relativeTo(one, three)];
  });
}

/** Calls per second of several servers on one database. */
export const servers: Measurement = {
  name: 'servers',
  about: 'calls per second through HAProxy with three servers on one database, relative to one',
  measure,
};
