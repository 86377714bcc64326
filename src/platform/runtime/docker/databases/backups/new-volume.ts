import type { Task } from '../../../index.ts';
import type { DockerContext, OwnObjects } from '../../docker-context.ts';
import { deleteDockerVolume, isDockerError, listDockerNodes } from '../../api/index.ts';
import { readRecord } from '../../record.ts';
import { findDockerService } from '../../services/services-of-ours.ts';

/** The result of removing a volume. It is held while a container that has just exited still exists. */
type Removal = { readonly isHeld: true; readonly text: string } | { readonly isHeld: false; readonly text?: string };

/** The name of a node; its id if it is no longer part of the swarm. */
export const nodeNameOf = async (
  { docker }: Pick<DockerContext, 'docker'>,
  id: string,
  signal: AbortSignal,
): Promise<string> =>
  (await listDockerNodes(docker, {}, { signal })).find(({ ID }) => ID === id)?.Description.Hostname ?? id;

/**
 * The volume that a restoration copies into, and its node, as a part of a sentence; undefined before they are recorded.
 */
export async function newVolumeText(
  context: Pick<DockerContext, 'docker'>,
  { record }: Pick<Task, 'record'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const data = readRecord(record)?.data;
  if (data === undefined) return undefined;
  return `the volume ${data.volume} on the node ${await nodeNameOf(context, data.nodeId, signal)}`;
}

/**
 * Removes the volume that a failed restoration was copying into, unless the database uses it, or the engine of its node
 * can't be reached.
 * @returns the result, as a sentence; none if there is no such volume
 */
export async function removeNewVolume(
  context: OwnObjects & Pick<DockerContext, 'nodeEngines'>,
  task: Task,
  signal: AbortSignal,
): Promise<Removal> {
  const data = readRecord(task.record)?.data;
  const which = await newVolumeText(context, task, signal);
  if (data === undefined || which === undefined) return { isHeld: false };
  const service = await findDockerService(context, task.service, signal);
  if (service?.Spec.TaskTemplate.ContainerSpec.Mounts?.some(({ Source }) => Source === data.volume))
    return { isHeld: false, text: `The database still has ${which}, with all of the backup: it was left there.` };
  const left = (why: string): string =>
    `What was copied into ${which} was left there: ${why}. Nothing uses it. Remove it on that node: docker volume rm ${data.volume}`;
  try {
    const engine = await context.nodeEngines.of(data.nodeId, signal);
    if (engine === undefined) return { isHeld: false, text: left(`the engine of the node can't be asked`) };
    await deleteDockerVolume(engine, data.volume, { signal });
    return { isHeld: false, text: `Removed ${which}, into which it was copied.` };
  } catch (error) {
    if (!isDockerError(error) || signal.aborted) throw error;
    if (error.kind === 'not found') return { isHeld: false };
    return error.kind === 'conflict'
      ? { isHeld: true, text: left('a container still holds it') }
      : { isHeld: false, text: left(error.reason) };
  }
}
