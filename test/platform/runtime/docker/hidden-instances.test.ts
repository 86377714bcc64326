import { expect, test } from 'vitest';
import type { Task } from '../../../../src/platform/runtime/index.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { observeTakeDown } from '../../../../src/platform/runtime/docker/services/take-down.ts';
import { startFakeEngine } from './fake-engine.ts';

const call = { signal: new AbortController().signal } as unknown as Parameters<typeof observeTakeDown>[3];
const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: 'e',
  kind: 'container',
  spec: {},
};
const taskOf = (operation: string) => ({ service, deploymentId: 'd', phase: { operation } }) as unknown as Task;

const node = (id: string, name: string, state: string) => ({
  ID: id,
  UpdatedAt: '2026-01-01T00:00:05.5Z',
  Description: { Hostname: name },
  Spec: {},
  Status: { State: state },
});
const instance = (id: string, nodeId: string | undefined, state: string) => ({
  ID: id,
  Slot: 1,
  ...(nodeId !== undefined && { NodeID: nodeId }),
  DesiredState: 'remove',
  Status: { State: state },
});

/** Observes that a service is taken down twice, the first engine being the only one that can be asked. */
async function observed(
  operation: 'stop' | 'remove',
  second: string,
  tasks: readonly object[],
  containers: readonly object[] = [],
) {
  const { docker, seen } = await startFakeEngine((response, { url }) => {
    const path = new URL(url, 'http://engine').pathname.replace(/^\/v[^/]+/, '');
    if (path === '/nodes')
      return response.end(JSON.stringify([node('n1', 'node-1', 'ready'), node('n2', 'node-2', second)]));
    if (path === '/tasks') return response.end(JSON.stringify(tasks));
    if (path === '/containers/json' && url.includes('running')) return response.end(JSON.stringify(containers));
    if (
      path === '/services' ||
      path === '/networks' ||
      path === '/secrets' ||
      path === '/configs' ||
      path.endsWith('/json')
    )
      return response.end('[]');
    return path === '/volumes'
      ? response.end('{"Volumes":[]}')
      : response.writeHead(404).end('{"message":"not found"}');
  });
  const context = {
    docker,
    platformId: 'p',
    clock: { now: () => 0 },
    proxy: { sync: async () => ({ problems: [] }) },
    builds: {},
    whyNoAgent: async () => 'there are no agents',
    nodeEngines: { of: async (id: string) => (id === 'n1' ? docker : undefined) },
  } as unknown as DockerContext;
  const first = await observeTakeDown(context, taskOf(operation), null, call);
  const again =
    first.outcome === 'ongoing' ? await observeTakeDown(context, taskOf(operation), first.cursor, call) : undefined;
  return {
    first,
    again,
    messages: [...first.lines, ...(again?.lines ?? [])].map(({ message }) => message),
    filters: seen
      .filter(({ url }) => url.includes('/tasks'))
      .map(({ url }) => new URL(url, 'http://engine').searchParams.get('filters')),
  };
}

test('an instance on a node that answers the managers, and not the platform, is waited for, which is told once', async () => {
  const { first, again, messages, filters } = await observed('stop', 'ready', [
    instance('task1', 'n2', 'running'),
    instance('task2', 'n2', 'shutdown'),
    instance('task3', undefined, 'pending'),
    instance('task4', 'n1', 'running'),
  ]);
  expect([first.outcome, again!.outcome]).toEqual(['ongoing', 'ongoing']);
  expect(messages).toEqual(['Stopping web', 'Waiting until these instances on other nodes have ended: web-1-task1']);
  // Not by the service: engines know the tasks of one that is deleted, and not its name.
  expect(filters.map((each) => Object.keys(JSON.parse(each!) as object))).toEqual([['label'], ['label']]);
});

test('it has stopped when they have ended', async () => {
  const { first, messages } = await observed('stop', 'ready', [
    instance('task1', 'n2', 'shutdown'),
    instance('task2', 'n2', 'orphaned'),
  ]);
  expect([first.outcome, messages]).toEqual([
    'succeeded',
    ['Stopping web', 'No instance runs any more; volumes and configuration are kept'],
  ]);
});

const lost =
  'The instance web-1-task1 may still run on the node node-2, which has been down since 2026-01-01T00:00:05Z or earlier. It ends when that node is back.';

test('an instance on a node that is down is not waited for, and nothing says that it has ended', async () => {
  const { first, messages } = await observed('stop', 'down', [instance('task1', 'n2', 'running')]);
  expect([first.outcome, messages]).toEqual([
    'succeeded',
    ['Stopping web', 'No instance runs any more on a node that answers; volumes and configuration are kept', lost],
  ]);
});

test.each([
  ['shutdown', 'succeeded'],
  ['orphaned', 'ongoing'],
  ['running', 'ongoing'],
])(
  'a container that an engine lists as running, of an instance that is %s: the stop has %s',
  async (state, outcome) => {
    const container = { Id: 'c1', Labels: { 'com.docker.swarm.task.id': 'task1' }, State: 'running' };
    expect((await observed('stop', 'ready', [instance('task1', 'n1', state)], [container])).first.outcome).toBe(
      outcome,
    );
  },
);

test('a deletion records what may still run, because the log goes with the service', async () => {
  const { again, messages } = await observed('remove', 'down', [instance('task1', 'n2', 'running')]);
  expect(again).toMatchObject({ outcome: 'succeeded', left: [lost] });
  expect(messages).toEqual(['Removing web', 'Removed, with its secrets and volumes', lost]);
});
