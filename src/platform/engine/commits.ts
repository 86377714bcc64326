import type * as z from 'zod';
import { listedCommits, type Commit } from '../../contract/index.ts';
import type { ServiceToRun } from '../runtime/index.ts';
import type { EngineContext } from './context.ts';
import { commitPage, gitUrl } from './history.ts';
import { gitTokenOf } from './linked-credentials.ts';
import { runtimeOfEnvironment } from './tasks.ts';

/**
 * The newest commits of a service's branch, newest first, with links to their pages; none if it isn't built from git.
 */
export async function serviceCommits(
  context: Pick<EngineContext, 'db' | 'runtimes' | 'openSecret'>,
  service: ServiceToRun,
  signal: AbortSignal,
): Promise<{ results: z.output<typeof Commit>[] }> {
  const runtime = await runtimeOfEnvironment(context, context.db, service.environmentId);
  const gitToken = await gitTokenOf(context.db, service, context.openSecret);
  const commits = await runtime.commits(service, listedCommits, signal, gitToken);
  return {
    results: commits.map((commit) => ({ ...commit, ...commitPage(gitUrl(service.spec), commit.git_commit_id) })),
  };
}
