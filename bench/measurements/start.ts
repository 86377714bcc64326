import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { median } from '../statistics.ts';
import { protocolVersions, type ProtocolVersion } from '../clients/protocol.ts';
import { startStdioPeer, type StdioCommand } from '../clients/stdio-client.ts';

const bareNode = 'bare node';

/** One way to start. Returns the time to each of its steps in milliseconds. */
interface Candidate {
  readonly name: string;
  readonly start: () => Promise<Readonly<Record<string, number>>>;
}

const bare: Candidate = {
  name: bareNode,
  start: async () => {
    const startedAt = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    return { '': performance.now() - startedAt };
  },
};

const candidate = (name: string, version: ProtocolVersion, server: () => Promise<StdioCommand>): Candidate => ({
  name,
  start: async () => {
    const peer = await startStdioPeer(await server(), version);
    await peer.request('tools/list');
    const listed = peer.elapsed();
    await peer.close();
    return { handshake: peer.openedAfter, 'tools/list': listed };
  },
});

/** Warm starts share a compile cache; cold starts have an empty one. */
async function candidates({ program: build, others }: BenchContext): Promise<Candidate[]> {
  const program = await build();
  const warmDirectory = await program.directory('warm');
  const ours = protocolVersions.flatMap((version) => [
    candidate(`${version}, warm`, version, async () => ({ command: program.command, env: environment(warmDirectory) })),
    candidate(`${version}, cold`, version, async () => ({
      command: program.command,
      env: environment(await program.directory('cold')),
    })),
  ]);
  const theirs = others.map(({ name, command, args }) =>
    candidate(name, '2025', async () => ({ command: [command, ...args], env: environment(warmDirectory) })),
  );
  return [bare, ...ours, ...theirs];
}

/** Alternates the candidates, so that other load of the machine affects all equally. The first round only warms up. */
async function measure(bench: BenchContext): Promise<Figure[]> {
  const all = await candidates(bench);
  const timesByFigure = new Map<string, number[]>();
  for (let round = 0; round <= bench.runs; round += 1) {
    for (const { name, start } of all) {
      const steps = await start();
      if (round === 0) continue;
      for (const [step, time] of Object.entries(steps)) {
        const figure = step === '' ? name : `${name}: ${step}`;
        timesByFigure.set(figure, [...(timesByFigure.get(figure) ?? []), time]);
      }
    }
  }
  const [reference, ...figures] = [...timesByFigure].map(([name, times]): Figure => ({
    name,
    value: median(times),
    unit: 'ms',
  }));
  return [reference!, ...figures.map((figure) => relativeTo(reference!, figure))];
}

export const start: Measurement = {
  name: 'start',
  about:
    'Time from process start to the end of the handshake and to the tools/list response: bundled, over stdio, in both protocol versions, with a warm and a cold compile cache.',
  measure,
};
