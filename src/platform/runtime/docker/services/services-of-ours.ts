import type { Task } from '../../index.ts';
import type { OwnObjects } from '../docker-context.ts';
import {
  createDockerService,
  inspectDockerService,
  ignoring,
  isDockerError,
  updateDockerService,
  type DockerRegistryCredentials,
  type DockerService,
  type DockerServiceSpec,
} from '../api/index.ts';
import { fencingTokenOf, isMadeHere, withFencingToken } from '../labels.ts';
import { dockerServiceName } from '../names.ts';

/** How often a change that conflicts with others is tried. */
const attempts = 5;

/**
 * Finds the engine's service of a platform's service; undefined if there is none.
 * @throws Error if it has the name but not the labels of this platform: then it belongs to others
 */
export async function findDockerService(
  { docker, platformId }: OwnObjects,
  service: Pick<Task['service'], 'id' | 'name'>,
  signal: AbortSignal,
): Promise<DockerService | undefined> {
  const found = await inspectDockerService(docker, dockerServiceName(service), { signal }).catch(ignoring('not found'));
  if (found !== undefined && !isMadeHere(found.Spec.Labels, platformId)) {
    throw new Error(
      `The engine has a service ${found.Spec.Name} that this platform didn't create. It was left alone: remove or rename it to run ${service.name}.`,
    );
  }
  return found;
}

/** Requires that no later task has changed a service. @throws Error otherwise */
export function requireLatestTask(present: DockerService | undefined, fencingToken: number): void {
  if (fencingTokenOf(present?.Spec.Labels) > fencingToken)
    throw new Error(
      `A later deployment has changed ${present!.Spec.Name} on the engine meanwhile. It was left as it is.`,
    );
}

/**
 * Updates a service to a spec, or creates it. A concurrent change is read again, and replaced.
 * @param specOf returns the spec to send, from the present one; undefined to leave it
 * @throws Error if a later task has changed the service
 */
export async function applySpec(
  context: OwnObjects,
  { service, fencingToken }: Pick<Task, 'service' | 'fencingToken'>,
  specOf: (present: DockerService | undefined) => DockerServiceSpec | undefined,
  {
    signal,
    credentials,
  }: { readonly signal: AbortSignal; readonly credentials?: DockerRegistryCredentials | undefined },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    // In sequence: each attempt starts from the present state.
    const present = await findDockerService(context, service, signal);
    const spec = specOf(present);
    if (spec === undefined) return;
    requireLatestTask(present, fencingToken);
    const fenced = { ...spec, Labels: withFencingToken(spec.Labels, fencingToken) };
    try {
      await (present === undefined
        ? createDockerService(context.docker, fenced, credentials, { signal })
        : updateDockerService(context.docker, present.ID, present.Version.Index, fenced, credentials, { signal }));
      return;
    } catch (error) {
      if (attempt === attempts || !isDockerError(error, 'stale', 'conflict', 'not found')) throw error;
    }
  }
}
