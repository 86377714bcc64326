import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { median } from '../statistics.ts';
import { protocolVersions, type ProtocolVersion } from '../clients/protocol.ts';
import { startStdioPeer, type StdioCommand } from '../clients/stdio-client.ts';

const bareNode = 'bare node';

/** One way to start, and how long each of its steps took in every round. */
interface Candidate {
  readonly name: string;
  readonly start: () => Promise<Readonly<Record<string, number>>>;
}

const bare: Candidate = {
  name: bareNode,
  start: async () => {
    const began = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    return { '': performance.now() - began };
  },
};

const candidate = (name: string, era: ProtocolVersion, server: () => Promise<StdioCommand>): Candidate => ({
  name,
  start: async () => {
    const peer = await startStdioPeer(await server(), era);
    await peer.request('tools/list');
    const listed = peer.elapsed();
    await peer.close();
    return { opening: peer.openedAfter, 'tools/list': listed };
  },
});

/** Warm: everything compiled is kept from start to start. Cold: nothing is. */
async function candidates({ program: build, others }: BenchContext): Promise<Candidate[]> {
  const program = await build();
  const kept = await program.directory('warm');
  const ours = protocolVersions.flatMap((era) => [
    candidate(`${era}, warm`, era, async () => ({ command: program.command, env: environment(kept) })),
    candidate(`${era}, cold`, era, async () => ({ command: program.command, env: environment(await program.directory('cold')) })),
  ]);
  const theirs = others.map(({ name, command, args }) => candidate(name, '2025', async () => ({ command: [command, ...args], env: environment(kept) })));
  return [bare, ...ours, ...theirs];
}

/** In turns, so that whatever else the machine does meets all alike. The first round only warms up. */
async function measure(bench: BenchContext): Promise<Figure[]> {
  const all = await candidates(bench);
  const took = new Map<string, number[]>();
  for (let round = 0; round <= bench.runs; round += 1) {
    for (const { name, start } of all) {
      const steps = await start();
      if (round === 0) continue;
      for (const [step, time] of Object.entries(steps)) {
        const figure = step === '' ? name : `${name}: ${step}`;
        took.set(figure, [...(took.get(figure) ?? []), time]);
      }
    }
  }
  const [reference, ...figures] = [...took].map(([name, times]): Figure => ({ name, value: median(times), unit: 'ms' }));
  return [reference!, ...figures.map((figure) => relativeTo(reference!, figure))];
}

export const start: Measurement = {
  name: 'start',
  about: 'From the start of the process to the answer to its opening and to tools/list: bundled, on stdio, in both eras, with a warm and a cold compile cache.',
  measure,
};
