import { conditionsOf } from '../../../src/platform/engine/running-facts.ts';
import { createObserver, silence } from '../../../src/platform/runtime/docker/observation/observer.ts';
import { mayStillRun } from '../../../src/platform/runtime/docker/nodes/hidden-instances.ts';
import {
  downAmong,
  lostInstances,
  lostWithNodes,
  nodeCondition,
} from '../../../src/platform/runtime/docker/nodes/lost-nodes.ts';
import { placementOf } from '../../../src/platform/runtime/docker/nodes/placement.ts';
import { unbegun } from '../../../src/platform/runtime/docker/nodes/unbegun-instances.ts';
import { dockerServiceName } from '../../../src/platform/runtime/docker/names.ts';
import {
  contextWith,
  instance,
  labels,
  looked,
  node,
  signal,
  since,
  toldEnd,
  version,
  waiting,
  withNodes,
} from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';
import { observedStatusOf } from '../../../src/platform/engine/observed-status.ts';

const onlyOnB = { Spec: { ContainerSpec: {}, ...placementOf({ boundTo: 'b' }) } };

/** What the log tells of an instance that was lost with its node. @param constraints on which nodes it may run */
const lost = async (...constraints: readonly string[]) => {
  const task = instance({
    DesiredState: 'shutdown',
    Spec: { ContainerSpec: { Labels: labels }, Placement: { Constraints: constraints } },
  });
  const ends = await lostWithNodes(await withNodes(node('b', 'down')), version, [task], [], signal);
  return observedStatusOf(undefined, 'd', { ...looked, ends })!.lines[0]!.condition;
};

/** What a look sees of a service of two instances on one of two nodes. */
const crowded = async () => {
  const spec = {
    Name: dockerServiceName(version.service),
    Labels: labels,
    TaskTemplate: { ContainerSpec: { Image: 'web:1', Labels: labels } },
    Mode: { Replicated: { Replicas: 2 } },
  };
  const ofService = { ServiceID: 'on-the-engine' };
  const context = await contextWith({
    '/services': [{ ID: 'on-the-engine', Version: { Index: 1 }, Spec: spec }],
    '/tasks': [instance(ofService), instance({ ...ofService, ID: 'task2', Slot: 2 })],
    '/nodes': [node('a', 'ready'), node('b', 'ready')],
  });
  const record = JSON.stringify({ image: 'web:1', entrypoint: [], command: [], spec });
  return (await createObserver(context)([{ ...version, record }], signal))[0]!.problem;
};

/** What the machines of a cluster have to do with instances. */
export const ofNodes: readonly MadeCondition[] = [
  read(
    'CLUSTER_UNREACHABLE',
    'status',
    'cluster_unreachable',
    () =>
      conditionsOf({ restarts: 0, changes: [], unreachable: { since, reason: 'GET /services: nothing listens' } })[0],
  ),
  read('NODE_UNREACHABLE', 'status', 'node_unreachable', () =>
    silence(version.service, [instance()], new Map([['b', { name: 'node-b', since }]])),
  ),
  read('WAITING_FOR_NODE', 'status', 'node_lost', async () =>
    nodeCondition(await withNodes(node('b', 'down')), [waiting(onlyOnB)], signal),
  ),
  read('NODE_LOST', 'status', 'node_lost', async () =>
    nodeCondition(await withNodes(node('b', 'down')), [instance({ DesiredState: 'shutdown' })], signal),
  ),
  read('NODE_GONE', 'status', 'storage_node_gone', async () =>
    nodeCondition(await withNodes(node('a', 'ready')), [waiting(onlyOnB)], signal),
  ),
  read('INSTANCE_LOST', 'log', 'node_lost', () => lost()),
  read('INSTANCE_LOST', 'log', 'node_lost', () => lost('node.id==b')),
  read('LOST_WITH_NODE', 'log', 'node_lost', async () => {
    const task = instance({ DesiredState: 'shutdown' });
    const found = await lostInstances(await withNodes(node('b', 'down')), [task], signal);
    return toldEnd(found.get(task.ID)!.why);
  }),
  read('INSTANCE_NOT_BEGUN', 'log', 'instance_not_begun', async () =>
    unbegun(
      await withNodes(node('a', 'ready'), node('b', 'ready')),
      'An instance',
      [instance({ Status: { State: 'accepted', Timestamp: '2026-11-20T10:20:00Z' } })],
      0,
      signal,
    ),
  ),
  shown('INSTANCES_MAY_RUN', 'status', () =>
    mayStillRun(version.service, [instance({ DesiredState: 'shutdown' })], downAmong([node('b', 'down')])),
  ),
  shown('INSTANCES_CROWDED', 'status', crowded),
];
