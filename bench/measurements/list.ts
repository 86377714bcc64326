import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createDependencies } from '../../src/server/protocol/shared-dependencies.ts';
import type { ServerDependencies } from '../../src/server/protocol/server.ts';
import { startStdioServer } from '../../src/transport/stdio.ts';
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

/** Of a list of tools, what hosts put before a model. */
const modelView = ({ name, description, inputSchema }: Listed) => ({ name, description, inputSchema });

async function sizes(name: string, server: StdioCommand): Promise<Figure[]> {
  const peer = await startStdioPeer(server, '2025');
  const { tools: listed = [] } = await peer.request('tools/list');
  await peer.close();
  const shown = bytes((listed as Listed[]).map(modelView));
  return [
    { name: `${name}: whole list`, value: bytes({ tools: listed }), unit: 'bytes' },
    { name: `${name}: what a model sees`, value: shown, unit: 'bytes' },
    { name: `${name}: of that a tool`, value: Math.round(shown / listed.length), unit: 'bytes' },
  ];
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What servers share, as a process has it at its start: nothing was derived from these tools yet. */
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

/** Asks a server of its own for the list, as a stateless host does for every request. */
async function listOnce(parts: ServerDependencies): Promise<void> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = startStdioServer(parts, far);
  const answered = new Promise<RpcResponse>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
    near.onmessage = (said) => resolve(said as RpcResponse);
  });
  await near.start();
  await near.send(requestMessage('2026', 1, 'tools/list', {}) as Parameters<typeof near.send>[0]);
  if ((await answered).result === undefined) throw new Error('the list was not answered');
  await server.close();
}

/** Lists a second when what was derived once is remembered, beside deriving it anew. */
async function rates({ repetitions: times }: BenchContext): Promise<Figure[]> {
  const shared = freshDependencies();
  await load(times(200), 1, () => listOnce(shared));
  const anew = await load(times(200), 1, () => listOnce(freshDependencies()));
  const remembered = await load(times(2000), 1, () => listOnce(shared));
  const reference: Figure = { name: 'lists, derived anew', value: anew.perSecond, unit: 'per s' };
  return [reference, relativeTo(reference, { name: 'lists, remembered', value: remembered.perSecond, unit: 'per s' })];
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const program: BundledProgram = await bench.program();
  const env = environment(await program.directory('list'));
  const figures = await sizes('this server', { command: program.command, env });
  for (const { name, command, args } of bench.others) figures.push(...(await sizes(name, { command: [command, ...args], env })));
  return [...figures, ...(await rates(bench))];
}

export const listOfTools: Measurement = {
  name: 'list',
  about: 'What tools/list costs: its bytes, those of it that a model reads in every conversation, and what remembering it saves.',
  measure,
};
