import { mebibyte } from '../../../common/index.ts';
import type { Task } from '../../index.ts';
import { isOnlyBuilt } from '../builds/image-reach.ts';
import type { OwnObjects, NodeReach } from '../docker-context.ts';
import { boundNode, type PlacementParts } from '../nodes/placement.ts';
import { type RecordedStorage, storageNode } from '../nodes/storage-node.ts';
import { type DockerRecord, readRecord } from '../record.ts';
import { workloadOf } from '../workload.ts';
import { volumesOf } from './service-spec.ts';

/**
 * Returns the volumes of the previous version and its node; undefined if it has none of these. The swarm may have
 * another manager by now.
 */
function recordedStorage({ runningRecord }: Task, volumes: readonly string[]): RecordedStorage | undefined {
  const template = readRecord(runningRecord)?.spec?.TaskTemplate;
  const mounted = (template?.ContainerSpec.Mounts ?? []).flatMap(({ Type, Source }) =>
    Type === 'volume' && Source !== undefined && volumes.includes(Source) ? [Source] : [],
  );
  const nodeId = template && boundNode(template);
  return mounted.length === 0 || nodeId === undefined ? undefined : { nodeId, volumes: mounted };
}

/** The only node that has the image of a version; undefined if a registry has it. */
export const imageNodeOf = ({ image, nodeId }: DockerRecord): string | undefined =>
  isOnlyBuilt(image) ? nodeId : undefined;

/**
 * Returns the only node on which the instances of a version may run; undefined if there are others. It is the node with
 * its storage, which is chosen if the storage is new, or the one with its image.
 * @throws Error with a message if no node fits, or if existing storage can't be found
 */
export async function boundTo(
  context: OwnObjects & NodeReach,
  task: Task,
  record: DockerRecord,
  placement: PlacementParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const workload = workloadOf(task);
  const imageNode = imageNodeOf(record);
  if (workload.storage.length === 0) return imageNode;
  // A restored database gets its volume on the node that was chosen for the restoration.
  if (task.restoration !== undefined && record.data !== undefined) return record.data.nodeId;
  const volumes = volumesOf(workload, record);
  return storageNode(
    context,
    {
      service: task.service,
      volumes,
      recorded: recordedStorage(task, volumes),
      imageNode,
      placement,
      memory: workload.memory * mebibyte,
    },
    signal,
  );
}
