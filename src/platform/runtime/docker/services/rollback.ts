import { condition } from '../../../../contract/index.ts';
import { type Task, TaskRefused } from '../../index.ts';
import { credentialsForImage } from '../builds/image-reach.ts';
import type { OwnObjects, RegistryAccess } from '../docker-context.ts';
import {
  deleteDockerService,
  type DockerServiceSpec,
  listDockerConfigs,
  listDockerNetworks,
  listDockerNodes,
  listDockerSecrets,
} from '../api/index.ts';
import { environmentLabels, isStopped, labelFilter, labelledDeployment, serviceLabels } from '../labels.ts';
import { boundNode } from '../nodes/placement.ts';
import { readRecord } from '../record.ts';
import { deleteUnusedFiles } from './mounted-files.ts';
import { stoppedSpec } from './service-spec.ts';
import { applySpec, findDockerService, requireLatestTask } from './services-of-ours.ts';

/**
 * Returns the parts of a version that the swarm no longer has; nothing if all exist. They are missing in a swarm that
 * was created again.
 */
async function missingParts(
  { docker, platformId }: OwnObjects,
  service: Task['service'],
  { TaskTemplate }: DockerServiceSpec,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const labels = labelFilter(serviceLabels(platformId, service));
  const [networks, secrets, configs, nodes] = await Promise.all([
    listDockerNetworks(docker, labelFilter(environmentLabels(platformId, service.environmentId)), { signal }),
    listDockerSecrets(docker, labels, { signal }),
    listDockerConfigs(docker, labels, { signal }),
    listDockerNodes(docker, {}, { signal }),
  ]);
  const present = new Set([
    ...networks.flatMap(({ Id, Name }) => [Id, Name]),
    ...[...secrets, ...configs, ...nodes].map(({ ID }) => ID),
  ]);
  const { Secrets = [], Configs = [] } = TaskTemplate.ContainerSpec;
  const node = boundNode(TaskTemplate);
  const needed = {
    'its network': (TaskTemplate.Networks ?? []).map(({ Target }) => Target),
    'its secrets and files': [...Secrets.map(({ SecretID: id }) => id), ...Configs.map(({ ConfigID: id }) => id)],
    'its node': node === undefined ? [] : [node],
  };
  return Object.entries(needed).flatMap(([what, ids]) => (ids.every((id) => present.has(id)) ? [] : [what]));
}

/**
 * Requires that the swarm still has the parts of a version, so that it can be started again.
 * @throws Error with what to do instead
 */
export async function requireParts(
  context: OwnObjects,
  service: Task['service'],
  spec: DockerServiceSpec,
  signal: AbortSignal,
): Promise<void> {
  const missing = await missingParts(context, service, spec, signal);
  if (missing.length > 0)
    throw new TaskRefused(condition('PARTS_MISSING', { service: service.name, missing: [...missing] }));
}

/**
 * Rolls back to the previous version, as it was. A service that never ran is removed, and so is one whose previous
 * version can't be restored, because the swarm was created again since.
 * @returns the missing parts of the previous version, which therefore was not restored; nothing if it was, or if
 *   nothing ran
 */
export async function goBack(
  context: OwnObjects & RegistryAccess,
  task: Task,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const present = await findDockerService(context, task.service, signal);
  if (present === undefined || labelledDeployment(present.Spec.Labels) !== task.deploymentId) return [];
  requireLatestTask(present, task.fencingToken);
  const before = readRecord(task.runningRecord)?.spec;
  const missing = before === undefined ? [] : await missingParts(context, task.service, before, signal);
  const good = missing.length === 0 ? before : undefined;
  if (good === undefined) await deleteDockerService(context.docker, present.ID, { signal });
  else
    await applySpec(context, task, () => (isStopped(present.PreviousSpec?.Labels) ? stoppedSpec(good) : good), {
      signal,
      credentials: credentialsForImage(context, good.TaskTemplate.ContainerSpec.Image),
    });
  await deleteUnusedFiles(context, task.service, good, signal);
  return missing;
}
