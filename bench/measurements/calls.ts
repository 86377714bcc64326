import { join } from 'node:path';
import { operations, toWire } from '../../src/contract/index.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load, type Load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { commonRead, toolCall, type PlatformRead } from '../common-read.ts';
import {
  startHttpProcess,
  startPlatformProcess,
  startServerProcess,
  type PlatformProcess,
} from '../server-processes.ts';
import { median } from '../statistics.ts';
import { connectDirect } from '../clients/direct-client.ts';
import { connectHttp } from '../clients/http-client.ts';
import { protocolVersions, type McpPeer, type ProtocolVersion } from '../clients/protocol.ts';
import { startStdioPeer } from '../clients/stdio-client.ts';

const calls = 2000;
/** Concurrent calls when throughput is measured. */
const concurrency = 16;
/** Number of rounds: the routes alternate, because the load of the machine varies. */
const rounds = 5;

/** One way to make the same call. */
interface CallRoute {
  readonly name: string;
  readonly call: (worker: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const mcpRoute = (name: string, peers: readonly McpPeer[], tool: object): CallRoute => ({
  name,
  call: (worker) => peers[worker % peers.length]!.request('tools/call', tool),
  close: async () => {
    await Promise.all(peers.map((peer) => peer.close()));
  },
});

/** Measures the routes alternately, so that other load of the machine affects all of them equally. */
async function measureAlternately(
  routes: readonly CallRoute[],
  times: number,
  workers: number,
): Promise<Map<string, Load[]>> {
  const loads = new Map<string, Load[]>(routes.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, call } of routes) loads.get(name)!.push(await load(Math.ceil(times / rounds), workers, call));
  }
  return loads;
}

/** The figures of one statistic, relative to the first route, which is the direct call. */
function figuresOf(
  statistic: string,
  unit: Figure['unit'],
  loadsByRoute: Map<string, Load[]>,
  read: (one: Load) => number,
): Figure[] {
  const [reference, ...others] = [...loadsByRoute].map(([name, loads]): Figure => ({
    name: `${name}: ${statistic}`,
    unit,
    value: median(loads.map(read)),
  }));
  return [reference!, ...others.map((figure) => relativeTo(reference!, figure))];
}

/** The command of a server of the MCP library alone, which sends the same request. */
const libraryServer = (
  transport: 'stdio' | 'http',
  { url, token }: PlatformProcess,
  { operation, input }: PlatformRead,
): [string, ...string[]] => [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  join(import.meta.dirname, '../library-server.ts'),
  transport,
  url,
  token,
  toWire(operations[operation], input).target,
];

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const http = await startHttpProcess(program, platform);
  const read = commonRead(platform.ids);
  const tool = toolCall(read);
  const direct = connectDirect(platform.url, platform.token, concurrency);
  const routes: CallRoute[] = [
    { name: 'direct', call: () => direct.call(read.operation, read.input), close: direct.close },
  ];
  for (const version of protocolVersions) {
    const server = { command: program.command, env: environment(await program.directory('stdio'), platform.options) };
    routes.push(mcpRoute(`stdio ${version}`, [await startStdioPeer(server, version)], tool));
  }
  const library = {
    command: libraryServer('stdio', platform, read),
    env: environment(await program.directory('library')),
  };
  routes.push(mcpRoute('library alone, stdio 2025', [await startStdioPeer(library, '2025')], tool));
  const libraryHttp = await startServerProcess(libraryServer('http', platform, read), library.env);
  const httpPeers = (url: string, version: ProtocolVersion) =>
    Promise.all(Array.from({ length: concurrency }, () => connectHttp(url, version)));
  routes.push(mcpRoute('library alone, HTTP 2026', await httpPeers(libraryHttp.url, '2026'), tool));
  for (const version of protocolVersions)
    routes.push(mcpRoute(`HTTP ${version}`, await httpPeers(http.url, version), tool));

  await measureAlternately(routes, times(calls), 1);
  const sequential = await measureAlternately(routes, times(calls), 1);
  const concurrent = await measureAlternately(routes, times(calls), concurrency);

  await Promise.all(routes.map(({ close }) => close()));
  await http.close();
  await libraryHttp.close();
  await platform.close();
  return [
    ...figuresOf('median', 'ms', sequential, (one) => one.median),
    ...figuresOf('p95', 'ms', sequential, (one) => one.p95),
    ...figuresOf('p99', 'ms', sequential, (one) => one.p99),
    ...figuresOf(`${concurrency} concurrent`, 'per s', concurrent, ({ perSecond }) => perSecond),
  ];
}

export const callsOfTools: Measurement = {
  name: 'calls',
  about:
    'One call of a read tool over stdio and HTTP in both protocol versions, and of a server of the MCP library alone, compared with the same request to the platform.',
  measure,
};
