import { relativeTo, type Figure } from '../figure.ts';
import { load, type Load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { commonRead, toolCall } from '../common-read.ts';
import { startHttpProcess, startPlatformProcess } from '../server-processes.ts';
import { median } from '../statistics.ts';
import { connectDirect } from '../clients/direct-client.ts';
import { connectHttp } from '../clients/http-client.ts';
import { protocolVersions, type McpPeer } from '../clients/protocol.ts';
import { startStdioPeer } from '../clients/stdio-client.ts';

const calls = 2000;
/** Calls that are under way at once where throughput is measured. */
const atOnce = 16;
/** What else the machine does comes and goes: each way has its turn this often. */
const turns = 5;

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

/** All ways in turns, so that whatever else the machine does meets all alike. */
async function inTurns(ways: readonly CallRoute[], times: number, workers: number): Promise<Map<string, Load[]>> {
  const found = new Map<string, Load[]>(ways.map(({ name }) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { name, call } of ways) found.get(name)!.push(await load(Math.ceil(times / turns), workers, call));
  }
  return found;
}

/** Figures of one kind, set against those of the direct call, which is the first. */
function figuresOf(what: string, unit: Figure['unit'], found: Map<string, Load[]>, read: (one: Load) => number): Figure[] {
  const [reference, ...others] = [...found].map(([name, loads]): Figure => ({ name: `${name}: ${what}`, unit, value: median(loads.map(read)) }));
  return [reference!, ...others.map((figure) => relativeTo(reference!, figure))];
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const http = await startHttpProcess(program, platform);
  const read = commonRead(platform.ids);
  const tool = toolCall(read);
  const direct = connectDirect(platform.url, platform.token, atOnce);
  const ways: CallRoute[] = [{ name: 'direct', call: () => direct.call(read.operation, read.input), close: direct.close }];
  for (const era of protocolVersions) {
    const server = { command: program.command, env: environment(await program.directory('stdio'), platform.options) };
    ways.push(mcpRoute(`stdio ${era}`, [await startStdioPeer(server, era)], tool));
  }
  for (const era of protocolVersions) ways.push(mcpRoute(`HTTP ${era}`, await Promise.all(Array.from({ length: atOnce }, () => connectHttp(http.url, era))), tool));

  await inTurns(ways, times(calls), 1);
  const alone = await inTurns(ways, times(calls), 1);
  const together = await inTurns(ways, times(calls), atOnce);

  await Promise.all(ways.map(({ close }) => close()));
  await http.close();
  await platform.close();
  return [
    ...figuresOf('median', 'ms', alone, (one) => one.median),
    ...figuresOf('p95', 'ms', alone, (one) => one.p95),
    ...figuresOf('p99', 'ms', alone, (one) => one.p99),
    ...figuresOf(`${atOnce} at once`, 'per s', together, ({ perSecond }) => perSecond),
  ];
}

export const callsOfTools: Measurement = {
  name: 'calls',
  about: 'One call of a tool that reads, on stdio and over HTTP in both eras, beside the same call made of the platform directly.',
  measure,
};
