import type { RunningVersion, Task } from '../index.ts';

/**
 * The version of a service's instances, for readers of logs: an image tag, the version of a database, or a short
 * commit.
 */
export function versionShown({ service, commitId }: Pick<Task | RunningVersion, 'service' | 'commitId'>): string {
  if (commitId !== undefined) return commitId.slice(0, 7);
  if (service.kind === 'database') return service.spec.version;
  if (service.kind === 'job') return service.spec.source.image?.tag ?? '';
  return service.kind === 'container' ? service.spec.tag : '';
}
