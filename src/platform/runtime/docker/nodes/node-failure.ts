import { condition, type Condition } from '../../../../contract/index.ts';
import type { DockerContext, RegistryAccess } from '../docker-context.ts';
import {
  type DockerTask,
  hostOfImage,
  inspectDockerDistribution,
  isDockerError,
  listDockerNodes,
} from '../api/index.ts';
import { credentialsForImage, isOnlyBuilt } from '../builds/image-reach.ts';
import { answerMilliseconds } from '../waits.ts';

/** Returns the name of an instance's node; undefined if the swarm has only one. */
export async function nodeOf(
  { docker }: Pick<DockerContext, 'docker'>,
  { NodeID: id }: DockerTask,
  signal: AbortSignal,
): Promise<string | undefined> {
  const nodes = await listDockerNodes(docker, {}, { signal, timeoutMilliseconds: answerMilliseconds });
  const node = nodes.length > 1 ? nodes.find(({ ID }) => ID === id) : undefined;
  return node?.Description.Hostname;
}

/**
 * Returns why a node could not pull an image. Engines report a missing image, an unreachable registry and a full disk
 * in the same way; therefore the engine that the platform knows queries the registry.
 * @param said the message of the node's engine
 */
export async function pullFailure(
  context: RegistryAccess & Pick<DockerContext, 'docker'>,
  task: DockerTask,
  said: string,
  signal: AbortSignal,
): Promise<Condition> {
  const { Image: image } = task.Spec.ContainerSpec;
  const failed = { node: await nodeOf(context, task, signal), said };
  if (isOnlyBuilt(image)) return condition('PULL_FAILED', failed);
  const registry = hostOfImage(image);
  try {
    await inspectDockerDistribution(context.docker, image, credentialsForImage(context, image), {
      signal,
      timeoutMilliseconds: answerMilliseconds,
    });
  } catch (error) {
    if (!isDockerError(error)) throw error;
    return condition(
      'PULL_FAILED',
      error.kind === 'unreachable' ? failed : { ...failed, registry, registrySaid: error.reason },
    );
  }
  return condition('PULL_FAILED', { ...failed, registry });
}
