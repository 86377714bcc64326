import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeployedCommit, errorMessage, refused } from '../../../common/index.ts';
import type { GitTokenInput, Runtime, ServiceToRun } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { fetchHistory, inTemporaryDirectory, inWords } from '../git/index.ts';
import { hostsFor, isBuilt, sourceOf } from './service-source.ts';

/** How long a list of commits is cached, and the time limit for fetching one, in milliseconds. */
const freshMilliseconds = 10_000;
const timeoutMilliseconds = 20_000;

/** The maximum size of a list on disk, in bytes. Some servers also send the files of the commits. */
const mostBytes = 256 * 1024 * 1024;

type ListCommits = Runtime['commits'];

/**
 * Creates a function that lists the newest commits of services' branches. Several calls within seconds query a server
 * once.
 */
export function createCommitLists(context: Pick<DockerContext, 'clock' | 'builds' | 'platformId'>): ListCommits {
  const lists = new Map<string, { readonly at: number; readonly commits: Promise<readonly DeployedCommit[]> }>();

  const list = async (
    service: ServiceToRun,
    limit: number,
    gitToken: GitTokenInput | undefined,
  ): Promise<readonly DeployedCommit[]> => {
    const source = sourceOf({ service });
    const { request } = source;
    const hosts = hostsFor(context.builds.git, source, gitToken);
    // Several callers wait for it, so none of their signals aborts it.
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    return inTemporaryDirectory(join(tmpdir(), `infra-mcp-${context.platformId.slice(0, 8)}-commits-`), (directory) =>
      inWords(request, () => fetchHistory(hosts, request, directory, limit, mostBytes, signal)),
    );
  };

  return async (service, limit, _, gitToken) => {
    if (!isBuilt(service)) return [];
    const token = gitToken && createHash('sha256').update(gitToken.token).digest('base64url');
    const key = JSON.stringify([sourceOf({ service }).request, limit, token]);
    const now = context.clock.now();
    for (const [old, { at }] of lists) if (now - at > freshMilliseconds) lists.delete(old);
    if (!lists.has(key)) lists.set(key, { at: now, commits: list(service, limit, gitToken) });
    return lists.get(key)!.commits.catch((error: unknown) => {
      throw refused(`The commits of ${service.name} can't be read. ${errorMessage(error)}`);
    });
  };
}
