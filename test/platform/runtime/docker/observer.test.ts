import { expect, test } from 'vitest';
import type { RunningVersion } from '../../../../src/platform/runtime/index.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { withStopped } from '../../../../src/platform/runtime/docker/labels.ts';
import { createObserver } from '../../../../src/platform/runtime/docker/observation/observer.ts';
import { writeRecord } from '../../../../src/platform/runtime/docker/record.ts';
import { startFakeEngine } from './fake-engine.ts';

const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: 'e',
  kind: 'container',
  spec: {},
};
const spec = {
  Name: `infra-${service.id}`,
  Labels: { 'io.infra-mcp.platform': 'p' },
  TaskTemplate: { ContainerSpec: { Image: 'web@sha256:1' } },
  Mode: { Replicated: { Replicas: 2 } },
};
const version = {
  deploymentId: 'd',
  service,
  runningSince: 0,
  record: writeRecord({ image: 'web@sha256:1', entrypoint: [], command: [], spec }),
} as unknown as RunningVersion;

const node = (number: number, state: string, more: object = {}) => ({
  ID: `n${number}`,
  UpdatedAt: '2026-01-01T00:00:05.5Z',
  Description: { Hostname: `node-${number}` },
  Spec: { Availability: 'active' },
  Status: { State: state },
  ...more,
});
const instance = (number: number, more: object = {}) => ({
  ID: `task${number}`,
  Slot: number,
  ServiceID: 's',
  NodeID: `n${number}`,
  DesiredState: 'running',
  Spec: { ContainerSpec: {} },
  Status: { State: 'running', Timestamp: '1970-01-01T00:00:00Z' },
  ...more,
});

interface Swarm {
  readonly nodes: readonly object[];
  readonly tasks?: readonly object[];
  readonly history?: readonly object[];
  readonly isStopped?: true;
}

/** Looks again and again. */
async function startLooking() {
  let swarm: Swarm;
  let now = Date.parse('2026-01-01T00:01:00Z');
  const { docker } = await startFakeEngine((response, { url }) => {
    const { nodes, tasks = [instance(1), instance(2)], history = tasks, isStopped } = swarm;
    if (url.includes('/logs')) return response.end();
    if (url.includes('/nodes')) return response.end(JSON.stringify(nodes));
    if (url.includes('/tasks')) return response.end(JSON.stringify(url.includes('desired-state') ? tasks : history));
    const present = isStopped
      ? { ...spec, Labels: withStopped(spec.Labels, true), Mode: { Replicated: { Replicas: 0 } } }
      : spec;
    return response.end(JSON.stringify([{ ID: 's', Version: { Index: 1 }, Spec: present }]));
  });
  const observeRunning = createObserver({
    docker,
    platformId: 'p',
    clock: { now: () => now },
    nodeEngines: { of: async () => undefined },
    leftLinks: { removeFor: async () => undefined },
  } as unknown as DockerContext);
  return async (seconds: number, present: Swarm) => {
    now += seconds * 1000;
    swarm = present;
    const { wanted, running, problem, ends } = (await observeRunning([version], new AbortController().signal))[0]!;
    return {
      wanted,
      running,
      problem: problem?.message,
      ...(ends.length > 0 && { ends: ends.map(({ why }) => why.message) }),
    };
  };
}

test.each([
  ['a new leader has not heard of', node(2, 'unknown')],
  ['has only just lost its connection', node(2, 'disconnected')],
  [
    'led the managers and is gone, while it still counts as ready',
    node(2, 'ready', { ManagerStatus: { Reachability: 'unreachable' } }),
  ],
])('instances on a node that %s count until that has lasted, and then nobody knows', async (_, second) => {
  const observeRunning = await startLooking();
  const [well, silent] = [{ nodes: [node(1, 'ready'), node(2, 'ready')] }, { nodes: [node(1, 'ready'), second] }];
  expect(await observeRunning(0, well)).toEqual({ wanted: 2, running: 2 });
  expect(await observeRunning(2, silent)).toEqual({ wanted: 2, running: 2 });
  expect(await observeRunning(9, silent)).toEqual({ wanted: 2, running: 2 });
  const told =
    'It is not known whether web-2-task2 still runs: the managers have not reached the node node-2 since 2026-01-01T00:01:02Z or earlier.';
  expect(await observeRunning(2, silent)).toEqual({ wanted: 2, running: 1, problem: told });
  // The same words each time: only what is new is told.
  expect(await observeRunning(2, silent)).toEqual({ wanted: 2, running: 1, problem: told });
  expect(await observeRunning(2, well)).toEqual({ wanted: 2, running: 2 });
  expect(await observeRunning(2, silent)).toEqual({ wanted: 2, running: 2 });
});

