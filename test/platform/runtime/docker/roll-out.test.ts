import { expect, test } from 'vitest';
import type { RuntimeCall, Task } from '../../../../src/platform/runtime/index.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import type { DockerService } from '../../../../src/platform/runtime/docker/api/index.ts';
import { deploymentLabels } from '../../../../src/platform/runtime/docker/labels.ts';
import type { ClusterRegistry } from '../../../../src/platform/runtime/docker/registry/registry.ts';
import { observeRollOut } from '../../../../src/platform/runtime/docker/services/roll-out.ts';
import { startFakeEngine } from './fake-engine.ts';

const start = Date.parse('2026-11-22T21:28:57Z');
/** A moment after the start of the engine. @param seconds after it */
const after = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: '52a1b1f0-1f0e-4d3c-8f0e-1d2f3a4b5c6d',
  kind: 'container',
  spec: { tag: '2', min_running_instances: 1 },
};
const task = {
  service,
  phase: { operation: 'rollOut' },
  deploymentId: 'new',
  beganAt: start,
  record: JSON.stringify({ image: 'registry/web', entrypoint: [], command: [] }),
  runningRecord: null,
  fencingToken: 1,
} as unknown as Task;
const labelsOf = (deploymentId: string) => deploymentLabels('platform', { service: task.service, deploymentId });
const specOf = (deploymentId: string) => ({ ContainerSpec: { Image: 'registry/web', Labels: labelsOf(deploymentId) } });
const sent = {
  Name: 'infra-web',
  Labels: labelsOf('new'),
  TaskTemplate: specOf('new'),
  Mode: { Replicated: { Replicas: 1 } },
};

/** An instance. @param second when its state began, after the start of the engine */
const instance = (deploymentId: string, state: string, second: number, said = '') => ({
  ID: `${deploymentId}-${second}`,
  Slot: 1,
  CreatedAt: after(second),
  DesiredState: state === 'running' ? 'running' : 'shutdown',
  Spec: specOf(deploymentId),
  Status: { State: state, Timestamp: after(second), Err: said },
});

/**
 * What an observation of a paused rollout tells, and what it asks the engine to change, if the instance of the new
 * version was refused with these words.
 */
const observe = (refusedAt: number, said: string, registry?: Pick<ClusterRegistry, 'host' | 'credentials'>) =>
  observeInstance(instance('new', 'rejected', refusedAt, said), {
    updateState: 'paused',
    second: refusedAt + 1,
    ...(registry && { registry }),
  });

/** How a rollout is observed. */
interface Observed {
  readonly updateState: string;
  /** When, after the start of the engine. */
  readonly second: number;
  readonly registry?: Pick<ClusterRegistry, 'host' | 'credentials'>;
  /** What was remembered of the observation before. */
  readonly cursor?: string;
}

/** The same with this instance of the new version. */
const observeInstance = (newest: ReturnType<typeof instance>, observed: Observed) =>
  observeInstances([instance('old', 'running', 1), newest], observed);

/** The same with these instances. */
async function observeInstances(
  instances: readonly ReturnType<typeof instance>[],
  { updateState, second, registry, cursor = '' }: Observed,
) {
  const engineService = {
    ID: 'id-on-the-engine',
    Version: { Index: 7 },
    Spec: sent,
    UpdateStatus: { State: updateState },
  } as unknown as DockerService;
  const { docker, seen } = await startFakeEngine((response, { url, method }) => {
    if (url.includes('/logs')) return response.end();
    if (/\/(?:nodes|secrets|configs|images)/.test(url)) return response.end('[]');
    if (method === 'POST') return response.end('{}');
    if (url.includes('/distribution/')) return response.writeHead(500).end(JSON.stringify({ message: 'gone' }));
    if (url.includes('/networks/bridge')) return response.end(JSON.stringify({ Created: after(0) }));
    if (url.includes('/tasks')) return response.end(JSON.stringify(instances));
    return response.end(JSON.stringify(engineService));
  });
  const context = {
    docker,
    platformId: 'platform',
    clock: { now: () => Date.parse(after(second)) },
    credentialsFor: () => undefined,
    leftLinks: { removeFor: async () => undefined },
    registry,
  } as unknown as DockerContext;
  const observation = await observeRollOut(context, task, cursor === '' ? null : cursor, {
    signal: new AbortController().signal,
  } as RuntimeCall);
  const changes = seen
    .filter(({ method }) => method === 'POST')
    .map(({ url, body }) => ({ path: url.replace(/^\/v[\d.]+/, ''), spec: JSON.parse(body) as unknown }));
  const credentials = seen
    .flatMap(({ headers }) => headers['x-registry-auth'] ?? [])
    .map((header) => JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as unknown);
  return { observation, changes, credentials };
}

