import { relativeTo, type Figure } from '../figure.ts';
import { heapUsed, withProbe } from '../probe.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { commonRead, toolCall } from '../common-read.ts';
import { startHttpProcess, startPlatformProcess } from '../server-processes.ts';
import { connectHttp } from '../clients/http-client.ts';
import { startStdioPeer } from '../clients/stdio-client.ts';

const calls = 100_000;
const concurrency = 16;
/** Share of calls after which all caches are filled. */
const warm = 0.1;

/** The used heap after the warm-up, and after all calls. */
async function heaps(
  name: string,
  times: number,
  call: (worker: number) => Promise<unknown>,
  heap: () => Promise<number>,
): Promise<Figure[]> {
  await load(times * warm, concurrency, call);
  const early: Figure = {
    name: `${name}: after ${(times * warm).toLocaleString('en')} calls`,
    value: await heap(),
    unit: 'MB',
  };
  await load(times * (1 - warm), concurrency, call);
  return [
    early,
    relativeTo(early, { name: `${name}: after ${times.toLocaleString('en')} calls`, value: await heap(), unit: 'MB' }),
  ];
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const tool = toolCall(commonRead(platform.ids));

  const { command } = withProbe(program);
  const stdio = await startStdioPeer(
    { command, env: environment(await program.directory('stdio'), platform.options), channel: true },
    '2025',
  );
  const onStdio = await heaps(
    'stdio 2025',
    times(calls),
    () => stdio.request('tools/call', tool),
    () => heapUsed(stdio.child),
  );
  await stdio.close();

  const http = await startHttpProcess(withProbe(program), platform);
  const peers = await Promise.all(Array.from({ length: concurrency }, () => connectHttp(http.url, '2026')));
  const overHttp = await heaps(
    'HTTP 2026',
    times(calls),
    (worker) => peers[worker]!.request('tools/call', tool),
    () => heapUsed(http.child),
  );
  await Promise.all(peers.map((peer) => peer.close()));
  await http.close();
  await platform.close();
  return [...onStdio, ...overHttp];
}

export const heap: Measurement = {
  name: 'heap',
  about: 'Used heap of the server after garbage collection, early on and after 100,000 calls.',
  measure,
};
