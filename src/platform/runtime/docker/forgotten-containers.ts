import type { DockerContext } from './docker-context.ts';
import { type DockerCall, type DockerClient, type DockerLabels, inspectDockerService, isDockerError, listDockerContainers, removeDockerContainer } from './engine/index.ts';
import { labelFilter } from './labels.ts';
import { runningContainers } from './take-down.ts';

/** The label by which engines note the service of a container. */
const engineServiceLabel = 'com.docker.swarm.service.id';

const hasService = (docker: DockerClient, id: string, call: DockerCall): Promise<boolean> => inspectDockerService(docker, id, call).then(() => true, (error: unknown) => {
  if (isDockerError(error, 'not found')) return false;
  throw error;
});

/**
 * Removes the containers with these labels that were never begun, and whose service the engine doesn't have any more. An engine that is
 * killed just after it made one forgets it with the service: it neither begins nor ends.
 */
async function removeForgottenContainers({ docker }: Pick<DockerContext, 'docker'>, labels: DockerLabels, signal: AbortSignal): Promise<void> {
  const made = await listDockerContainers(docker, { ...labelFilter(labels), status: ['created'] }, { signal });
  await Promise.all(made.map(async ({ Id: id, Labels: { [engineServiceLabel]: service } }) => {
    if (service === undefined || (await hasService(docker, service, { signal }))) return;
    await removeDockerContainer(docker, id, { signal }).catch((error: unknown) => {
      // The engine removes it itself.
      if (!isDockerError(error, 'not found', 'conflict')) throw error;
    });
  }));
}

/** Whether containers with these labels run, or are about to. Those that never will are removed, which shows the next time. */
export async function isContained(context: DockerContext, labels: DockerLabels, signal: AbortSignal): Promise<boolean> {
  if ((await runningContainers(context, labels, signal)) === 0) return false;
  await removeForgottenContainers(context, labels, signal);
  return true;
}
