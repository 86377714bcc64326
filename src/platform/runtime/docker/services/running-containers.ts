import type { DockerContext } from '../docker-context.ts';
import { type DockerClient, type DockerLabels, listDockerContainers, listDockerTasks } from '../api/index.ts';
import { hasToldEnd } from '../instance-states.ts';
import { engineTaskLabel, labelFilter } from '../labels.ts';
import { containerNamePart } from '../names.ts';

/** The states of containers that have started and not ended. */
const begun = ['restarting', 'running', 'removing', 'paused'];

/**
 * Counts the containers with these labels that have not ended on an engine. Containers of ended instances don't count:
 * an engine whose disk was full when a program exited lists its container as running until the engine restarts.
 * @param isToBegin whether to count containers that were created and never started
 */
export async function runningContainers(
  { docker }: Pick<DockerContext, 'docker'>,
  engine: DockerClient,
  labels: DockerLabels,
  isToBegin: boolean,
  signal: AbortSignal,
): Promise<number> {
  const status = isToBegin ? ['created', ...begun] : begun;
  const listed = await listDockerContainers(
    engine,
    { ...labelFilter(labels), name: [containerNamePart], status },
    { signal },
  );
  if (listed.length === 0) return 0;
  const ended = (await listDockerTasks(docker, labelFilter(labels), { signal })).filter(hasToldEnd);
  const ids = new Set(ended.map(({ ID: id }) => id));
  return listed.filter(({ Labels: { [engineTaskLabel]: id = '' } }) => !ids.has(id)).length;
}
