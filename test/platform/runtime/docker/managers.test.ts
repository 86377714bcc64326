import { expect, test } from 'vitest';
import {
  createDockerService,
  createManagersClient,
  type DockerClient,
  inspectDockerContainer,
  listDockerServices,
  type SwarmMemory,
} from '../../../../src/platform/runtime/docker/api/index.ts';
import { createNodeEngines } from '../../../../src/platform/runtime/docker/nodes/node-engines.ts';
import { type FakeEngine, rejectionOf, startFakeEngine } from './fake-engine.ts';

const leaderless = 'rpc error: code = Unknown desc = The swarm does not have a leader.';
const spec = { Name: 'web', TaskTemplate: { ContainerSpec: { Image: 'app:1' } } };

/** What a fake manager is. A change shows with its next answer. */
interface State {
  swarm?: string;
  kind?: 'manager' | 'worker' | 'leaderless';
  /** Whether it breaks the connection of every change. */
  breaks?: boolean;
  node?: string;
}

interface Manager extends FakeEngine {
  readonly state: State;
  /** What it was asked, apart from what it is. */
  readonly asked: () => string[];
}

async function startManager(state: State = {}): Promise<Manager> {
  const engine = await startFakeEngine((response, { method, url }) => {
    const { swarm = 'ours', kind = 'manager', node = 'n' } = state;
    if (url.endsWith('/info'))
      return response.end(
        JSON.stringify({
          Swarm: {
            NodeID: node,
            ControlAvailable: kind !== 'worker',
            ...(kind === 'leaderless' && { Error: leaderless }),
            ...(kind === 'manager' && { Cluster: { ID: swarm } }),
          },
        }),
      );
    if (state.breaks && method === 'POST') return response.destroy();
    if (kind === 'leaderless') return response.writeHead(500).end(JSON.stringify({ message: leaderless }));
    if (kind === 'worker')
      return response.writeHead(503).end(JSON.stringify({ message: 'This node is not a swarm manager.' }));
    return response.end(method === 'GET' ? '[]' : '{"ID":"new"}');
  });
  return {
    ...engine,
    state,
    asked: () =>
      engine.seen
        .filter(({ url }) => !url.endsWith('/info'))
        .map(({ method, url }) => `${method} ${url.replace(/^\/v[\d.]+|\?.*$/g, '')}`),
  };
}

const clientOf = (managers: readonly Manager[], memory?: SwarmMemory): DockerClient =>
  createManagersClient(
    managers.map(({ docker }) => docker),
    memory,
  );

test('the first manager is asked, and another one when it is away', async () => {
  const [first, second] = [await startManager(), await startManager()];
  const docker = clientOf([first, second]);
  await listDockerServices(docker);
  expect([first.asked(), second.asked()]).toEqual([['GET /services'], []]);
  await first.stop();
  expect(await listDockerServices(docker)).toEqual([]);
  expect(await createDockerService(docker, spec)).toBe('new');
  expect(second.asked()).toEqual(['GET /services', 'POST /services/create']);
});

test.each(['worker', 'leaderless'] as const)('one that is %s is passed over', async (kind) => {
  const [first, second] = [await startManager(), await startManager()];
  const docker = clientOf([first, second]);
  await listDockerServices(docker);
  first.state.kind = kind;
  expect(await listDockerServices(docker)).toEqual([]);
  expect(second.asked()).toEqual(['GET /services']);
});

test('a change that may have been carried out is not sent again, and the next request goes to another', async () => {
  const [first, second] = [await startManager(), await startManager()];
  const docker = clientOf([first, second]);
  await listDockerServices(docker);
  first.state.breaks = true;
  expect(await rejectionOf(createDockerService(docker, spec))).toMatchObject({ kind: 'unreachable', neverSent: false });
  expect(second.asked()).toEqual([]);
  await first.stop();
  await createDockerService(docker, spec);
  expect(second.asked()).toEqual(['POST /services/create']);
});

test('what is on one machine is not looked for on another', async () => {
  const [first, second] = [await startManager(), await startManager()];
  const docker = clientOf([first, second]);
  await docker.engine();
  await first.stop();
  expect(await rejectionOf(inspectDockerContainer(docker, 'proxy'))).toMatchObject({ kind: 'unreachable' });
  expect(second.asked()).toEqual([]);
});

test('a manager of another swarm is never used, and told; also when it is the only one that answers', async () => {
  const [first, second] = [await startManager(), await startManager({ swarm: 'theirs' })];
  let kept: string | undefined;
  const memory = { read: async () => kept, write: async (id: string) => void (kept = id) };
  const docker = clientOf([first, second], memory);
  await listDockerServices(docker);
  expect(kept).toBe('ours');
  expect(docker.problem?.()).toContain(
    'manages another swarm (theirs) than the other addresses of its cluster (ours). It is never used',
  );
  expect(docker.engines).toEqual([first.docker]);
  await first.stop();
  const later = clientOf([first, second], memory);
  for (const each of [docker, later]) {
    const error = await rejectionOf(listDockerServices(each));
    expect(error).toMatchObject({ kind: 'no manager' });
    expect(String(error)).toContain('manages another swarm (theirs)');
  }
  expect(second.asked()).toEqual([]);
});

test('without any majority that is said, and when there is one again it goes on', async () => {
  const managers = [await startManager({ kind: 'leaderless' }), await startManager({ kind: 'leaderless' })];
  const docker = clientOf(managers);
  const error = await rejectionOf(listDockerServices(docker));
  expect(error).toMatchObject({ kind: 'no leader' });
  expect(String(error)).toContain(
    'the swarm has no leader: either its managers are just choosing one, or no manager has a majority',
  );
  managers[1]!.state.kind = 'manager';
  expect(await listDockerServices(docker)).toEqual([]);
});

test('the engine of a node is found among the addresses, also when another is in use or away', async () => {
  const [first, second, third] = [
    await startManager({ node: 'one' }),
    await startManager({ node: 'two', kind: 'worker' }),
    await startManager({ node: 'three' }),
  ];
  const docker = clientOf([first, second, third]);
  await third.stop();
  const engines = createNodeEngines({ docker });
  const { signal } = new AbortController();
  expect(await engines.of('two', signal)).toBe(second.docker);
  expect(await engines.of('one', signal)).toBe(first.docker);
  expect(await engines.of('three', signal)).toBeUndefined();
});
