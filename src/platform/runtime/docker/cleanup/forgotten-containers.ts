import type { ServiceToRun } from '../../index.ts';
import type { DockerContext, NodeReach } from '../docker-context.ts';
import {
  type DockerCall,
  type DockerClient,
  type DockerLabels,
  inspectDockerService,
  isDockerError,
  listDockerContainers,
  removeEndedDockerContainer,
} from '../api/index.ts';
import { onEveryNode } from '../nodes/every-node.ts';
import { type HiddenInstances, hiddenInstances } from '../nodes/hidden-instances.ts';
import { engineServiceLabel, labelFilter } from '../labels.ts';
import { runningContainers } from '../services/running-containers.ts';

const hasService = (docker: DockerClient, id: string, call: DockerCall): Promise<boolean> =>
  inspectDockerService(docker, id, call).then(
    () => true,
    (error: unknown) => {
      if (isDockerError(error, 'not found')) return false;
      throw error;
    },
  );

/**
 * Removes the containers with these labels that were never started, and whose service no longer exists. An engine that
 * is killed just after it created one forgets it with the service: it neither starts nor exits.
 */
async function removeForgottenContainers(
  { docker }: Pick<DockerContext, 'docker'>,
  engine: DockerClient,
  labels: DockerLabels,
  signal: AbortSignal,
): Promise<void> {
  const made = await listDockerContainers(engine, { ...labelFilter(labels), status: ['created'] }, { signal });
  await Promise.all(
    made.map(async ({ Id: id, Labels: { [engineServiceLabel]: service } }) => {
      if (service === undefined || (await hasService(docker, service, { signal }))) return;
      await removeEndedDockerContainer(engine, id, { signal }).catch((error: unknown) => {
        // Already removed, or the engine is removing it right now.
        if (!isDockerError(error, 'not found', 'conflict')) throw error;
      });
    }),
  );
}

/** The instances of a service that still run, or are about to. */
interface Remains extends Pick<HiddenInstances, 'lost'> {
  /** Whether there is one whose end will be observed. */
  readonly isAwaited: boolean;
}

/**
 * The instances of a service with these labels that still run. Also removes containers that will never run; the result
 * reflects that only on the next call.
 */
export async function remainsOf(
  context: NodeReach,
  service: Pick<ServiceToRun, 'id' | 'name'>,
  labels: DockerLabels,
  signal: AbortSignal,
): Promise<Remains> {
  const nodes = await onEveryNode(
    context,
    async (engine) => {
      if ((await runningContainers(context, engine, labels, true, signal)) === 0) return false;
      await removeForgottenContainers(context, engine, labels, signal);
      return true;
    },
    signal,
  );
  const { awaited, lost } = await hiddenInstances(context, service, labels, nodes, signal);
  return { isAwaited: awaited.length > 0 || nodes.seen.some(({ result }) => result), lost };
}
