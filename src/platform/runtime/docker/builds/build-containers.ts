import type { ServiceToRun } from '../../index.ts';
import type { OwnObjects } from '../docker-context.ts';
import { inspectDockerContainer, isDockerError, listDockerContainers, removeDockerContainer } from '../api/index.ts';
import { isPlatforms } from '../labels.ts';

type Service = Pick<ServiceToRun, 'id'>;

/**
 * The entry of the hosts file that marks the containers of a service's builds: engines don't give them the platform's
 * labels.
 */
export const buildMark = (platformId: string, { id }: Service): string => `${id}.${platformId}:127.0.0.1`;

/**
 * Removes the containers that builds of a service left behind because the engine was killed. They would keep the images
 * of their steps forever. No build of the service may be running.
 */
export async function removeBuildContainers(
  { docker, platformId }: OwnObjects,
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const ended = await listDockerContainers(docker, { status: ['created', 'exited', 'dead'] }, { signal });
  const mark = buildMark(platformId, service);
  await Promise.all(
    ended
      .filter(({ Labels: labels }) => !isPlatforms(labels))
      .map(async ({ Id: id }) => {
        try {
          const {
            HostConfig: { ExtraHosts: hosts },
          } = await inspectDockerContainer(docker, id, { signal });
          if (hosts?.includes(mark)) await removeDockerContainer(docker, id, { signal });
        } catch (error) {
          // The engine removes it itself.
          if (!isDockerError(error, 'not found', 'conflict')) throw error;
        }
      }),
  );
}
