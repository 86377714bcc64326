import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeployedCommit, errorMessage, refused } from '../../../common/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { fetchHistory, inTemporaryDirectory, inWords } from '../git/index.ts';
import { isBuilt, sourceOf } from './service-source.ts';

/** How long a list of commits is cached, and the time limit for fetching one, in milliseconds. */
const freshMilliseconds = 10_000;
const timeoutMilliseconds = 20_000;

/** The maximum size of a list on disk, in bytes. Some servers also send the files of the commits. */
const mostBytes = 256 * 1024 * 1024;

type ListCommits = (service: ServiceToRun, limit: number, signal: AbortSignal) => Promise<readonly DeployedCommit[]>;

/**
 * Creates a function that lists the newest commits of services' branches. Several calls within seconds query a server
 * once.
 */
export function createCommitLists(context: Pick<DockerContext, 'clock' | 'builds' | 'platformId'>): ListCommits {
  const lists = new Map<string, { readonly at: number; readonly commits: Promise<readonly DeployedCommit[]> }>();

  const list = (service: ServiceToRun, limit: number): Promise<readonly DeployedCommit[]> => {
    const { request } = sourceOf({ service });
    // Several callers wait for it, so none of their signals aborts it.
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    return inTemporaryDirectory(join(tmpdir(), `infra-mcp-${context.platformId.slice(0, 8)}-commits-`), (directory) =>
      inWords(request, () => fetchHistory(context.builds.git, request, directory, limit, mostBytes, signal)),
    );
  };

  return async (service, limit) => {
    if (!isBuilt(service)) return [];
    const key = JSON.stringify([sourceOf({ service }).request, limit]);
    const now = context.clock.now();
    for (const [old, { at }] of lists) if (now - at > freshMilliseconds) lists.delete(old);
    if (!lists.has(key)) lists.set(key, { at: now, commits: list(service, limit) });
    return lists.get(key)!.commits.catch((error: unknown) => {
      throw refused(`The commits of ${service.name} can't be read. ${errorMessage(error)}`);
    });
  };
}
