import { mebibyte } from '../../../common/index.ts';
import type { Task } from '../../index.ts';
import type { OwnObjects, NodeReach } from '../docker-context.ts';
import { createDockerConfig, deleteDockerConfig, ignoring, listDockerConfigs } from '../api/index.ts';
import { labelFilter, serviceLabels } from '../labels.ts';
import { fileName } from '../names.ts';
import type { PlacementParts } from '../nodes/placement.ts';
import { storageNode } from '../nodes/storage-node.ts';
import type { DockerRecord } from '../record.ts';
import { imageNodeOf } from '../services/bound-to.ts';
import { volumesOf } from '../services/service-spec.ts';
import { workloadOf } from '../workload.ts';
import { modeOf } from './workload.ts';

const fromBase64 = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

const nameOf = (service: Task['service']): string => fileName(service, '', 'node');

/**
 * Finds the config that records the node of a Terraform service; undefined if no run of it ever started in this swarm.
 */
export async function findHome(
  { docker, platformId }: OwnObjects,
  service: Task['service'],
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly nodeId: string } | undefined> {
  const found = (await listDockerConfigs(docker, labelFilter(serviceLabels(platformId, service)), { signal })).find(
    ({ Spec }) => Spec.Name === nameOf(service),
  );
  return found?.Spec.Data === undefined ? undefined : { id: found.ID, nodeId: fromBase64(found.Spec.Data) };
}

/**
 * Returns the node that has the volume of a Terraform service. All of its runs have to be placed there: elsewhere they
 * would find no state. Between runs, the engine has no other object of the service, so a config records the node: every
 * manager knows it, also after a failed run.
 * @param placement where it may run
 * @throws Error with a message if no node fits, or if existing state can't be found
 */
export async function homeNode(
  context: OwnObjects & NodeReach,
  task: Task,
  record: DockerRecord,
  placement: PlacementParts,
  signal: AbortSignal,
): Promise<string> {
  const { docker, platformId } = context;
  const { service } = task;
  const workload = workloadOf(task);
  const volumes = volumesOf(workload, {});
  const present = await findHome(context, service, signal);
  // An earlier plan or apply has left a state, even if a swarm that was created again doesn't record where.
  const hasState = present !== undefined || task.runningRecord !== undefined || modeOf(task) !== 'plan';
  const needs = { service, volumes, imageNode: imageNodeOf(record), placement, memory: workload.memory * mebibyte };
  const home = await storageNode(
    context,
    { ...needs, ...(hasState && { recorded: { nodeId: present?.nodeId, volumes } }) },
    signal,
  );
  if (present?.nodeId === home) return home;
  if (present !== undefined) await deleteDockerConfig(docker, present.id, { signal }).catch(ignoring('not found'));
  await createDockerConfig(
    docker,
    { name: nameOf(service), labels: serviceLabels(platformId, service), content: Buffer.from(home) },
    { signal },
  ).catch(ignoring('conflict'));
  return (await findHome(context, service, signal))!.nodeId;
}
