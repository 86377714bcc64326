import type { DockerContext } from '../docker-context.ts';
import { engineStart } from '../engine-start.ts';
import { type DockerTask, inspectDockerContainer, isDockerError, removeDockerContainer } from '../api/index.ts';

/**
 * Removes containers that the engine starts without their secrets and configs: those that it had created, but not
 * started, when its host lost power. The engine then forgets which files they have, including the program of their
 * probes, and would wait for that forever. It replaces the removed ones. Containers on other nodes are given up with
 * the node.
 */
export async function removeSpoiled(
  context: Pick<DockerContext, 'docker'>,
  tasks: readonly DockerTask[],
  signal: AbortSignal,
): Promise<void> {
  const { docker } = context;
  const begun = tasks.filter(
    ({
      Status,
      DesiredState,
      Spec: {
        ContainerSpec: { Secrets = [], Configs = [] },
      },
    }) =>
      DesiredState === 'running' &&
      (Status.State === 'starting' || Status.State === 'running') &&
      Secrets.length + Configs.length > 0,
  );
  const start = begun.length === 0 ? undefined : await engineStart(context, signal);
  if (start === undefined) return;
  for (const { Status, CreatedAt } of begun) {
    const id = Status.ContainerStatus?.ContainerID;
    if (!id || Date.parse(CreatedAt) > start) continue;
    try {
      // Sequential: there are only a few, after a start of the engine.
      const { Created, State } = await inspectDockerContainer(docker, id, { signal });
      if (Date.parse(Created) < start && start < Date.parse(State.StartedAt))
        await removeDockerContainer(docker, id, { signal });
    } catch (error) {
      // It is on another node, or already gone.
      if (!isDockerError(error, 'not found', 'conflict')) throw error;
    }
  }
}
