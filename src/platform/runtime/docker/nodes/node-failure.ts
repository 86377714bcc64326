import type { DockerContext } from '../docker-context.ts';
import { type DockerTask, hostOfImage, inspectDockerDistribution, isDockerError, listDockerNodes } from '../engine/index.ts';
import { credentialsForImage, isOnlyBuilt } from '../builds/image-reach.ts';
import { answerMilliseconds } from '../waits.ts';

/** The node of an instance, as a part of a sentence with a space before it; empty where the swarm has only one. */
export async function onItsNode({ docker }: Pick<DockerContext, 'docker'>, { NodeID: id }: DockerTask, signal: AbortSignal): Promise<string> {
  const nodes = await listDockerNodes(docker, {}, { signal, timeoutMilliseconds: answerMilliseconds });
  const node = nodes.length > 1 ? nodes.find(({ ID }) => ID === id) : undefined;
  return node ? ` on the node ${node.Description.Hostname}` : '';
}

/**
 * Why a node has not got an image, in words. Engines say the same of a missing image, of a registry that isn't reached and of a full disk, so
 * that the registry is asked by the engine that the platform knows.
 * @param said what the engine of the node says
 */
export async function pullFailure(context: Pick<DockerContext, 'docker' | 'credentialsFor' | 'registry'>, task: DockerTask, said: string, signal: AbortSignal): Promise<string> {
  const { Image: image } = task.Spec.ContainerSpec;
  const failed = `its image could not be pulled${await onItsNode(context, task, signal)}: ${said}`;
  if (isOnlyBuilt(image)) return failed;
  const host = hostOfImage(image);
  try {
    await inspectDockerDistribution(context.docker, image, credentialsForImage(context, image), { signal, timeoutMilliseconds: answerMilliseconds });
  } catch (error) {
    if (!isDockerError(error)) throw error;
    return error.kind === 'unreachable' ? failed : `${failed}. The registry ${host} does not give it: ${error.reason}`;
  }
  return `${failed}. The registry ${host} has it, so the node does not reach the registry, or has no space left on its disk`;
}
