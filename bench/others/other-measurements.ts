import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { startStdioPeer, type StdioCommand } from '../clients/stdio-client.ts';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { settledMemory } from '../process-memory.ts';
import { environment } from '../program.ts';
import { median } from '../statistics.ts';
import { installed } from './install.ts';
import { publicServers } from './public-servers.ts';

/** A server to start, with the name of its figures. */
interface Candidate {
  readonly name: string;
  readonly server: StdioCommand;
}

/** What one start shows: times in milliseconds, memory in MB, sizes in bytes. */
interface Start {
  readonly handshake: number;
  readonly listed: number;
  readonly memory: number;
  readonly bytesOfTool: number;
}

/** Starts a server, and lists its tools. @throws Error if it ends before */
async function startOf({ server }: Candidate): Promise<Start> {
  const peer = await startStdioPeer(server, '2025');
  const { tools } = (await peer.request('tools/list')) as { readonly tools: readonly unknown[] };
  const listed = peer.elapsed();
  const memory = await settledMemory(peer.pid!);
  await peer.close();
  const bytes = tools.reduce((sum: number, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
  return { handshake: peer.openedAfter, listed, memory, bytesOfTool: tools.length === 0 ? 0 : bytes / tools.length };
}

/** The time from start to end of Node without a program, in milliseconds. */
async function bareStart(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startedAt;
}

async function candidates({ program: build, log }: BenchContext): Promise<readonly Candidate[]> {
  const program = await build();
  const directory = await program.directory('others');
  const all: Candidate[] = [
    { name: 'infra-mcp', server: { command: program.command, env: environment(await program.directory('own')) } },
  ];
  for (const one of publicServers) {
    log(`installs ${one.package} ${one.version}`);
    const { name, command, args } = await installed(one, directory);
    const env = environment(await program.directory('other'), one.env);
    all.push({ name, server: { command: [command, ...args], env } });
  }
  return all;
}

const middle = (starts: readonly Start[], of: keyof Start): number => median(starts.map((start) => start[of]));

/** Alternates the servers, so that other load of the machine affects all equally. The first round only warms up. */
async function measure(bench: BenchContext): Promise<readonly Figure[]> {
  const all = (await candidates(bench)).map((one) => ({ ...one, starts: [] as Start[] }));
  const bare: number[] = [];
  for (let round = 0; round <= bench.runs; round += 1) {
    bare.push(await bareStart());
    for (const one of all) {
      const start = await startOf(one);
      if (round > 0) one.starts.push(start);
    }
  }
  const node: Figure = { name: 'bare Node, start and end', value: median(bare), unit: 'ms' };
  const figures = all.map(({ name, starts }): Readonly<Record<keyof Start, Figure>> => ({
    handshake: relativeTo(node, { name: `${name}: handshake`, value: middle(starts, 'handshake'), unit: 'ms' }),
    listed: relativeTo(node, { name: `${name}: tools/list`, value: middle(starts, 'listed'), unit: 'ms' }),
    memory: { name: `${name}: memory after tools/list`, value: middle(starts, 'memory'), unit: 'MB' },
    bytesOfTool: { name: `${name}: a tool in the list`, value: middle(starts, 'bytesOfTool'), unit: 'bytes' },
  }));
  return [
    node,
    ...(['handshake', 'listed', 'memory', 'bytesOfTool'] as const).flatMap((of) => figures.map((one) => one[of])),
  ];
}

/** What compares this server with public ones. They are installed for it. */
export const otherMeasurements: readonly Measurement[] = [
  {
    name: 'others',
    about: `Start, memory and size of the list of ${publicServers.length} public servers beside this one, installed from their packages.`,
    measure,
  },
];
