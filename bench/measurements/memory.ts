import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithThisProcess, pidWhileRunning } from '../../scripts/temporary-directory.ts';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { residentMemory, settledMemory } from '../process-memory.ts';
import { startPlatformProcess } from '../server-processes.ts';
import { commonRead, toolCall } from '../common-read.ts';
import { median } from '../statistics.ts';
import { startStdioPeer, type StdioCommand } from '../clients/stdio-client.ts';

const calls = 1000;
const settling = 2000;

type Sizes = Record<string, number>;

/** An idle Node process. */
async function bareNode(): Promise<Sizes> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e9)'], { stdio: 'ignore' });
  endWithThisProcess(pidWhileRunning(child));
  const size = await settledMemory(child.pid!);
  child.kill();
  return { 'bare node': size };
}

async function afterList(name: string, server: StdioCommand): Promise<Sizes> {
  const peer = await startStdioPeer(server, '2025');
  await peer.request('tools/list');
  const size = await residentMemory(peer.pid!);
  await peer.close();
  return { [`${name}: after tools/list`]: size };
}

async function afterCalls(name: string, server: StdioCommand, tool: object, times: number): Promise<Sizes> {
  const peer = await startStdioPeer(server, '2025');
  await peer.request('tools/list');
  await peer.request('tools/call', tool);
  const afterOne = await residentMemory(peer.pid!);
  for (let count = 1; count < times; count += 1) await peer.request('tools/call', tool);
  await pause(settling);
  const later = await residentMemory(peer.pid!);
  await peer.close();
  return { [`${name}: after one call`]: afterOne, [`${name}: two seconds after 1,000 calls`]: later };
}

/** Fewer rounds than for times, because sizes vary less. */
const rounds = (runs: number): number => Math.max(1, Math.ceil(runs / 3));

async function measure({ program: build, others, runs, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const tool = toolCall(commonRead(platform.ids));
  const directory = await program.directory('shared');
  const remote: StdioCommand = { command: program.command, env: environment(directory, platform.options) };
  const embedded: StdioCommand = {
    command: program.command,
    env: environment(directory, { INFRA_RATE_LIMIT: '1000000' }),
  };
  const sizes = new Map<string, number[]>();
  for (let round = 0; round <= rounds(runs); round += 1) {
    const found = [
      await bareNode(),
      await afterList('this server', remote),
      await afterCalls('with a remote platform', remote, tool, times(calls)),
      await afterCalls('with the embedded platform', embedded, tool, times(calls)),
    ];
    for (const { name, command, args } of others)
      found.push(await afterList(name, { command: [command, ...args], env: environment(directory) }));
    // The first round fills the compile cache.
    if (round > 0)
      for (const [name, size] of found.flatMap(Object.entries<number>))
        sizes.set(name, [...(sizes.get(name) ?? []), size]);
  }
  await platform.close();
  const [reference, ...figures] = [...sizes].map(([name, values]): Figure => ({
    name,
    value: median(values),
    unit: 'MB',
  }));
  return [reference!, ...figures.map((figure) => relativeTo(reference!, figure))];
}

export const memory: Measurement = {
  name: 'memory',
  about: 'Resident memory of the bundled program on stdio, with a warm compile cache.',
  measure,
};
