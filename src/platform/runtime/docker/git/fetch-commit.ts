import { condition } from '../../../../contract/index.ts';
import type { DeployedCommit } from '../../../common/index.ts';
import { allowedTags, branchRef, commitsOnly, reachCommit, type ReachedCommit } from './commit-reach.ts';
import { requestedSource, CommitRefusal, noBranch } from './commit-refusal.ts';
import { isUnknownCommit } from './git-failure.ts';
import type { GitRequest } from './git-request.ts';
import type { GitHosts } from '../../index.ts';
import { createRepository, type SourceRepository } from './source-repository.ts';
import { withSizeLimit } from './size-limit.ts';

/** A commit that was fetched, and where it is. */
export interface FetchedCommit {
  readonly repository: SourceRepository;
  readonly commit: DeployedCommit;
  /** What it takes on disk. */
  readonly bytes: number;
}

/**
 * Fetches one commit with its files: by its id where the server allows that, else with what came after it.
 * @returns its id; undefined if it is no commit, as what a tag is on may be
 */
async function fetchOne(
  repository: SourceRepository,
  { id, ref, behind }: ReachedCommit,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await repository.fetch(id, ['--depth=1'], signal);
  } catch (error) {
    if (!isUnknownCommit(error)) throw error;
    return (await repository.fetch(ref, [`--depth=${behind + 1}`], signal)) === undefined ? undefined : id;
  }
}

/**
 * Fetches the newest commit of a branch, or the requested one, into a folder. The requested one has to be in the
 * history of the branch, or of a tag that is allowed.
 * @param within an empty folder of ours
 * @param limit the most bytes that the commit may take there, and the history before it
 * @throws CommitRefusal, GitError, or Error in words
 */
export async function fetchCommit(
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  limit: number,
  signal: AbortSignal,
): Promise<FetchedCommit> {
  const { commitId } = request;
  const reached =
    commitId === undefined ? undefined : await reachCommit(hosts, request, commitId, within, limit, signal);
  const repository = await createRepository(hosts, request, within, signal);
  const { result: id, bytes } = await withSizeLimit(
    within,
    limit,
    () => new CommitRefusal(condition('COMMIT_TOO_LARGE', { limit })),
    signal,
    (limited) =>
      reached === undefined
        ? repository.fetch(branchRef(request), ['--depth=1'], limited)
        : fetchOne(repository, reached, limited),
  );
  if (id === undefined)
    throw new CommitRefusal(
      reached === undefined
        ? noBranch(request)
        : condition('COMMIT_NOT_IN_HISTORY', { ...requestedSource(request), tags: [...allowedTags(hosts, request)] }),
    );
  const [[commit], tag] = await Promise.all([repository.history(id, 1, signal), repository.tagOf(id, signal)]);
  return { repository, commit: { ...commit!, tag }, bytes };
}

/**
 * The newest commits of a branch, newest first.
 * @param within an empty folder of ours
 * @param bytes the most that they may take there
 */
export async function fetchHistory(
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  count: number,
  bytes: number,
  signal: AbortSignal,
): Promise<readonly DeployedCommit[]> {
  const repository = await createRepository(hosts, request, within, signal);
  const tooLarge = (): Error =>
    new CommitRefusal(condition('COMMITS_TOO_LARGE', { branch: request.branch, limit: bytes }));
  const { result: newest } = await withSizeLimit(within, bytes, tooLarge, signal, (limited) =>
    repository.fetch(branchRef(request), commitsOnly(count), limited),
  );
  if (newest === undefined) throw new CommitRefusal(noBranch(request));
  return repository.history(newest, count, signal);
}
