import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { commonRead, toolCall } from '../common-read.ts';
import { residentMemory } from '../process-memory.ts';
import { type ServerProcess, startHttpProcess, startPlatformProcess } from '../server-processes.ts';
import { connectHttp } from '../clients/http-client.ts';
import { type ProtocolVersion, protocolVersions } from '../clients/protocol.ts';

const counts = [1, 10, 100, 500];
const calls = 6000;

interface ClientGroup {
  readonly rate: Figure;
  readonly slowest: Figure;
}

async function measureClients(
  http: ServerProcess,
  version: ProtocolVersion,
  count: number,
  tool: object,
  times: number,
): Promise<ClientGroup> {
  const peers = await Promise.all(Array.from({ length: count }, () => connectHttp(http.url, version)));
  const call = (worker: number) => peers[worker]!.request('tools/call', tool);
  await load(times / 10, count, call);
  const { perSecond, p99 } = await load(times, count, call);
  await Promise.all(peers.map((peer) => peer.close()));
  const name = `${version}, ${count} ${count === 1 ? 'client' : 'clients'}`;
  return {
    rate: { name: `${name}: calls`, value: perSecond, unit: 'per s' },
    slowest: { name: `${name}: p99`, value: p99, unit: 'ms' },
  };
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const tool = toolCall(commonRead(platform.ids));
  const figures: Figure[] = [];
  for (const version of protocolVersions) {
    const http = await startHttpProcess(program, platform);
    const groups: ClientGroup[] = [];
    for (const count of counts) groups.push(await measureClients(http, version, count, tool, times(calls)));
    const [first, ...others] = groups;
    figures.push(first!.rate, first!.slowest);
    for (const { rate, slowest } of others)
      figures.push(relativeTo(first!.rate, rate), relativeTo(first!.slowest, slowest));
    figures.push({
      name: `${version}: resident memory after ${counts.at(-1)} clients`,
      value: await residentMemory(http.pid),
      unit: 'MB',
    });
    await http.close();
  }
  await platform.close();
  return figures;
}

export const clients: Measurement = {
  name: 'clients',
  about: 'Concurrent clients over HTTP in both protocol versions, each on its own connection. Every call must succeed.',
  measure,
};
