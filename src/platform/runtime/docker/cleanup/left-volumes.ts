import type { Task } from '../../index.ts';
import type { OwnObjects, NodeReach } from '../docker-context.ts';
import { listDockerNodes } from '../api/index.ts';
import { type UnaskedNode, unaskedNodesText } from '../nodes/every-node.ts';
import { labelFilter, serviceLabels } from '../labels.ts';
import { volumeName } from '../names.ts';
import { boundNode } from '../nodes/placement.ts';
import { volumesOnNodes } from '../nodes/storage-node.ts';
import { readRecord } from '../record.ts';
import { findHome } from '../terraform/home.ts';
import { terraformStorage } from '../terraform/workload.ts';

/** The volumes of a service, and the only node that has them. */
export interface BoundVolumes {
  readonly volumes: readonly string[];
  /** The name of the node; its id if it is no longer part of the swarm. */
  readonly node: string;
  readonly isGone: boolean;
}

/** Whether a service has volumes. */
const hasVolumes = ({ kind, spec }: Task['service']): boolean =>
  kind === 'database' ||
  kind === 'terraform' ||
  ('storage' in spec && Array.isArray(spec.storage) && spec.storage.length > 0);

/** The volumes of a service to delete, according to its records; undefined if it has none, or their node is unknown. */
export async function boundVolumes(
  context: OwnObjects & NodeReach,
  { service, record, runningRecord }: Task,
  signal: AbortSignal,
): Promise<BoundVolumes | undefined> {
  if (!hasVolumes(service)) return undefined;
  const template = (readRecord(runningRecord) ?? readRecord(record))?.spec?.TaskTemplate;
  const isTerraform = service.kind === 'terraform';
  const id = isTerraform ? (await findHome(context, service, signal))?.nodeId : template && boundNode(template);
  const volumes = isTerraform
    ? [volumeName(service, terraformStorage)]
    : (template?.ContainerSpec.Mounts ?? []).flatMap(({ Type, Source }) =>
        Type === 'volume' && Source !== undefined ? [Source] : [],
      );
  if (id === undefined || volumes.length === 0) return undefined;
  const node = (await listDockerNodes(context.docker, {}, { signal })).find(({ ID }) => ID === id);
  // In a swarm that was created again, the same machine has another id.
  const holder =
    node ??
    (await volumesOnNodes(context, service, signal)).seen.find(({ result }) =>
      volumes.every((each) => result.includes(each)),
    )?.node;
  return { volumes, node: holder?.Description.Hostname ?? id, isGone: holder === undefined };
}

/**
 * Messages about a deleted service's volumes that may be left on unreachable nodes: which they are, and how to remove
 * them there. None if none is left.
 */
export function leftVolumes(
  service: Task['service'],
  bound: BoundVolumes | undefined,
  unasked: readonly UnaskedNode[],
): readonly string[] {
  if (!hasVolumes(service)) return [];
  const holder = unasked.find(({ name }) => name === bound?.node);
  const others = unasked.filter((each) => each !== holder);
  const names = bound?.volumes.join(' ') ?? '';
  const what =
    bound &&
    (bound.volumes.length === 1 ? `Its volume ${names} was` : `Its volumes ${names.replaceAll(' ', ', ')} were`);
  const filter = labelFilter(serviceLabels('', service)).label?.find((each) => each.endsWith(`=${service.id}`)) ?? '';
  return [
    ...(bound?.isGone
      ? [`${what} on the node ${bound.node}, which is not part of the cluster any more, and not removed.`]
      : []),
    ...(holder
      ? [
          `${what} left on the node ${holder.name}, whose engine can't be asked: ${holder.why}. If its content is no longer needed, remove it on that node: docker volume rm ${names}`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `Whether these nodes have volumes of it could not be determined: ${unaskedNodesText(others)}. There, docker volume ls --filter label=${filter} lists them, and docker volume rm removes them.`,
        ]
      : []),
  ];
}
