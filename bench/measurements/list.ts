import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createDependencies, type ServerDependencies } from '../../src/server/protocol/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment, type BundledProgram } from '../program.ts';
import { type RpcResponse, requestMessage } from '../clients/protocol.ts';
import { startStdioPeer, type StdioCommand } from '../clients/stdio-client.ts';

interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The parts of a tool that hosts show to a model. */
const modelView = ({ name, description, inputSchema }: Listed) => ({ name, description, inputSchema });

async function sizes(name: string, server: StdioCommand): Promise<Figure[]> {
  const peer = await startStdioPeer(server, '2025');
  const { tools: listed = [] } = await peer.request('tools/list');
  await peer.close();
  const visible = bytes((listed as Listed[]).map(modelView));
  return [
    { name: `${name}: whole list`, value: bytes({ tools: listed }), unit: 'bytes' },
    { name: `${name}: visible to a model`, value: visible, unit: 'bytes' },
    { name: `${name}: visible to a model, per tool`, value: Math.round(visible / listed.length), unit: 'bytes' },
  ];
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Dependencies as at process start, with no cached data for these tools. */
const freshDependencies = (): ServerDependencies =>
  createDependencies({
    tools: tools.map((tool) => ({ ...tool })),
    policy: { readOnly: false },
    connect: () => Promise.reject(new Error('nothing is called here')),
    secrets: () => [],
    version: '0.0.0',
    log: silent,
    clock: { now: Date.now },
  });

/** Requests the list from a new server, as a stateless host does for every request. */
async function listOnce(dependencies: ServerDependencies): Promise<void> {
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  const server = startStdioServer(dependencies, serverTransport);
  const answered = new Promise<RpcResponse>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
    clientTransport.onmessage = (message) => resolve(message as RpcResponse);
  });
  await clientTransport.start();
  await clientTransport.send(requestMessage('2026', 1, 'tools/list', {}) as Parameters<typeof clientTransport.send>[0]);
  if ((await answered).result === undefined) throw new Error('the list was not answered');
  await server.close();
}

/** Lists per second with cached data, compared with generating it each time. */
async function rates({ repetitions: times }: BenchContext): Promise<Figure[]> {
  const shared = freshDependencies();
  await load(times(200), 1, () => listOnce(shared));
  const uncached = await load(times(200), 1, () => listOnce(freshDependencies()));
  const cached = await load(times(2000), 1, () => listOnce(shared));
  const reference: Figure = { name: 'lists, not cached', value: uncached.perSecond, unit: 'per s' };
  return [reference, relativeTo(reference, { name: 'lists, cached', value: cached.perSecond, unit: 'per s' })];
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const program: BundledProgram = await bench.program();
  const env = environment(await program.directory('list'));
  const figures = await sizes('this server', { command: program.command, env });
  for (const { name, command, args } of bench.others)
    figures.push(...(await sizes(name, { command: [command, ...args], env })));
  return [...figures, ...(await rates(bench))];
}

export const listOfTools: Measurement = {
  name: 'list',
  about: 'Cost of tools/list: its size, the part that a model reads in every conversation, and the effect of caching.',
  measure,
};