test('a service that was stopped says which instances may still run, while their node is down', async () => {
  const observeRunning = await startLooking();
  const stopped = {
    tasks: [],
    history: [
      instance(2, { DesiredState: 'remove' }),
      instance(1, { DesiredState: 'shutdown', Status: { State: 'shutdown' } }),
    ],
    isStopped: true,
  } as const;
  const told =
    'The instance web-2-task2 may still run on the node node-2, which has been down since 2026-01-01T00:00:05Z or earlier. It ends when that node is back.';
  for (const state of ['down', 'down', 'ready'])
    expect(await observeRunning(2, { ...stopped, nodes: [node(1, 'ready'), node(2, state)] })).toEqual({
      wanted: 0,
      running: 0,
      ...(state === 'down' && { problem: told }),
    });
});

test.each([
  [
    'that failed has ended',
    'no space left on device',
    { running: 1, ends: ['it could not be started on the node node-2: no space left on device'] },
  ],
  ['that managers took from a node has not', 'assigned node no longer meets constraints', { running: 2 }],
])('an instance %s', async (_, said, seen) => {
  const observeRunning = await startLooking();
  const nodes = [node(1, 'ready'), node(2, 'ready')];
  const second = instance(2, {
    ID: 'another',
    NodeID: 'n1',
    Status: { State: 'running', Timestamp: '2026-01-01T00:00:59Z' },
  });
  const history = [
    instance(1),
    second,
    instance(2, {
      DesiredState: 'shutdown',
      Status: { State: 'rejected', Timestamp: '2026-01-01T00:00:58Z', Err: said },
    }),
  ];
  await observeRunning(0, { nodes });
  expect(await observeRunning(2, { nodes, tasks: [instance(1), second], history })).toMatchObject({
    wanted: 2,
    ...seen,
  });
});

test.each([
  ['before it ended has not failed', '2026-01-01T00:00:55Z', undefined],
  ['after it ended has failed', '2026-01-01T00:00:59Z', ['it was ended by SIGTERM (exit code 143)']],
])('an instance that was told to end, and was replaced %s', async (_, CreatedAt, ends) => {
  const observeRunning = await startLooking();
  const nodes = [node(1, 'ready'), node(2, 'ready')];
  const next = instance(2, { ID: 'another', NodeID: 'n1', CreatedAt });
  const status = {
    State: 'failed',
    Timestamp: '2026-01-01T00:00:58Z',
    Err: 'task: non-zero exit (143)',
    ContainerStatus: { ExitCode: 143 },
  };
  const history = [
    instance(1),
    next,
    instance(2, { CreatedAt: '2026-01-01T00:00:00Z', DesiredState: 'shutdown', Status: status }),
  ];
  await observeRunning(0, { nodes });
  expect((await observeRunning(2, { nodes, tasks: [instance(1), next], history })).ends).toEqual(ends);
});

const pending = (more: object) =>
  instance(2, {
    ID: 'next',
    NodeID: undefined,
    Status: {
      State: 'pending',
      Timestamp: '2026-01-01T00:00:58Z',
      Err: 'no suitable node (insufficient resources on 2 nodes)',
    },
    ...more,
  });
const bound = { Spec: { ContainerSpec: {}, Placement: { Constraints: ['node.id==n2'] } } };
const away = 'the node node-2, which has been down since 2026-01-01T00:00:05Z or earlier';

test.each([
  [
    'has no replacement yet',
    [],
    `An instance ran on ${away}. Another one is started on another node, if one fits and has room.`,
  ],
  [
    'has no room elsewhere',
    [pending({})],
    'No node has room for an instance: no suitable node (insufficient resources on 2 nodes).',
  ],
  ['may run only there', [pending(bound)], `An instance waits for ${away}: it can only run there.`],
  [
    'was replaced by one that ended',
    [instance(2, { ID: 'next', NodeID: 'n1', Status: { State: 'failed', Timestamp: '1970-01-01T00:00:00Z' } })],
    undefined,
  ],
])('of an instance that was lost with its node, and %s, the reason is told', async (_, next, problem) => {
  const observeRunning = await startLooking();
  const nodes = [node(1, 'ready'), node(2, 'down')];
  const tasks = [instance(1), instance(2, { DesiredState: 'shutdown' }), ...next];
  expect((await observeRunning(0, { nodes, tasks })).problem).toBe(problem);
});
