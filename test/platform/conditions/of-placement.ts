import { requireReach } from '../../../src/platform/runtime/docker/builds/image-reach.ts';
import type { DockerServiceSpec } from '../../../src/platform/runtime/docker/api/index.ts';
import { unschedulable } from '../../../src/platform/runtime/docker/nodes/fitting-nodes.ts';
import { placementOf } from '../../../src/platform/runtime/docker/nodes/placement.ts';
import { type StorageNeeds, storageNode } from '../../../src/platform/runtime/docker/nodes/storage-node.ts';
import { requireParts } from '../../../src/platform/runtime/docker/services/rollback.ts';
import type { DockerNode } from '../../../src/platform/runtime/docker/api/index.ts';
import { conditionOf, contextWith, node, service, signal, version, waiting, withNodes } from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

/** Why no node gets the storage of a service, in a swarm of these nodes. @param volumes those that each of them has */
const noStorage = async (nodes: readonly DockerNode[], needs: Partial<StorageNeeds> = {}, volumes: string[] = []) =>
  conditionOf(
    storageNode(
      await contextWith({
        '/info': { Swarm: { NodeID: 'a' }, Architecture: 'x86_64' },
        '/nodes': nodes,
        '/volumes': { Volumes: volumes.map((Name) => ({ Name })) },
      }),
      { service, volumes: ['kept'], placement: {}, memory: 0, ...needs },
      signal,
    ),
  );

/** Why a service can't be placed. */
export const ofPlacement: readonly MadeCondition[] = [
  read('INSUFFICIENT_RESOURCES', 'status', 'insufficient_resources', async () =>
    unschedulable(await withNodes(node('a', 'ready')), 'an instance', [waiting()], signal),
  ),
  read('NODES_CLOSED', 'log', 'insufficient_resources', async () =>
    unschedulable(
      await withNodes(node('a', 'ready', { Spec: { Availability: 'drain' } })),
      'an instance',
      [waiting({}, 'no suitable node (1 node not available for new tasks)')],
      signal,
    ),
  ),
  read('NO_MATCHING_NODE', 'log', 'no_fitting_node', async () =>
    unschedulable(
      await withNodes(node('a', 'ready')),
      'an instance',
      [waiting({ Spec: placementOf({ constraints: ['node.labels.disk==ssd'] }) })],
      signal,
    ),
  ),
  shown('NO_NODE', 'log', () => noStorage([])),
  shown('CPU_MISMATCH', 'log', () =>
    noStorage([node('b', 'ready', { Description: { Hostname: 'node-b', Platform: { Architecture: 'aarch64' } } })]),
  ),
  read('STORAGE_NOT_FOUND', 'log', 'storage_node_gone', () =>
    noStorage([node('a', 'ready')], { recorded: { nodeId: 'gone', volumes: ['kept'] } }),
  ),
  shown('STORAGE_AMBIGUOUS', 'log', () => noStorage([node('a', 'ready'), node('b', 'ready')], {}, ['kept'])),
  shown('PARTS_MISSING', 'log', async () =>
    conditionOf(
      requireParts(
        await contextWith({ '/': [] }),
        version.service,
        { TaskTemplate: { ContainerSpec: {}, Networks: [{ Target: 'gone' }] } } as unknown as DockerServiceSpec,
        signal,
      ),
    ),
  ),
  shown('IMAGE_ON_ONE_NODE', 'log', async () =>
    conditionOf(
      requireReach(
        await contextWith({ '/info': { Swarm: { NodeID: 'a' } }, '/nodes': [node('a', 'ready'), node('b', 'ready')] }),
        () => undefined,
        signal,
      ),
    ),
  ),
];