test.each([
  ['the engine had just been started', 2, 'cannot create a swarm scoped network when swarm is not active'],
  [
    'a link was left in its way',
    300,
    'network sandbox join failed: subnet sandbox join failed for "10.0.2.0/24": error creating vxlan interface: file exists',
  ],
])('a rollout that the engine has paused because %s is sent again as it is, and goes on', async (_, second, said) => {
  const { observation, changes } = await observe(second, said);
  expect(changes).toEqual([{ path: '/services/id-on-the-engine/update?version=7', spec: sent }]);
  expect(observation.outcome).toBe('ongoing');
  expect(JSON.parse(observation.cursor)).not.toHaveProperty('failure');
});

test('a rollout that the engine has paused because of the version has failed, and is not sent again', async () => {
  const { observation, changes } = await observe(300, 'No such image: registry/web');
  expect(changes).toEqual([]);
  expect(JSON.parse(observation.cursor)).toMatchObject({
    failure: {
      message:
        'An instance of the new version failed: its image could not be pulled: No such image: registry/web. The registry registry does not give it: gone.',
    },
  });
});

test.each([
  ['is given time to', 55, undefined],
  [
    'has forgotten it after a minute, and the rollout has failed',
    70,
    expect.stringMatching(/^An instance of the new version was not begun for 60 seconds\. Free space on the disk/),
  ],
])('a node that does not begin with an instance %s', async (_, second, failure) => {
  const accepted = { ...instance('new', 'accepted', 5), DesiredState: 'running' };
  const { observation, changes } = await observeInstance(accepted, { updateState: 'updating', second });
  expect(changes).toEqual([]);
  expect((JSON.parse(observation.cursor) as { failure?: { message: string } }).failure?.message).toEqual(failure);
});

test("what is asked of the engine for images of the cluster's own registry has its credentials", async () => {
  const registry = {
    host: 'registry',
    credentials: { username: 'platform', password: 'of the registry', serveraddress: 'registry' },
  };
  const { credentials: whenSentAgain } = await observe(
    2,
    'cannot create a swarm scoped network when swarm is not active',
    registry,
  );
  expect(whenSentAgain).toEqual([registry.credentials]);
  const { credentials: whenAsked } = await observe(300, 'No such image: registry/web', registry);
  // For the line of the instance, and for the end of the rollout.
  expect(whenAsked).toEqual([registry.credentials, registry.credentials]);
});

test('an instance that took the place of a failed one runs for as long as any before it counts', async () => {
  const [first, next] = [instance('new', 'running', 10), instance('new', 'running', 13)];
  const failed = {
    ...instance('new', 'failed', 10),
    Status: { State: 'failed', Timestamp: after(12), Err: 'task: non-zero exit (3)' },
  };
  const outcomes: string[] = [];
  let cursor: string | undefined;
  for (const [second, instances] of [
    [11, [first]],
    [13.5, [failed, next]],
    [15, [failed, next]],
    [16, [failed, next]],
  ] as const) {
    const { observation } = await observeInstances(instances, {
      updateState: 'completed',
      second,
      ...(cursor !== undefined && { cursor }),
    });
    ({ cursor } = observation);
    outcomes.push(observation.outcome);
  }
  expect(outcomes).toEqual(['ongoing', 'ongoing', 'ongoing', 'succeeded']);
});
