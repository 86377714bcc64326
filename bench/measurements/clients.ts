import { against, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { commonRead, toolCall } from '../reads.ts';
import { residentMemory } from '../resident.ts';
import { type Running, startHttp, startPlatform } from '../servers.ts';
import { connectHttp } from '../wire/http.ts';
import { type Era, eras } from '../wire/protocol.ts';

const counts = [1, 10, 100, 500];
const calls = 6000;

interface Crowd {
  readonly rate: Figure;
  readonly slowest: Figure;
}

async function crowd(http: Running, era: Era, count: number, tool: object, times: number): Promise<Crowd> {
  const peers = await Promise.all(Array.from({ length: count }, () => connectHttp(http.url, era)));
  const call = (worker: number) => peers[worker]!.request('tools/call', tool);
  await load(times / 10, count, call);
  const { perSecond, p99 } = await load(times, count, call);
  await Promise.all(peers.map((peer) => peer.close()));
  const name = `${era}, ${count} ${count === 1 ? 'client' : 'clients'}`;
  return { rate: { name: `${name}: calls`, value: perSecond, unit: 'per s' }, slowest: { name: `${name}: p99`, value: p99, unit: 'ms' } };
}

async function measure({ program: build, times }: Bench): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatform(program, await program.directory('platform'));
  const tool = toolCall(commonRead(platform.ids));
  const figures: Figure[] = [];
  for (const era of eras) {
    const http = await startHttp(program, platform);
    const crowds: Crowd[] = [];
    for (const count of counts) crowds.push(await crowd(http, era, count, tool, times(calls)));
    const [first, ...others] = crowds;
    figures.push(first!.rate, first!.slowest);
    for (const { rate, slowest } of others) figures.push(against(first!.rate, rate), against(first!.slowest, slowest));
    figures.push({ name: `${era}: resident memory after ${counts.at(-1)} clients`, value: await residentMemory(http.pid), unit: 'MB' });
    await http.close();
  }
  await platform.close();
  return figures;
}

export const clients: Measurement = {
  name: 'clients',
  about: 'Clients that all call at once, each on a connection of its own, over HTTP in both eras. Every call has to be answered.',
  measure,
};
